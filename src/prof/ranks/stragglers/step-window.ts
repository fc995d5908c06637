/**
 * Ranks that are slow from some step on, or up to one: the stretch at the end or the begin of the steps whose places are
 * least likely by chance. Its probability counts for all stretches that were tried (Bonferroni).
 */
import { chanceOf, leastChance, type StepPlaces } from './rank-sum-test.js';

export interface StepWindow {
  readonly columns: readonly number[];
  /** Whether it is the end of the steps, and not the begin. */
  readonly isEnd: boolean;
  /** Of places as high in any of the stretches. */
  readonly p: number;
}

/** @returns null where there are too few steps to tell any stretch from chance */
export function changeOf({ columns, places, sizes }: StepPlaces, rate: number): StepWindow | null {
  const tried = 2 * (columns.length - 1);
  if (tried < 1 || tried * leastChance(sizes.slice(1)) > rate) return null;
  let best: StepWindow | null = null;
  for (let cut = 1; cut < columns.length; cut++)
    for (const isEnd of [true, false]) {
      const [from, to] = isEnd ? [cut, columns.length] : [0, cut];
      const p = Math.min(1, tried * chanceOf(places.slice(from, to), sizes.slice(from, to)));
      if (best === null || p < best.p) best = { columns: columns.slice(from, to), isEnd, p };
    }
  return best;
}
