/**
 * A line through points of which some are far off: the median of slopes between medians of bins, then the median of what
 * is left.
 *
 * Sources: H. Theil, "A rank-invariant method of linear and polynomial regression analysis", Indag. Math. 12 (1950);
 * P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau", J. Am. Stat. Assoc. 63 (1968) 1379-1389.
 */
import { elementAt } from '../../../containers/element.js';
import { median } from '../../../record/statistics.js';

export interface Line {
  readonly offset: number;
  /** Null where the points are too few to tell: the line is then level. */
  readonly slope: number | null;
}

/** Bins of equally many points: slopes between all pairs of them are compared. */
const MOST_BINS = 32;
/** Fewer say nothing of a slope. */
export const FEWEST_POINTS = 6;

/**
 * @param xs in any order, as `ys`; at least one
 * @param sloped whether the line may have a slope
 */
export function robustLine(xs: Float64Array, ys: Float64Array, sloped = true): Line {
  const slope = sloped && xs.length >= FEWEST_POINTS ? slopeOf(xs, ys) : null;
  const rest = slope === null ? ys : ys.map((y, i) => y - slope * elementAt(xs, i));
  return { offset: median(rest) ?? 0, slope };
}

function slopeOf(xs: Float64Array, ys: Float64Array): number | null {
  const order = Uint32Array.from(xs, (_, i) => i).sort((a, b) => elementAt(xs, a) - elementAt(xs, b));
  const bins = Math.min(MOST_BINS, xs.length);
  const points = Array.from({ length: bins }, (_, bin) => {
    const part = order.subarray(Math.floor((bin * xs.length) / bins), Math.floor(((bin + 1) * xs.length) / bins));
    const middleOf = (values: Float64Array): number =>
      median(Float64Array.from(part, (i) => elementAt(values, i))) ?? 0;
    return { x: middleOf(xs), y: middleOf(ys) };
  });
  const slopes = points.flatMap((a, i) =>
    points.slice(i + 1).flatMap((b) => (b.x > a.x ? [(b.y - a.y) / (b.x - a.x)] : [])),
  );
  return median(slopes);
}
