/**
 * Activities of a device as rows of 32 bytes: a capture of gigabytes has tens of millions of them, which are not in
 * order of time.
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

export const ROW_BYTES = 32;
/** Size of a row in words of 8 bytes and of 4. */
export const ROW_DOUBLES = 4;
export const ROW_WORDS = 8;

/** Cells of a row: start and duration among its doubles, the others among its words. */
export const CELL = { start: 0, duration: 1, rank: 4, detail: 5, value: 6, rest: 7 } as const;
/** Duration of a row that ends before it starts. */
export const NO_DURATION = -1;

/** Kinds of rows, in the order of records of one start. */
export const KIND = { instruction: 0, packet: 1, sample: 2 } as const;
/** Kinds of samples, in place of a stream. */
export const SAMPLE = { semaphore: 0, throttle: 1 } as const;

const QUEUE_BITS = 4;
const STREAM_BITS = 8;
const DEVICE_BITS = 16;
const DEVICE_SHIFT = QUEUE_BITS + STREAM_BITS;
const KIND_SHIFT = DEVICE_SHIFT + DEVICE_BITS;

/** Number of device ids that a row can hold. */
export const MAX_DEVICES = 1 << DEVICE_BITS;

/** The part of a rank that is constant within a section. */
export const rankOf = (kind: number, device: number): number => ((kind << KIND_SHIFT) | (device << DEVICE_SHIFT)) >>> 0;

/** The part of a rank that varies within a section. */
export const rankWithin = (stream: number, queue: number): number => (stream << QUEUE_BITS) | queue;

export const kindOf = (rank: number): number => rank >>> KIND_SHIFT;
export const deviceOf = (rank: number): number => (rank >>> DEVICE_SHIFT) & (MAX_DEVICES - 1);
export const streamOf = (rank: number): number => (rank >>> QUEUE_BITS) & ((1 << STREAM_BITS) - 1);
export const queueOf = (rank: number): number => rank & ((1 << QUEUE_BITS) - 1);

export const PS_PER_NS = 1000;
export const nanoseconds = (ps: number): number => Math.floor(ps / PS_PER_NS);

/** Rows in memory: two typed views of one buffer. */
export interface RowView {
  readonly doubles: Float64Array;
  readonly words: Uint32Array;
}

export const viewRows = (memory: ArrayBuffer): RowView => ({
  doubles: new Float64Array(memory),
  words: new Uint32Array(memory),
});

/** Start of a row, ns. */
export const startOf = ({ doubles }: RowView, row: number): number =>
  nanoseconds(doubles[row * ROW_DOUBLES + CELL.start] as number);

/** Compares two rows by the fields that records show, with times in ns; 0 for rows whose records are identical. */
export function compareRows(a: RowView, rowA: number, b: RowView, rowB: number): number {
  const [doubleA, doubleB, wordA, wordB] = [rowA * ROW_DOUBLES, rowB * ROW_DOUBLES, rowA * ROW_WORDS, rowB * ROW_WORDS];
  return (
    nanoseconds(a.doubles[doubleA + CELL.start] as number) - nanoseconds(b.doubles[doubleB + CELL.start] as number) ||
    (a.words[wordA + CELL.rank] as number) - (b.words[wordB + CELL.rank] as number) ||
    nanoseconds(a.doubles[doubleA + CELL.duration] as number) -
      nanoseconds(b.doubles[doubleB + CELL.duration] as number) ||
    (a.words[wordA + CELL.detail] as number) - (b.words[wordB + CELL.detail] as number) ||
    (a.words[wordA + CELL.value] as number) - (b.words[wordB + CELL.value] as number)
  );
}
