/** Hashes of 32 bits, to look things up in a `HashIndex`. */

/** 2^32 over the golden ratio: multiplying by it spreads neighbouring numbers (Knuth, TAOCP 3, 6.4). */
const GOLDEN = 0x9e3779b1;

const UINT32 = 2 ** 32;

/** A hash of what was hashed before and one 32-bit integer more; start with 0. */
export function mixed(hash: number, value: number): number {
  const product = Math.imul(hash ^ value, GOLDEN);
  return product ^ (product >>> 15);
}

/** A hash of what was hashed before and one number of up to 64 bits more; its fraction does not count. */
export const mixedNumber = (hash: number, value: number): number => mixed(hash, value ^ (value / UINT32));

/** A hash of what was hashed before and some bytes more. */
export function mixedBytes(hash: number, bytes: Uint8Array, begin: number, end: number): number {
  let all = hash ^ (end - begin);
  for (let at = begin; at < end; at++) all = mixed(all, bytes[at] as number);
  return all;
}
