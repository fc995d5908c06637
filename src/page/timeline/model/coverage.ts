/** What part of a profile a timeline draws, in words: figures of a selection cover no more than that. */
import type { Timeline } from '../../../prof/html/page-data.js';
import { quantityText } from '../../document/units.js';

export interface TimelineCoverage {
  /** What is drawn, from when to when. */
  readonly drawn: string;
  /** Work before and after the chosen span; null where there is none. */
  readonly outside: string | null;
  /** Where the chosen span is cut, and what is left out; null where it is whole. */
  readonly cut: string | null;
}

const counted = (count: number | null): string => (count === null ? 'an unknown number' : quantityText(count, 'count'));

export function coverageOf({ what, start, end, leftOut, activities }: Timeline): TimelineCoverage {
  const time = (ns: number): string => quantityText(ns, 'ns');
  const { outside } = activities;
  return {
    drawn: `${what}, ${time(start)} to ${time(end)} from the profile's start`,
    outside: outside === 0 ? null : `${counted(outside)} of the activities of devices lie before or after: not drawn`,
    cut:
      leftOut === 0
        ? null
        : `cut at ${time(end)}: ${counted(leftOut)} of the events left out, ` +
          `${counted(activities.leftOut)} of them activities of devices`,
  };
}
