/** Times further from a profile's start than 52 days are damaged: a double holds the difference of any two others exactly. */
export const FARTHEST = 2 ** 52;

/** Whether a time or duration in ns is exact; not if it is NaN. */
export const isNear = (time: number): boolean => Math.abs(time) <= FARTHEST;

/** Times of a profile that are looked at to know where most of them are. */
export const TIMES_READ = 101;

/** The middle one of some times: one that is damaged does not change it much. Undefined without any. */
export function middleOf<T extends number | bigint>(times: readonly T[]): T | undefined {
  return [...times].sort((a, b) => (a < b ? -1 : Number(a > b)))[times.length >> 1];
}
