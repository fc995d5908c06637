/** Histograms with bins of equal width, for text and for the charts of pages. */
import { quantile } from './statistics.js';

export interface HistogramBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const MOST_BINS = 40;

/** 1, 2 or 5 times a power of ten, at least the given width. */
function roundWidth(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width));
  return power * ([1, 2, 5, 10].find((step) => step * power >= width * (1 - 1e-9)) ?? 10);
}

/**
 * Bins of equal, round width; the last includes its upper end. Equal values make one bin, which is about a hundredth of
 * them wide. Width: Freedman and Diaconis, On
 * the histogram as a density estimator (1981): twice the interquartile range divided by the cube root of the count.
 */
export function binsOf(values: readonly number[]): HistogramBin[] {
  const ordered = values.filter(Number.isFinite).sort((a, b) => a - b);
  const least = ordered[0];
  const most = ordered.at(-1);
  if (least === undefined || most === undefined) return [];
  const quartiles = (quantile(ordered, 0.75) ?? most) - (quantile(ordered, 0.25) ?? least);
  const wanted = (2 * quartiles) / Math.cbrt(ordered.length) || (most - least) / 10 || Math.abs(most) / 100 || 1;
  const width = roundWidth(Math.max(wanted, (most - least) / MOST_BINS));
  const first = Math.floor(least / width);
  const counts = Array.from({ length: Math.max(1, Math.ceil(most / width) - first) }, () => 0);
  for (const value of ordered) {
    const at = Math.min(counts.length - 1, Math.floor(value / width) - first);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts.map((count, i) => ({ from: (first + i) * width, to: (first + i + 1) * width, count }));
}
