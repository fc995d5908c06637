/** How good clocks are: how far ends of one operation are apart, and what cannot be. One pass over all operations. */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { median } from '../../../record/statistics.js';
import type { ClockFits } from './clock-fits.js';
import type { Observations } from './observations.js';

export interface ClockQuality {
  /** Median distance of the rank's ends from the median of all, ns. */
  readonly residual: number | null;
  /**
   * How far the clock could be off at most, the others held: no rank can end an operation before the last one has joined.
   * ns; null where operations contradict each other.
   */
  readonly bound: number | null;
  readonly operations: number;
}

interface OpenQuality {
  readonly distances: number[];
  /** How much earlier, and later, the clock could be. */
  early: number;
  late: number;
}

/** By part. */
export function qualitiesOf(all: readonly Observations[], fits: ClockFits): Map<number, ClockQuality> {
  const open = new Map<number, OpenQuality>();
  for (const observations of all)
    for (let row = 0; row < observations.count; row++) addRow(open, observations, row, fits);
  return new Map(
    [...open].map(([part, { distances, early, late }]) => [
      part,
      {
        residual: median(distances),
        // No clock is possible where some operation would end before all have joined, wherever it is put.
        bound: distances.length === 0 || early + late < 0 ? null : Math.max(early, late),
        operations: distances.length,
      },
    ]),
  );
}

function addRow(
  open: Map<number, OpenQuality>,
  { parts, starts, ends }: Observations,
  row: number,
  fits: ClockFits,
): void {
  const members = parts.flatMap((part, column) => {
    const at = row * parts.length + column;
    const [start, end] = [elementAt(starts, at), elementAt(ends, at)];
    return Number.isNaN(end) || !fits.isPlaced(part)
      ? []
      : [{ part, start: fits.time(part, start), end: fits.time(part, end) }];
  });
  if (members.length < 2) return;
  const common = median(members.map(({ end }) => end)) ?? NaN;
  const lastStart = twoLargest(members.map(({ start }) => start));
  const firstEnd = twoLargest(members.map(({ end }) => -end));
  for (const [index, { part, start, end }] of members.entries()) {
    const quality = entryOf(open, part, () => ({ distances: [], early: Infinity, late: Infinity }));
    quality.distances.push(Math.abs(end - common));
    quality.late = Math.min(quality.late, -firstEnd.without(index) - start);
    quality.early = Math.min(quality.early, end - lastStart.without(index));
  }
}

/** The largest of the values without one of them. */
function twoLargest(values: readonly number[]): { readonly without: (index: number) => number } {
  let [first, second, at] = [-Infinity, -Infinity, -1];
  for (const [index, value] of values.entries()) {
    if (value > first) [second, first, at] = [first, value, index];
    else if (value > second) second = value;
  }
  return { without: (index) => (index === at ? second : first) };
}
