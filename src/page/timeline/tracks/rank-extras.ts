/** Tracks and marks of ranks on their common axis. */
import { inProfile, onAxis, type LaneRank } from '../events/coverage.js';
import { NO_EXTRAS, type TimelineExtras } from './load-tracks.js';
import type { Track } from './track.js';

/** Tracks and marks that are drawn for a rank in addition to its events, in times of its piece. */
export interface RankExtras {
  readonly rank: LaneRank;
  /** Start of its piece, in ns from its profile's start. */
  readonly origin: number;
  readonly extras: TimelineExtras;
}

/** @param name name of the rank. @returns the group name that its lanes have */
export const rankGroup = (name: string, group: string): string => `${name} · ${group}`;

/**
 * @param from start of the axis.
 * @param mainName name of the rank whose steps are marked, because those of other ranks would overlap them
 */
export function extrasOnAxis(parts: readonly RankExtras[], from: number, mainName: string): TimelineExtras {
  const all = parts.map((part) => movedExtras(part, from, mainName));
  const sum = (countOf: (leftOut: TimelineExtras['leftOut']) => number): number =>
    all.reduce((total, { leftOut }) => total + countOf(leftOut), 0);
  return {
    ...NO_EXTRAS,
    tracks: all.flatMap(({ tracks }) => tracks),
    marks: all.flatMap(({ marks }) => marks).sort((a, b) => a.start - b.start || a.end - b.end),
    leftOut: {
      tracks: sum(({ tracks }) => tracks),
      marks: sum(({ marks }) => marks),
      zero: sum(({ zero }) => zero),
    },
    untimed: all.flatMap(({ untimed }) => untimed),
  };
}

function movedExtras({ rank, origin, extras }: RankExtras, from: number, mainName: string): TimelineExtras {
  const { name, clock } = rank;
  const toAxis = (time: number): number => onAxis(clock, origin + time) - from;
  const toOwn = (time: number): number => inProfile(clock, from + time) - origin;
  const marks = extras.marks.filter(({ kind }) => kind !== 'step' || name === mainName);
  return {
    tracks: extras.tracks.map((track) => movedTrack(track, name, toAxis, toOwn)),
    marks: marks.map((mark) => ({
      ...{ kind: mark.kind, device: mark.device, start: toAxis(mark.start), end: toAxis(mark.end) },
      text: `${name}: ${mark.text}`,
    })),
    leftOut: extras.leftOut,
    untimed: extras.untimed.map((text) => `${name}: ${text}`),
  };
}

type MovedTime = (time: number) => number;

function movedTrack(track: Track, rank: string, toAxis: MovedTime, toOwn: MovedTime): Track {
  const { kind, group, name, unit, scale, drawn, about, heldAt } = track;
  const onBoth = ([from, to]: readonly [number, number]): readonly [number, number] => [toAxis(from), toAxis(to)];
  return {
    ...{ kind, group: rankGroup(rank, group), name, unit, scale, drawn, about },
    rangeOf: (from, to) => track.rangeOf(toOwn(from), toOwn(to)),
    around: (time) => {
      const [from, to] = track.around(toOwn(time));
      // An instant must stay an instant despite rounding.
      return from === to ? [time, time] : onBoth([from, to]);
    },
    heldAt: heldAt === null ? null : (time) => onBoth(heldAt(toOwn(time))),
  };
}
