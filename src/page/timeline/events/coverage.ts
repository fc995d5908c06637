/**
 * What a timeline draws: the ranks of its lanes and how their clocks lie to the axis, and in words the part of a
 * profile that it covers.
 */
import type { PackedTimeline, Lane } from '../../../prof/html/timeline/timeline-data.js';
import { quantityText } from '../../document/units.js';
import { counted } from '../../../record/plural.js';
import type { View } from '../model/view.js';
import { elementAt } from '../../../containers/element.js';

/** A time t of a profile, ns from its start, is shift + rate × t on the axis. */
export interface ClockLine {
  readonly shift: number;
  readonly rate: number;
}

export interface LaneRank {
  /** 'rank 3'. */
  readonly name: string;
  /** Index of its profile in the page. */
  readonly profile: number;
  readonly clock: ClockLine;
}

export interface LaneRanks {
  readonly ranks: readonly LaneRank[];
  /** By lane: place in `ranks`. */
  readonly ofLane: Uint32Array;
  /** Name of the rank from whose start the times of the axis count. */
  readonly zero: string;
}

/** Events by their lanes, and ranks by these. */
export interface RankedLanes {
  readonly lane: Uint32Array;
  readonly ranks: LaneRanks | null;
}

export const onAxis = ({ shift, rate }: ClockLine, time: number): number => shift + rate * time;
export const inProfile = ({ shift, rate }: ClockLine, time: number): number => (time - shift) / rate;

/** The rank of an event; null where the timeline is of one profile. */
export function rankOf({ ranks, lane }: RankedLanes, event: number): LaneRank | null {
  if (ranks === null) return null;
  return ranks.ranks[ranks.ofLane[elementAt(lane, event)] ?? 0] ?? null;
}

/** Whose start is the zero of the axis: "the profile's", "rank 0's". */
export const whoseStart = ({ ranks }: Pick<RankedLanes, 'ranks'>): string =>
  ranks === null ? "the profile's" : `${ranks.zero}'s`;

/** Groups of threads, which are collapsed at first where several ranks are shown. */
export function groupsOfThreads({ ranks }: Pick<RankedLanes, 'ranks'>, lanes: readonly Lane[]): ReadonlySet<string> {
  if (ranks === null || ranks.ranks.length < 2) return new Set();
  return new Set(lanes.flatMap(({ kind, group }) => (kind === 'host' ? [group] : [])));
}

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
