/**
 * The coverage of a timeline: the ranks of its lanes, how their clocks relate to the axis, and a description of the
 * covered part of a profile.
 */
import { isThread, type PackedTimeline, type Lane } from '../../../prof/html/timeline/timeline-data.js';
import { quantityText } from '../../document/units.js';
import { counted } from '../../../record/plural.js';
import type { View } from '../model/view.js';
import { elementAt } from '../../../containers/element.js';

/** Converts a time t of a profile, in ns from its start, to shift + rate × t on the axis. */
export interface ClockLine {
  readonly shift: number;
  readonly rate: number;
}

export interface LaneRank {
  /** Name such as 'rank 3'. */
  readonly name: string;
  /** Index of its profile on the page. */
  readonly profile: number;
  readonly clock: ClockLine;
}

export interface LaneRanks {
  readonly ranks: readonly LaneRank[];
  /** For each lane, its index in `ranks`. */
  readonly ofLane: Uint32Array;
  /** Name of the rank whose start is the zero point of the axis. */
  readonly zero: string;
}

/** Lanes of events, and ranks of lanes. */
export interface RankedLanes {
  readonly lane: Uint32Array;
  readonly ranks: LaneRanks | null;
}

export const onAxis = ({ shift, rate }: ClockLine, time: number): number => shift + rate * time;
export const inProfile = ({ shift, rate }: ClockLine, time: number): number => (time - shift) / rate;

/** The rank of an event; null when the timeline shows a single profile. */
export function rankOf({ ranks, lane }: RankedLanes, event: number): LaneRank | null {
  if (ranks === null) return null;
  return ranks.ranks[ranks.ofLane[elementAt(lane, event)] ?? 0] ?? null;
}

/** The owner of the axis's zero point: "the profile's", "rank 0's". */
export const whoseStart = ({ ranks }: Pick<RankedLanes, 'ranks'>): string =>
  ranks === null ? "the profile's" : `${ranks.zero}'s`;

/** Groups of threads, which are initially collapsed when several ranks are shown. */
export function groupsOfThreads({ ranks }: Pick<RankedLanes, 'ranks'>, lanes: readonly Lane[]): ReadonlySet<string> {
  if (ranks === null || ranks.ranks.length < 2) return new Set();
  return new Set(lanes.flatMap((lane) => (isThread(lane) ? [lane.group] : [])));
}

/**
 * @param what name of the piece
 * @param zero name of the rank whose start is the zero point of the axis
 * @param merged for each rank, what its bars represent; null when each event is drawn
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
        : `of ${whose}, ${texts.size === 1 ? only : 'short neighbouring events are merged into one bar, named after the longest'}`,
  };
}

export interface TimelineCoverage {
  /** The drawn part and its time. */
  readonly drawn: string;
  /** What bars represent; null when each event is drawn individually. */
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
        : `neighbouring events shorter than ${time(merged.resolution)} are merged into one bar, named after the longest`,
  };
}
