/**
 * Activities and ranges in columns, until it is known which the timeline shows. Memory: 135 bytes each and
 * 12 for each dependency, bounded.
 */
import { elementAt } from '../../../containers/element.js';
import { TextTable } from '../text-table.js';
import { DependencyBuffer } from './dependency-buffer.js';
import { NO_FACTS } from './fact-table.js';

/** Columns of numbers, and the arrays that hold them. */
const COLUMNS = {
  start: Float64Array,
  dur: Float64Array,
  lane: Uint32Array,
  kind: Uint8Array,
  name: Uint32Array,
  op: Uint32Array,
  layer: Uint32Array,
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

export type EventColumn = keyof typeof COLUMNS;
type EventArrays = { [Name in EventColumn]: Float64Array | Uint32Array | Uint8Array };
const NAMES = Object.keys(COLUMNS) as EventColumn[];
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

/** One activity or range; texts and lanes by number. Unknown: NaN as the launch's start, -1 as FLOPs, bytes,
 * position and sequence number. */
export type BufferedEvent = Readonly<Record<EventColumn, number>>;

/** Where and when an event is, and its names by number. */
export type NamedEvent = Pick<BufferedEvent, 'start' | 'dur' | 'lane' | 'kind' | 'name' | 'op' | 'layer'>;

/** An event of which no more is known than its names. All fields in one place: copying them with `...` takes many times as long. */
export const namedEvent = ({ start, dur, lane, kind, name, op, layer }: NamedEvent): BufferedEvent => ({
  start,
  dur,
  lane,
  kind,
  name,
  op,
  layer,
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
});

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

  /** One number of a column: a view of the whole for each would take most of the time. */
  numberAt(name: EventColumn, row: number): number {
    return elementAt(this.#arrays[name], row);
  }

  /** To be called only while the buffer is not full. */
  push(event: BufferedEvent): void {
    if (this.rows === this.#capacity) this.#resize(this.#capacity * 2);
    for (const name of NAMES) this.#arrays[name][this.rows] = event[name];
    this.rows++;
  }

  /** Replaces a row, all but its start and duration. */
  describe(row: number, event: BufferedEvent): void {
    for (const name of NAMES) if (!IS_TIME.has(name)) this.#arrays[name][row] = event[name];
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

const arraysOf = (capacity: number): EventArrays =>
  Object.fromEntries(NAMES.map((name) => [name, new COLUMNS[name](capacity)])) as EventArrays;
