/**
 * Fits a line to points with outliers: the median of slopes between medians of bins, then the median of the residuals.
 *
 * Sources: H. Theil, "A rank-invariant method of linear and polynomial regression analysis", Indag. Math. 12 (1950); P. K.
 * Sen, "Estimates of the regression coefficient based on Kendall's tau", J. Am. Stat. Assoc. 63 (1968) 1379-1389.
 */
import { elementAt } from '../../../containers/element.js';
import { median } from '../../../record/statistics.js';

export interface Line {
  readonly offset: number;
  /** Null when there are too few points to determine the slope; the line is then horizontal. */
  readonly slope: number | null;
}

/** Maximum number of bins with equally many points; slopes between all pairs of bins are compared. */
const MOST_BINS = 32;
/** Minimum number of points to determine a slope. */
export const FEWEST_POINTS = 6;

/**
 * @param xs in any order, matching `ys`; at least one
 * @param sloped whether the line may have a slope
 * @param order sort order of the xs, from `orderOf`; it can be shared by several lines over the same xs
 */
export function robustLine(xs: Float64Array, ys: Float64Array, sloped = true, order = orderOf(xs)): Line {
  const slope = sloped && xs.length >= FEWEST_POINTS ? slopeOf(xs, ys, order) : null;
  const rest = slope === null ? ys : ys.map((y, i) => y - slope * elementAt(xs, i));
  return { offset: median(rest) ?? 0, slope };
}

/** Indices in ascending order of the values. */
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

/** Slopes between all pairs of points, which are in ascending order of x. */
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
