/** What part of a profile a timeline draws, in words: figures of a selection cover no more than that. */
import type { PackedTimeline } from '../../../prof/html/timeline/timeline-data.js';
import { quantityText } from '../../document/units.js';

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
