/** Ranks of a timeline that shows several: whose each lane is, and how its times lie to those of the axis. */
import { elementAt } from '../../../containers/element.js';
import type { TimelineEvents } from './events.js';

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

export const onAxis = ({ shift, rate }: ClockLine, time: number): number => shift + rate * time;
export const inProfile = ({ shift, rate }: ClockLine, time: number): number => (time - shift) / rate;

/** The rank of an event; null where the timeline is of one profile. */
export function rankOf({ ranks, lane }: Pick<TimelineEvents, 'ranks' | 'lane'>, event: number): LaneRank | null {
  if (ranks === null) return null;
  return ranks.ranks[ranks.ofLane[elementAt(lane, event)] ?? 0] ?? null;
}

/** Whose start is the zero of the axis: "the profile's", "rank 0's". */
export const whoseStart = ({ ranks }: Pick<TimelineEvents, 'ranks'>): string =>
  ranks === null ? "the profile's" : `${ranks.zero}'s`;

/** Groups of threads, which are collapsed at first where several ranks are shown. */
export function groupsOfThreads({ ranks, lanes }: Pick<TimelineEvents, 'ranks' | 'lanes'>): ReadonlySet<string> {
  if (ranks === null || ranks.ranks.length < 2) return new Set();
  return new Set(lanes.flatMap(({ kind, group }) => (kind === 'host' ? [group] : [])));
}
