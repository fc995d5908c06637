/** Times further from a profile's start than 52 days are damaged: a double holds the difference of any two others exactly. */
export const FARTHEST = 2 ** 52;

/** Whether a time or duration in ns is exact; not if it is NaN. */
export const isNear = (time: number): boolean => Math.abs(time) <= FARTHEST;
