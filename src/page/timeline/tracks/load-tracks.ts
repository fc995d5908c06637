/** The tracks and marks of a piece of a timeline, unpacked. */
import { plural } from '../../../record/plural.js';
import type { PackedTrack, Timeline, TimelineMark } from '../../../prof/html/timeline/timeline-data.js';
import { quantityText } from '../../document/units.js';
import { unpackColumn } from '../events/column-unpacking.js';
import type { TimelineEvents } from '../events/events.js';
import { busyTracks, FIRST, hostGroup } from './busy-tracks.js';
import { marksOf } from './marks.js';
import { NO_CONTEXT, type TimelineContext } from './timeline-context.js';
import { SampleTrack, type Track } from './track.js';

/** What a timeline draws besides events. */
export interface TimelineExtras {
  /** Of each group those that are shown first are first. */
  readonly tracks: readonly Track[];
  readonly marks: readonly TimelineMark[];
  /** What the page does not hold: series of samples and marks beyond the bounds, and series that are 0 all the time. */
  readonly leftOut: { readonly tracks: number; readonly marks: number; readonly zero: number };
  readonly untimed: readonly string[];
}

/** All that a timeline draws. */
export interface LoadedTimeline {
  readonly events: TimelineEvents;
  readonly extras: TimelineExtras;
}

export const NO_EXTRAS: TimelineExtras = {
  tracks: [],
  marks: [],
  leftOut: { tracks: 0, marks: 0, zero: 0 },
  untimed: [],
};

/** @throws Error with one line where a column cannot be read */
export async function loadExtras(
  timeline: Timeline,
  events: TimelineEvents,
  context: TimelineContext = NO_CONTEXT,
): Promise<TimelineExtras> {
  const { tracks, marks } = timeline;
  const sampled = await Promise.all(tracks.list.map((track) => loadTrack(track, events)));
  const busy = busyTracks(events, context.utilisation);
  // How busy a device was comes first, what it was busy with last.
  const isFirst = ({ name }: Track): boolean => FIRST.has(name);
  return {
    tracks: [...busy.filter(isFirst), ...sampled, ...busy.filter((track) => !isFirst(track))],
    marks: marksOf(events, marks.list, context.gaps, context.advice),
    leftOut: { tracks: tracks.leftOut, marks: marks.leftOut, zero: tracks.zero },
    untimed: context.untimed,
  };
}

/** Bytes that are in use, not moved. */
const IN_USE = /mem/;

async function loadTrack(packed: PackedTrack, { lanes, origin }: TimelineEvents): Promise<Track> {
  const { kind, name, metric, samples, width } = packed;
  const group = kind === 'host' ? hostGroup(lanes) : packed.group;
  const [at, values] = await Promise.all([unpackColumn(name, packed.at), unpackColumn(name, packed.values)]);
  if (at.length !== values.length) throw new Error(`${name}: of another length`);
  const unit = packed.unit === 'bytes' && IN_USE.test(metric) ? 'memory' : packed.unit;
  const count = `${quantityText(samples, 'count')} ${plural(samples, 'sample')}`;
  const about =
    width === 0
      ? `each of ${count}, which holds up to the next or to its stated end`
      : `lowest, highest and last of each ${quantityText(width, 'ns')}, of ${count}`;
  const times = Float64Array.from(at, (time) => time - origin);
  return new SampleTrack({ kind, group, name, unit, about }, times, new Float64Array(values), width, origin);
}
