/**
 * Activities and ranges in columns, until it is known which the timeline shows. Memory: 135 bytes each and
 * 12 for each dependency, bounded.
 */
import { elementAt } from '../../../containers/element.js';
import { TextTable } from './text-table.js';
import { DependencyBuffer } from './dependency-buffer.js';
import { NO_FACTS } from './fact-table.js';

/** Columns that every event has, and the arrays that hold them. */
const NAMED = {
  start: Float64Array,
  dur: Float64Array,
  lane: Uint32Array,
  kind: Uint8Array,
  name: Uint32Array,
  op: Uint32Array,
  layer: Uint32Array,
} as const;

/** Columns that activities have besides. */
const ABOUT = {
  dtype: Uint32Array,
  tc: Uint32Array,
  operands: Uint32Array,
  queue: Uint32Array,
  pc: Float64Array,
  id: Uint32Array,
  flops: Float64Array,
  bytes: Float64Array,
  launchStart: Float64Array,
  launchDur: Float64Array,
  launchLane: Uint32Array,
  launchName: Uint32Array,
  facts: Uint32Array,
  seq: Float64Array,
  dir: Uint8Array,
  step: Float64Array,
  corr: Float64Array,
} as const;

const COLUMNS = { ...NAMED, ...ABOUT };

type AboutColumn = keyof typeof ABOUT;
export type EventColumn = keyof typeof COLUMNS;
type EventArrays = { [Name in EventColumn]: Float64Array | Uint32Array | Uint8Array };
const NAMES = Object.keys(COLUMNS) as EventColumn[];
const ABOUT_NAMES = Object.keys(ABOUT) as AboutColumn[];
const TEXT_NAMES = [
  'name',
  'op',
  'layer',
  'dtype',
  'tc',
  'operands',
  'queue',
  'launchName',
] as const satisfies readonly EventColumn[];

const IS_TIME: ReadonlySet<EventColumn> = new Set<EventColumn>(['start', 'dur']);

/** What is known of an activity; texts and lanes by number. */
export type EventAbout = Readonly<Record<AboutColumn, number>>;

/** Of ranges and calls, which have no more than names. */
const UNKNOWN: EventAbout = {
  dtype: 0,
  tc: 0,
  operands: 0,
  queue: 0,
  pc: -1,
  id: 0,
  flops: -1,
  bytes: -1,
  launchStart: NaN,
  launchDur: 0,
  launchLane: 0,
  launchName: 0,
  facts: NO_FACTS,
  seq: -1,
  dir: 0,
  step: 0,
  corr: 0,
};

/** One activity or range; texts and lanes by number. */
export interface BufferedEvent extends Readonly<Record<keyof typeof NAMED, number>> {
  /** Null of ranges and calls, of which a profile has most. */
  readonly about: EventAbout | null;
}

export interface EventBufferBounds {
  readonly rows: number;
  /** Characters of all distinct texts. */
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

  /** To be called only while the buffer is not full. */
  push(event: BufferedEvent): void {
    if (this.rows === this.#capacity) this.#resize(this.#capacity * 2);
    const row = this.rows++;
    this.#arrays.start[row] = event.start;
    this.#arrays.dur[row] = event.dur;
    this.#name(row, event);
    // Arrays begin as unknown.
    if (event.about !== null) this.#describe(row, event.about);
  }

  /** Replaces a row, all but its start and duration. */
  describe(row: number, event: BufferedEvent): void {
    this.#name(row, event);
    this.#describe(row, event.about ?? UNKNOWN);
  }

  #name(row: number, event: BufferedEvent): void {
    const { lane, kind, name, op, layer } = this.#arrays;
    lane[row] = event.lane;
    kind[row] = event.kind;
    name[row] = event.name;
    op[row] = event.op;
    layer[row] = event.layer;
  }

  #describe(row: number, about: EventAbout): void {
    for (const name of ABOUT_NAMES) this.#arrays[name][row] = about[name];
  }

  /** Copies a row onto another, all but its start and duration. */
  describeAs(row: number, other: number): void {
    for (const name of NAMES) if (!IS_TIME.has(name)) this.#arrays[name][row] = elementAt(this.#arrays[name], other);
  }

  /** Makes a row last from its start or an earlier one, ns, to its end or a later one. */
  extend(row: number, from: number, to: number): void {
    const { start, dur } = this.#arrays;
    const [first, last] = [elementAt(start, row), elementAt(start, row) + elementAt(dur, row)];
    start[row] = Math.min(first, from);
    dur[row] = Math.max(last, to) - Math.min(first, from);
  }

  /** Removes all other rows, and the texts that only they have. */
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

  /** Numbers the texts anew that rows have. */
  #numberTexts(): void {
    const texts = new TextTable();
    const numbers = new Uint32Array(this.texts.all.length);
    for (const name of TEXT_NAMES) {
      const column = this.column(name);
      for (let row = 0; row < column.length; row++) {
        const before = column[row] as number;
        // The empty text is 0 in every table.
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
  const arrays = Object.fromEntries(NAMES.map((name) => [name, new COLUMNS[name](capacity)])) as EventArrays;
  for (const name of ABOUT_NAMES) if (UNKNOWN[name] !== 0) arrays[name].fill(UNKNOWN[name]);
  return arrays;
}
