/**
 * Activities and ranges in columns, until it is known which ones the timeline shows. Memory: 135 bytes each and 12 for each
 * dependency, bounded.
 */
import { elementAt } from '../../../containers/element.js';
import { TextTable, packColumn } from './column-packing.js';
import { byColumn, EVENT_COLUMNS, NO_EVENT, type TimelineColumn, type Dependencies } from './timeline-data.js';
import { NumericColumn } from '../../../containers/numeric-column.js';
import type { ResolvedDependency } from '../../neuron/instructions/dependencies.js';

/** Stands for a kernel that is not in the records so far. */
const NO_KERNEL = 0;

export class DependencyBuffer {
  #later = NumericColumn.counts();
  #earlier = NumericColumn.counts();
  #what = NumericColumn.counts();
  /** Strings of their kinds and semaphores. */
  readonly texts = new TextTable();

  get length(): number {
    return this.#later.length;
  }

  /** @param kernel number of the kernel that waited */
  add(kernel: number, found: readonly ResolvedDependency[]): void {
    for (const { kind, on, semaphore } of found) {
      this.#push(
        kernel,
        on?.kernel ?? NO_KERNEL,
        this.texts.numberOf(semaphore === null ? kind : `${kind}, ${semaphore}`),
      );
    }
  }

  /** Removes the dependencies of all other kernels. */
  keep(kernels: ReadonlySet<number>): void {
    const [later, earlier, what] = [this.#later.values, this.#earlier.values, this.#what.values];
    [this.#later, this.#earlier, this.#what] = [NumericColumn.counts(), NumericColumn.counts(), NumericColumn.counts()];
    for (const [i, kernel] of later.entries()) {
      if (kernels.has(kernel)) this.#push(kernel, earlier[i] as number, what[i] as number);
    }
  }

  /**
   * The dependencies of the events that are shown.
   * @param eventOf index of a kernel's event; undefined when it is not shown
   * @param texts table to which the strings of kinds are added
   */
  packed(eventOf: (kernel: number) => number | undefined, texts: TextTable): Dependencies {
    const [later, earlier, what] = [[] as number[], [] as number[], [] as number[]];
    for (const [i, kernel] of this.#later.values.entries()) {
      const event = eventOf(kernel);
      if (event === undefined) continue;
      later.push(event);
      earlier.push(eventOf(this.#earlier.at(i)) ?? NO_EVENT);
      what.push(texts.numberOf(this.texts.at(this.#what.at(i))));
    }
    const pack = (numbers: readonly number[]) => packColumn(Uint32Array.from(numbers));
    return { later: pack(later), earlier: pack(earlier), what: pack(what) };
  }

  #push(later: number, earlier: number, what: number): void {
    this.#later.push(later);
    this.#earlier.push(earlier);
    this.#what.push(what);
  }
}

/** An event, and the call that launched it, which the page shows as a separate event. */
const COLUMNS = {
  ...EVENT_COLUMNS,
  launchStart: { ...EVENT_COLUMNS.start, unknown: NaN },
  launchDur: EVENT_COLUMNS.dur,
  launchLane: EVENT_COLUMNS.lane,
  launchName: EVENT_COLUMNS.name,
} as const;

/** Depths are known only when a piece is packed. */
export type EventColumn = Exclude<keyof typeof COLUMNS, 'depth'>;
const NAMES = (Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]).filter((name) => name !== 'depth');
const TEXT_NAMES = NAMES.filter((name) => COLUMNS[name].is === 'text');
type EventArrays = Record<EventColumn, Float64Array | Uint32Array | Uint8Array>;

const TIMES = ['start', 'dur'] as const;
/** Together with the times, this is everything that ranges and calls have. */
const TITLES = ['lane', 'kind', 'name', 'op', 'layer'] as const satisfies readonly TimelineColumn[];
type TitleColumn = (typeof TIMES)[number] | (typeof TITLES)[number];
type AboutColumn = Exclude<EventColumn, TitleColumn>;
const ABOUT_NAMES = NAMES.filter((name): name is AboutColumn => !([...TIMES, ...TITLES] as string[]).includes(name));
const DESCRIBED = [...TITLES, ...ABOUT_NAMES];

/** An activity, with strings and lanes by number. */
type EventAbout = Readonly<Record<AboutColumn, number>>;

/** Values of ranges and calls. */
const UNKNOWN: EventAbout = byColumn(ABOUT_NAMES, (name) => COLUMNS[name].unknown);

/** One activity or range; strings and lanes by number. */
export interface BufferedEvent extends Readonly<Record<TitleColumn, number>> {
  /** Null for ranges and calls, which are most of the events of a profile. */
  readonly about: EventAbout | null;
}

export interface EventBufferBounds {
  readonly rows: number;
  /** Number of characters of all distinct strings. */
  readonly text: number;
  readonly dependencies: number;
}

export const EVENT_BUFFER_BOUNDS: EventBufferBounds = {
  rows: 1_000_000,
  text: 32 * 1024 * 1024,
  dependencies: 4_000_000,
};
const FIRST_ROWS = 4096;

export class EventBuffer {
  #arrays: EventArrays = arraysOf(FIRST_ROWS);
  #capacity = FIRST_ROWS;
  rows = 0;
  texts = new TextTable();
  readonly dependencies = new DependencyBuffer();

  constructor(private readonly bounds = EVENT_BUFFER_BOUNDS) {}

  get isFull(): boolean {
    const { rows, text, dependencies } = this.bounds;
    const characters = this.texts.size + this.dependencies.texts.size;
    return this.rows >= rows || characters >= text || this.dependencies.length >= dependencies;
  }

  column(name: EventColumn): Float64Array | Uint32Array | Uint8Array {
    return this.#arrays[name].subarray(0, this.rows);
  }

  /** Must be called only while the buffer is not full. */
  push(event: BufferedEvent): void {
    if (this.rows === this.#capacity) this.#resize(this.#capacity * 2);
    const row = this.rows++;
    this.#arrays.start[row] = event.start;
    this.#arrays.dur[row] = event.dur;
    this.#name(row, event);
    // Arrays are initialized to unknown.
    if (event.about !== null) this.#describe(row, event.about);
  }

  /** Replaces a row, except its start and duration. */
  describe(row: number, event: BufferedEvent): void {
    this.#name(row, event);
    this.#describe(row, event.about ?? UNKNOWN);
  }

  #name(row: number, event: BufferedEvent): void {
    for (const name of TITLES) this.#arrays[name][row] = event[name];
  }

  #describe(row: number, about: EventAbout): void {
    for (const name of ABOUT_NAMES) this.#arrays[name][row] = about[name];
  }

  /** Copies a row to another, except its start and duration. */
  describeAs(row: number, other: number): void {
    for (const name of DESCRIBED) this.#arrays[name][row] = elementAt(this.#arrays[name], other);
  }

  /** Extends a row so that it includes a time range, in ns. */
  extend(row: number, from: number, to: number): void {
    const { start, dur } = this.#arrays;
    const [first, last] = [elementAt(start, row), elementAt(start, row) + elementAt(dur, row)];
    start[row] = Math.min(first, from);
    dur[row] = Math.max(last, to) - Math.min(first, from);
  }

  /** Removes all other rows, and the strings that only they use. */
  keep(isKept: (row: number) => boolean): void {
    const rows = new Uint32Array(this.rows);
    let kept = 0;
    for (let row = 0; row < this.rows; row++) if (isKept(row)) rows[kept++] = row;
    const before = this.#arrays;
    this.#capacity = Math.max(FIRST_ROWS, kept);
    this.#arrays = arraysOf(this.#capacity);
    this.rows = kept;
    for (const name of NAMES) gather(before[name], rows.subarray(0, kept), this.#arrays[name]);
    this.#numberTexts();
    if (this.dependencies.length > 0) this.dependencies.keep(new Set(this.column('id')));
  }

  /** Renumbers the strings that rows use. */
  #numberTexts(): void {
    const texts = new TextTable();
    const numbers = new Uint32Array(this.texts.all.length);
    for (const name of TEXT_NAMES) {
      const column = this.column(name);
      for (let row = 0; row < column.length; row++) {
        const before = column[row] as number;
        // The empty string has the number 0 in every table.
        if (before !== 0 && numbers[before] === 0) numbers[before] = texts.numberOf(this.texts.at(before));
        column[row] = numbers[before] as number;
      }
    }
    this.texts = texts;
  }

  #resize(capacity: number): void {
    const next = arraysOf(capacity);
    for (const name of NAMES) next[name].set(this.column(name));
    this.#arrays = next;
    this.#capacity = capacity;
  }
}

/** Copies some rows of a column, in their order. */
function gather(from: ArrayLike<number>, rows: Uint32Array, to: Float64Array | Uint32Array | Uint8Array): void {
  for (let i = 0; i < rows.length; i++) to[i] = from[rows[i] as number] as number;
}

function arraysOf(capacity: number): EventArrays {
  return byColumn(NAMES, (name) => {
    const { array: Numbers, unknown } = COLUMNS[name];
    const numbers = new Numbers(capacity);
    return unknown === 0 ? numbers : numbers.fill(unknown);
  });
}
