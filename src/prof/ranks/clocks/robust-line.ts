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
  /** Null where the points are too few to know it: the line is then level. */
  readonly slope: number | null;
}

/** Bins of equally many points: slopes between all pairs of them are compared. */
const MOST_BINS = 32;
/** Fewer say nothing of a slope. */
export const FEWEST_POINTS = 6;

/**
 * @param xs in any order, as `ys`; at least one
 * @param sloped whether the line may have a slope
 * @param order of the xs, as `orderOf` has it: several lines over the same xs have the same
 */
export function robustLine(xs: Float64Array, ys: Float64Array, sloped = true, order = orderOf(xs)): Line {
  const slope = sloped && xs.length >= FEWEST_POINTS ? slopeOf(xs, ys, order) : null;
  const rest = slope === null ? ys : ys.map((y, i) => y - slope * elementAt(xs, i));
  return { offset: median(rest) ?? 0, slope };
}

/** Indices in rising order of the values. */
export const orderOf = (values: Float64Array): Uint32Array =>
  Uint32Array.from(values, (_, i) => i).sort((a, b) => elementAt(values, a) - elementAt(values, b));

function slopeOf(xs: Float64Array, ys: Float64Array, order: Uint32Array): number | null {
  const bins = Math.min(MOST_BINS, xs.length);
  const [x, y] = [new Float64Array(bins), new Float64Array(bins)];
  for (let bin = 0; bin < bins; bin++) {
    const part = order.subarray(Math.floor((bin * xs.length) / bins), Math.floor(((bin + 1) * xs.length) / bins));
    const middleOf = (values: Float64Array): number =>
      median(Float64Array.from(part, (i) => elementAt(values, i))) ?? 0;
    [x[bin], y[bin]] = [middleOf(xs), middleOf(ys)];
  }
  return median(slopesBetween(x, y));
}

/** Between all pairs of points, in rising order of x. */
function slopesBetween(x: Float64Array, y: Float64Array): Float64Array {
  const slopes = new Float64Array((x.length * (x.length - 1)) / 2);
  let count = 0;
  for (let a = 0; a < x.length; a++)
    for (let b = a + 1; b < x.length; b++) {
      const apart = elementAt(x, b) - elementAt(x, a);
      if (apart > 0) slopes[count++] = (elementAt(y, b) - elementAt(y, a)) / apart;
    }
  return slopes.subarray(0, count);
}
