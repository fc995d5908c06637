/** Damage that knows nothing of formats. */
import type { Random } from '../random.js';

/** Bytes of the largest insertion. */
const LONGEST_INSERTION = 4096;

/** A place within the range, and how many bytes from there on. */
interface Range {
  readonly from: number;
  readonly to: number;
}

function rangeIn(random: Random, { from, to }: Range): Range {
  const start = from + random.below(to - from);
  return { from: start, to: Math.min(to, start + random.few(random.chance(0.1) ? to - start : 256)) };
}

type Damage = (bytes: Buffer, within: Range, random: Random) => Buffer;

const flipBits: Damage = (bytes, { from, to }, random) => {
  for (let n = random.few(16); n > 0; n--) {
    const at = from + random.below(to - from);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  }
  return bytes;
};

const overwrite: Damage = (bytes, within, random) => {
  const { from, to } = rangeIn(random, within);
  const fill = random.below(3);
  if (fill === 2) random.bytes(to - from).copy(bytes, from);
  else bytes.fill(fill === 0 ? 0 : 0xff, from, to);
  return bytes;
};

const truncate: Damage = (bytes, { from, to }, random) => bytes.subarray(0, from + random.below(to - from));

const insert: Damage = (bytes, { from, to }, random) => {
  const at = from + random.below(to - from);
  const length = random.few(LONGEST_INSERTION);
  const inserted = random.chance(0.5) ? random.bytes(length) : Buffer.alloc(length, random.chance(0.5) ? 0 : 0xff);
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
};

const repeat: Damage = (bytes, within, random) => {
  const { from, to } = rangeIn(random, within);
  return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
};

const remove: Damage = (bytes, within, random) => {
  const { from, to } = rangeIn(random, within);
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
};

const move: Damage = (bytes, within, random) => {
  const { from, to } = rangeIn(random, within);
  bytes.copyWithin(within.from + random.below(within.to - within.from), from, to);
  return bytes;
};

/** A number of 2, 4 or 8 bytes: a length or a place, where one stands there. */
const writeNumber: Damage = (bytes, { from, to }, random) => {
  const width = random.of([2, 4, 8]);
  const at = from + random.below(to - from);
  if (at + width > bytes.length) return bytes;
  const value = Buffer.alloc(8);
  value.writeBigUInt64LE(random.number());
  value.copy(bytes, at, 0, width);
  return bytes;
};

const DAMAGES: readonly [Damage, ...Damage[]] = [
  flipBits,
  overwrite,
  truncate,
  insert,
  repeat,
  remove,
  move,
  writeNumber,
];

/**
 * Damages bytes once to four times.
 * @param bytes may be changed
 * @param within where; the whole when not given
 */
export function damage(bytes: Buffer, random: Random, within?: Range): Buffer {
  let damaged = bytes;
  for (let n = random.few(4); n > 0 && damaged.length > 0; n--) {
    const to = Math.min(within?.to ?? damaged.length, damaged.length);
    const from = Math.min(within?.from ?? 0, to - 1);
    damaged = random.of(DAMAGES)(damaged, { from, to }, random);
  }
  return damaged;
}
