/**
 * Activities of a device as rows of 32 bytes, which are added section by section and read in time order. Sorting
 * takes 16 more bytes for each row.
 *
 * | bytes | content                                                                                    |
 * |-------|--------------------------------------------------------------------------------------------|
 * | 0–7   | start, ps from the window's start (double)                                                 |
 * | 8–15  | duration, ps (double)                                                                      |
 * | 16–19 | rank: kind · device · stream · queue; rows of one start are in order of rank               |
 * | 20–23 | detail: an instruction's pc, a packet's bytes, the number of a semaphore                   |
 * | 24–27 | value: checksums, two of 16 bits; a semaphore's value                                      |
 * | 28–31 | rest, by kind                                                                              |
 */
import { allRows, sortRows } from '../../../../containers/row-order.js';

const ROW_BYTES = 32;
/** Size of a row in words of 8 bytes and of 4. */
export const ROW_DOUBLES = 4;
export const ROW_WORDS = 8;

/** Cells of a row: start and duration among its doubles, the others among its words. */
export const CELL = { start: 0, duration: 1, rank: 4, detail: 5, value: 6, rest: 7 } as const;
/** Duration of a row that ends before it starts. */
export const NO_DURATION = -1;

/** Kinds of rows, in the order of records with the same start. */
export const KIND = { instruction: 0, packet: 1, sample: 2 } as const;
/** Kinds of samples, stored instead of a stream. */
export const SAMPLE = { semaphore: 0, throttle: 1 } as const;

const QUEUE_BITS = 4;
const STREAM_BITS = 8;
const DEVICE_BITS = 16;
const DEVICE_SHIFT = QUEUE_BITS + STREAM_BITS;
const KIND_SHIFT = DEVICE_SHIFT + DEVICE_BITS;

/** Number of device ids that a row can hold. */
export const MAX_DEVICES = 1 << DEVICE_BITS;

/** The part of a rank that is the same for all rows of a section. */
export const rankOf = (kind: number, device: number): number => ((kind << KIND_SHIFT) | (device << DEVICE_SHIFT)) >>> 0;

/** The part of a rank that differs between rows of a section. */
export const rankWithin = (stream: number, queue: number): number => (stream << QUEUE_BITS) | queue;

export const kindOf = (rank: number): number => rank >>> KIND_SHIFT;
export const deviceOf = (rank: number): number => (rank >>> DEVICE_SHIFT) & (MAX_DEVICES - 1);
export const streamOf = (rank: number): number => (rank >>> QUEUE_BITS) & ((1 << STREAM_BITS) - 1);
export const queueOf = (rank: number): number => rank & ((1 << QUEUE_BITS) - 1);

export const PS_PER_NS = 1000;
export const nanoseconds = (ps: number): number => Math.floor(ps / PS_PER_NS);

/** Rows in memory: two typed views of one buffer. */
interface RowView {
  readonly doubles: Float64Array;
  readonly words: Uint32Array;
}

const viewRows = (memory: ArrayBuffer): RowView => ({
  doubles: new Float64Array(memory),
  words: new Uint32Array(memory),
});

const FEWEST_ROWS = 1 << 4;

export class DeviceRows {
  #memory: ArrayBuffer;
  #rows: RowView;
  #count = 0;
  /** Whether any row is an instruction or a packet. */
  hasWork = false;

  /** @param expected rows to reserve room for; more are possible */
  constructor(expected: number) {
    this.#memory = new ArrayBuffer(Math.max(FEWEST_ROWS, expected) * ROW_BYTES);
    this.#rows = viewRows(this.#memory);
  }

  add(start: number, duration: number, rank: number, detail: number, value: number, rest: number): void {
    if (this.#count * ROW_BYTES === this.#memory.byteLength) this.#makeRoom();
    const { doubles, words } = this.#rows;
    if (kindOf(rank) !== KIND.sample) this.hasWork = true;
    const double = this.#count * ROW_DOUBLES;
    const word = this.#count * ROW_WORDS;
    doubles[double + CELL.start] = start;
    doubles[double + CELL.duration] = duration;
    words[word + CELL.rank] = rank;
    words[word + CELL.detail] = detail;
    words[word + CELL.value] = value;
    words[word + CELL.rest] = rest;
    this.#count++;
  }

  /**
   * Sorts all rows by start in whole ns, then by the other fields of records. Equal rows stay in the order in which
   * they were added.
   */
  inOrder(): RowCursor {
    const { doubles, words } = this.#rows;
    const order = allRows(this.#count);
    const starts = new Float64Array(this.#count);
    for (let row = 0; row < starts.length; row++) {
      starts[row] = nanoseconds(doubles[row * ROW_DOUBLES + CELL.start] as number);
    }
    const durationOf = (row: number): number => nanoseconds(doubles[row * ROW_DOUBLES + CELL.duration] as number);
    const word = (row: number, cell: number): number => words[row * ROW_WORDS + cell] as number;
    sortRows(
      order,
      (a, b) =>
        (starts[a] as number) - (starts[b] as number) ||
        word(a, CELL.rank) - word(b, CELL.rank) ||
        durationOf(a) - durationOf(b) ||
        word(a, CELL.detail) - word(b, CELL.detail) ||
        word(a, CELL.value) - word(b, CELL.value),
    );
    return new RowCursor(this.#rows, order);
  }

  #makeRoom(): void {
    const larger = new ArrayBuffer(this.#memory.byteLength * 2);
    new Uint8Array(larger).set(new Uint8Array(this.#memory));
    this.#memory = larger;
    this.#rows = viewRows(larger);
  }
}

/** Iterates over sorted rows without copying them. */
export class RowCursor {
  row = -1;
  #next = 0;

  constructor(
    readonly view: RowView,
    private readonly order: Uint32Array,
  ) {}

  /** Number of rows. */
  get length(): number {
    return this.order.length;
  }

  /** Advances to the next row; false when there is none. */
  next(): boolean {
    if (this.#next === this.order.length) return false;
    this.row = this.order[this.#next++] as number;
    return true;
  }
}
