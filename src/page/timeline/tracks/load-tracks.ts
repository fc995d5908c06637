/**
 * Unpacks the tracks and marks of a piece of a timeline, and computes the tracks of how busy its devices are. Times are ns
 * from the timeline's start.
 */
import { plural } from '../../../record/plural.js';
import {
  EVENT_KINDS,
  LAUNCHING,
  WORK_OF_KIND,
  isThread,
  type PackedTrack,
  type Timeline,
  type TimelineMark,
  type EventKind,
  type Lane,
} from '../../../prof/html/timeline/timeline-data.js';
import { quantityText } from '../../document/units.js';
import { unpackColumn } from '../events/column-unpacking.js';
import { durOf, isOnDevice, startOf, endOf, type TimelineEvents } from '../events/events.js';
import { NO_CONTEXT, type TimelineContext, type KernelAdvice } from './timeline-context.js';
import { SampleTrack, ShareTrack, type Track } from './track.js';
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { Utilisation } from '../../../prof/html/utilisation/utilisation-data.js';
import type { PageGap } from '../../../prof/html/idle/idle-data.js';
import { IDLE_NAMES } from '../../figures/shown-names.js';

/** Names of the kinds in a list of marks. */
export const MARK_NAMES: Readonly<Record<TimelineMark['kind'], string>> = {
  throttling: 'Throttling',
  missing: 'Work that is not in the profile',
  cut: 'End of the data that was read',
  gap: 'Longest gaps',
  advice: 'Kernels named in the advice',
  step: 'Steps',
};

function gapMark({ device, start, time, cause, host, before, after }: PageGap): TimelineMark {
  const [name] = IDLE_NAMES[cause];
  const where = host === null ? '' : `, the host in ${host}`;
  const text = `device ${device}, ${quantityText(time, 'ns')}: ${name}${where}; after ${before}, before ${after}`;
  return { kind: 'gap', start, end: start + time, device, text };
}

/** Marks only kernels that are drawn individually, because the page has no times of others. */
function adviceMarks(events: TimelineEvents, advice: readonly KernelAdvice[]): TimelineMark[] {
  if (events.merged !== null) return [];
  const texts = new Map<number, string[]>();
  for (const { text, kernels } of advice)
    for (const kernel of kernels) texts.set(kernel, [...(texts.get(kernel) ?? []), text]);
  if (texts.size === 0) return [];
  const marks: TimelineMark[] = [];
  for (let event = 0; event < events.count; event++) {
    const id = isOnDevice(events, event) ? elementAt(events.id, event) : 0;
    const found = id > 0 ? texts.get(id) : undefined;
    if (found === undefined) continue;
    const [start, end] = [startOf(events, event), endOf(events, event)];
    marks.push(...found.map((text): TimelineMark => ({ kind: 'advice', start, end, device: null, text })));
  }
  return marks;
}

/** @param list marks in ns from the profile's start, like gaps. @returns marks in order of start time */
function marksOf(
  events: TimelineEvents,
  list: readonly TimelineMark[],
  gaps: readonly PageGap[],
  advice: readonly KernelAdvice[],
): TimelineMark[] {
  const moved = [...list, ...gaps.map(gapMark)].map((mark) => ({
    ...mark,
    start: mark.start - events.origin,
    end: mark.end - events.origin,
  }));
  return [...moved, ...adviceMarks(events, advice)].sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Marks at a time, within `near` ns of it, the shortest first. */
export const marksAt = (marks: readonly TimelineMark[], time: number, near: number): TimelineMark[] =>
  marks
    .filter(({ start, end }) => start - near <= time && time <= end + near)
    .sort((a, b) => a.end - a.start - (b.end - b.start));

/** The group for host data: the only process, or else a separate group. */
function hostGroup(lanes: readonly Lane[]): string {
  const groups = new Set(lanes.flatMap((lane) => (isThread(lane) ? [lane.group] : [])));
  const [only] = groups;
  return groups.size === 1 && only !== undefined ? only : 'host';
}

type BusyPart = 'busy' | 'compute' | 'communication' | 'memory' | 'host';

/** Names of tracks by part, in order. */
const NAMES: Readonly<Record<BusyPart, string>> = {
  busy: 'busy',
  compute: 'computing',
  communication: 'communicating',
  memory: 'copies and memsets',
  host: LAUNCHING,
};
/** Names of the tracks that precede all others. */
const FIRST: ReadonlySet<string> = new Set([NAMES.busy, NAMES.host]);
const PARTS = Object.keys(NAMES) as BusyPart[];

/** The busy parts to which events of a kind contribute. */
function partsOf(kind: EventKind): readonly BusyPart[] {
  const work = WORK_OF_KIND[kind];
  if (work !== undefined) return ['busy', work];
  return kind === 'launch' ? ['host'] : [];
}

/** The union of events, which are added in order of start time. */
class Union {
  readonly #at: number[] = [0];
  readonly #sums: number[] = [0];
  #from = 0;
  #to = 0;
  #sum = 0;

  /** @param span end of the timeline */
  constructor(private readonly span: number) {}

  add(start: number, end: number): void {
    const [from, to] = [Math.max(0, start), Math.min(this.span, end)];
    if (to <= this.#to) return;
    if (from > this.#to) {
      this.#close();
      this.#from = from;
    }
    this.#to = to;
  }

  /** Times at which the union begins and ends, and its length in ns up to each of them. */
  end(): readonly [at: Float64Array, sums: Float64Array] {
    this.#close();
    if ((this.#at.at(-1) ?? 0) < this.span) this.#knot(this.span);
    return [Float64Array.from(this.#at), Float64Array.from(this.#sums)];
  }

  #close(): void {
    if (this.#to <= this.#from) return;
    if (this.#from > 0) this.#knot(this.#from);
    this.#sum += this.#to - this.#from;
    this.#knot(this.#to);
  }

  #knot(at: number): void {
    this.#at.push(at);
    this.#sums.push(this.#sum);
  }
}

/** Tracks from the events of a piece, by the groups of their lanes. */
function tracksOfEvents(events: TimelineEvents): Track[] {
  const unions = new Map<string, Map<BusyPart, Union>>();
  const ofLanes = events.lanes.map(({ kind, group }) =>
    entryOf(unions, `${kind} ${group}`, () => new Map<BusyPart, Union>()),
  );
  const partsOfKinds = EVENT_KINDS.map(partsOf);
  for (let event = 0; event < events.count; event++) {
    const parts = elementAt(partsOfKinds, elementAt(events.kind, event));
    const ofGroup = ofLanes[elementAt(events.lane, event)];
    if (parts.length === 0 || ofGroup === undefined) continue;
    const start = startOf(events, event);
    const end = start + durOf(events, event);
    for (const part of parts) {
      if ((part === 'host') === isOnDevice(events, event)) continue;
      entryOf(ofGroup, part, () => new Union(events.span)).add(start, end);
    }
  }
  const about = 'from the drawn events; overlapping events count once, waits do not count';
  return [...unions].flatMap(([key, ofGroup]) =>
    PARTS.flatMap((part): Track[] => {
      const union = ofGroup.get(part);
      if (union === undefined) return [];
      const kind = part === 'host' ? 'host' : 'device';
      const group = key.slice(kind.length + 1);
      return [new ShareTrack({ kind, group, name: NAMES[part], about }, ...union.end(), true)];
    }),
  );
}

/** Tracks from the curves of the whole profile. */
function tracksOfCurves({ lanes, origin }: TimelineEvents, { start, width, devices, host }: Utilisation): Track[] {
  const about = `computed for the whole profile: each point is the mean over ${quantityText(width, 'ns')}`;
  const trackOf = (kind: Track['kind'], group: string, part: BusyPart, shares: readonly number[]): Track[] => {
    if (!shares.some((share) => share > 0)) return [];
    const at = Float64Array.from({ length: shares.length + 1 }, (_, bin) => start + bin * width - origin);
    const sums = new Float64Array(at.length);
    for (const [bin, share] of shares.entries()) sums[bin + 1] = elementAt(sums, bin) + share * width;
    return [new ShareTrack({ kind, group, name: NAMES[part], about }, at, sums, false)];
  };
  const groups = new Set(lanes.filter(({ kind }) => kind === 'device').map(({ group }) => group));
  const ofDevices = devices.flatMap(({ device, ...shares }) => {
    const group = [...groups].find((name) => name === `device ${device}` || name.startsWith(`device ${device}: `));
    if (group === undefined) return [];
    const parts = ['busy', 'compute', 'communication', 'memory'] as const;
    return parts.flatMap((part) => trackOf('device', group, part, shares[part]));
  });
  return [...ofDevices, ...(host === null ? [] : trackOf('host', hostGroup(lanes), 'host', host))];
}

/** @param utilisation utilisation of the profile; null when the page has none */
export function busyTracks(events: TimelineEvents, utilisation: Utilisation | null): Track[] {
  if (events.merged === null) return tracksOfEvents(events);
  return utilisation === null ? [] : tracksOfCurves(events, utilisation);
}

/** Contents of a timeline in addition to events. */
export interface TimelineExtras {
  /** Tracks; within each group, those that are shown first come first. */
  readonly tracks: readonly Track[];
  readonly marks: readonly TimelineMark[];
  /** Notes about what the page omits: series of samples and marks beyond the limits, and series that are always 0. */
  readonly leftOut: { readonly tracks: number; readonly marks: number; readonly zero: number };
  readonly untimed: readonly string[];
}

/** Everything that a timeline draws. */
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

/** @throws Error with one line when a column cannot be read */
export async function loadExtras(
  timeline: Timeline,
  events: TimelineEvents,
  context: TimelineContext = NO_CONTEXT,
): Promise<TimelineExtras> {
  const { tracks, marks } = timeline;
  const sampled = await Promise.all(tracks.list.map((track) => loadTrack(track, events)));
  const busy = busyTracks(events, context.utilisation);
  // The overall utilisation comes first, its parts come last.
  const isFirst = ({ name }: Track): boolean => FIRST.has(name);
  return {
    tracks: [...busy.filter(isFirst), ...sampled, ...busy.filter((track) => !isFirst(track))],
    marks: marksOf(events, marks.list, context.gaps, context.advice),
    leftOut: { tracks: tracks.leftOut, marks: marks.leftOut, zero: tracks.zero },
    untimed: context.untimed,
  };
}

/** Matches metrics of bytes that are in use, not moved. */
const IN_USE = /mem/;

async function loadTrack(packed: PackedTrack, { lanes, origin }: TimelineEvents): Promise<Track> {
  const { kind, name, metric, samples, width } = packed;
  const group = kind === 'host' ? hostGroup(lanes) : packed.group;
  const [at, values] = await Promise.all([unpackColumn(name, packed.at), unpackColumn(name, packed.values)]);
  if (at.length !== values.length) throw new Error(`${name}: has another length`);
  const unit = packed.unit === 'bytes' && IN_USE.test(metric) ? 'memory' : packed.unit;
  const count = `${quantityText(samples, 'count')} ${plural(samples, 'sample')}`;
  const about =
    width === 0
      ? `${count}; each value is valid until the next, or until its recorded end`
      : `lowest, highest and last value in each ${quantityText(width, 'ns')}, from ${count}`;
  const times = Float64Array.from(at, (time) => time - origin);
  return new SampleTrack({ kind, group, name, unit, about }, times, new Float64Array(values), width, origin);
}
