/**
 * Activities and ranges of a profile in columns, to make a timeline of some of them when all are known. Memory: 90 bytes
 * each, up to a bound.
 */
import { TextTable } from './text-table.js';

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
  id: Uint32Array,
  flops: Float64Array,
  bytes: Float64Array,
  launchStart: Float64Array,
  launchDur: Float64Array,
  launchLane: Uint32Array,
  launchName: Uint32Array,
} as const;

type EventColumn = keyof typeof COLUMNS;
type EventArrays = { [Name in EventColumn]: Float64Array | Uint32Array | Uint8Array };
const NAMES = Object.keys(COLUMNS) as EventColumn[];

/** One activity or range; texts and lanes by number. A launch's start is NaN where it is not known. */
export type BufferedEvent = Readonly<Record<EventColumn, number>>;

/** Rows, and characters of different texts. */
export interface EventBufferBounds {
  readonly rows: number;
  readonly text: number;
}

export const EVENT_BUFFER_BOUNDS: EventBufferBounds = { rows: 1_000_000, text: 32 * 1024 * 1024 };
const FIRST_ROWS = 4096;

export class EventBuffer {
  #arrays: EventArrays = arraysOf(FIRST_ROWS);
  #room = FIRST_ROWS;
  #rows = 0;
  #texts = new TextTable();

  constructor(private readonly bounds = EVENT_BUFFER_BOUNDS) {}

  get rows(): number {
    return this.#rows;
  }
  get texts(): TextTable {
    return this.#texts;
  }
  get isFull(): boolean {
    return this.#rows >= this.bounds.rows || this.#texts.size >= this.bounds.text;
  }

  column(name: EventColumn): ArrayLike<number> {
    return this.#arrays[name].subarray(0, this.#rows);
  }

  /** To be called while it is not full. */
  push(entry: BufferedEvent): void {
    if (this.#rows === this.#room) this.#resize(this.#room * 2);
    for (const name of NAMES) this.#arrays[name][this.#rows] = entry[name];
    this.#rows++;
  }

  /** Leaves only some rows, in their order, and the texts that these have. */
  keep(isKept: (row: number) => boolean): void {
    let kept = 0;
    for (let row = 0; row < this.#rows; row++) {
      if (!isKept(row)) continue;
      if (kept < row) for (const name of NAMES) this.#arrays[name][kept] = this.#arrays[name][row] ?? 0;
      kept++;
    }
    this.#rows = kept;
    this.#resize(Math.max(FIRST_ROWS, kept));
    const texts = new TextTable();
    for (const name of ['name', 'op', 'layer', 'dtype', 'tc', 'launchName'] as const) {
      const column = this.#arrays[name];
      for (let row = 0; row < kept; row++) column[row] = texts.numberOf(this.#texts.at(column[row] ?? 0));
    }
    this.#texts = texts;
  }

  #resize(room: number): void {
    const next = arraysOf(room);
    for (const name of NAMES) next[name].set(this.#arrays[name].subarray(0, this.#rows));
    this.#arrays = next;
    this.#room = room;
  }
}

const arraysOf = (room: number): EventArrays =>
  Object.fromEntries(NAMES.map((name) => [name, new COLUMNS[name](room)])) as EventArrays;
