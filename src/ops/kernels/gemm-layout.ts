/** The layout of a matrix product's factors, from the name of its kernel. */

/** Whether BLAS, which is column-major, transposes each factor of a row-major product left · right. */
export interface GemmLayout {
  /** The right factor of the framework, which is the first one of BLAS. */
  readonly right: boolean;
  readonly left: boolean;
}

/** `sgemm_128x128_tn`: the first and the second factor of BLAS. */
const LETTERS = /gemm\w*?_([nt])([nt])(?:_|\b)/;

/** Tensile's index notation: `Alik` is transposed, `Ailk` is not; `Bjlk` is transposed, `Bljk` is not. */
const INDICES = /^Cijk_A(il|li)k_B(lj|jl)k_/;

/** Null when the name does not contain it. */
export function gemmLayout(kernel: string): GemmLayout | null {
  const [, first, second] = LETTERS.exec(kernel) ?? [];
  if (first !== undefined) return { right: first === 't', left: second === 't' };
  const [, a, b] = INDICES.exec(kernel) ?? [];
  return a === undefined ? null : { right: a === 'li', left: b === 'jl' };
}
