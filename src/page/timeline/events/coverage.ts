/** What part of a profile a timeline draws, in words: figures of a selection cover no more than that. */
import type { PackedTimeline } from '../../../prof/html/timeline/timeline-data.js';
import { quantityText } from '../../document/units.js';
import { counted } from '../../../record/plural.js';
import type { View } from '../model/view.js';

/**
 * @param what name of the piece
 * @param zero name of the rank from whose start the axis counts
 * @param merged of each rank what its bars stand for; null where each event is drawn
 */
export function joinedCoverage(
  what: string,
  { from, to }: View,
  zero: string,
  merged: readonly (string | null)[],
): TimelineCoverage {
  const ranks = counted(merged.length, 'rank');
  const texts = new Set(merged.filter((text) => text !== null));
  const count = merged.filter((text) => text !== null).length;
  const [only] = texts;
  const whose = count === merged.length ? 'all ranks' : `${count} of the ranks`;
  return {
    drawn: `${what} of ${ranks}, ${quantityText(from, 'ns')} to ${quantityText(to, 'ns')} from ${zero}'s start`,
    merged:
      only === undefined
        ? null
        : `of ${whose}, ${texts.size === 1 ? only : 'short neighbours are one bar, with the name of the longest'}`,
  };
}

export interface TimelineCoverage {
  /** What is drawn, from when to when. */
  readonly drawn: string;
  /** What bars stand for; null where each event is drawn by itself. */
  readonly merged: string | null;
}

export function coverageOf({
  what,
  start,
  end,
  merged,
}: Pick<PackedTimeline, 'what' | 'start' | 'end' | 'merged'>): TimelineCoverage {
  const time = (ns: number): string => quantityText(ns, 'ns');
  return {
    drawn: `${what}, ${time(start)} to ${time(end)} from the profile's start`,
    merged:
      merged === null || merged.resolution === 0
        ? null
        : `neighbours shorter than ${time(merged.resolution)} are one bar, with the name of the longest`,
  };
}
