/** Damage of a disk: whole sectors lost, or in the place of others. */
import type { Mutation } from '../input.js';
import type { Random } from '../random.js';

/** Bytes of the smallest sector of disks. */
export const SECTOR = 512;

/** @returns a copy with one sector zero */
export function zeroed(bytes: Buffer, at: number, size = SECTOR): Buffer {
  return Buffer.from(bytes).fill(0, at, Math.min(at + size, bytes.length));
}

/** @returns a copy in which the sector behind a sector is the same as that */
export function doubled(bytes: Buffer, at: number, size = SECTOR): Buffer {
  const copy = Buffer.from(bytes);
  bytes.copy(copy, at + size, at, Math.min(at + size, bytes.length));
  return copy;
}

/** @returns a copy with two sectors in each other's place */
function swapped(bytes: Buffer, one: number, other: number, size: number): Buffer {
  const copy = Buffer.from(bytes);
  bytes.copy(copy, one, other, Math.min(other + size, bytes.length));
  bytes.copy(copy, other, one, Math.min(one + size, bytes.length));
  return copy;
}

function place(bytes: Buffer, random: Random, size: number): number {
  return size * random.below(Math.ceil(bytes.length / size));
}

const sizeOf = (random: Random): number => random.of([SECTOR, 4096]);

export const BLOCK_MUTATIONS: Readonly<Record<string, Mutation>> = {
  'sector zeroed': (bytes, random) => {
    const size = sizeOf(random);
    return { bytes: zeroed(bytes, place(bytes, random, size), size) };
  },
  'sector doubled': (bytes, random) => {
    const size = sizeOf(random);
    return { bytes: doubled(bytes, place(bytes, random, size), size) };
  },
  'sectors swapped': (bytes, random) => {
    const size = sizeOf(random);
    return { bytes: swapped(bytes, place(bytes, random, size), place(bytes, random, size), size) };
  },
  cut: (bytes, random) => ({ bytes: bytes.subarray(0, random.below(bytes.length)) }),
  'cut at a sector': (bytes, random) => ({ bytes: bytes.subarray(0, place(bytes, random, sizeOf(random))) }),
};
