/** Spatial dimensions by an op's name. */

/** `max_pool3d` → 3, `upsample_bilinear2d` → 2; 2 where the name has none. */
export const rankInName = (op: string): number => Number(/([123])d/.exec(op)?.[1] ?? 2);
