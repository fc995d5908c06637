/** The two inputs of a comparison. */
export interface Pair<T> {
  readonly base: T;
  readonly new: T;
}
export type Which = keyof Pair<unknown>;

/** The inputs, for people. */
export const NAMES = { base: 'BASE', new: 'NEW' } as const;

/** Times of some kernels by sample, ns. */
export type Times = Pair<Float64Array>;
