/** Hashes of 32 bits for tables of integers. */

/** 2^32 over the golden ratio: spreads numbers that stand close together. */
const SPREAD = 0x9e3779b1;

/** The hash of one integer more. */
export function mixed(hash: number, value: number): number {
  const product = Math.imul(hash ^ value, SPREAD);
  return product ^ (product >>> 15);
}
