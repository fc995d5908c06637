/** FBGEMM's enumerations, which its ops have as numbers (embedding_common.h). */

/** SparseType; the rest are quantised. */
const OUTPUT_TYPES: Readonly<Record<number, string>> = { 0: 'float32', 1: 'float16', 5: 'bfloat16' };

/** The type that a number of FBGEMM's SparseType stands for; null where it is unspecified, or quantised. */
export const sparseType = (number: number | null): string | null =>
  (number === null ? undefined : OUTPUT_TYPES[number]) ?? null;

/** PoolingMode: rows are copied one by one. */
export const NO_POOLING = 2;
