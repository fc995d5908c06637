/**
 * Processes and tracks of a trace. Each profile has one process for each of its host processes with their threads, one for
 * each device with its streams, and one for everything else.
 */
import { entryOf } from '../../containers/map-entry.js';
import { OpenSpans } from '../../containers/nesting.js';
import { elementAt } from '../../containers/element.js';
import { namedLane } from '../../record/fields/named-lane.js';
import type { ProfileRecord } from '../../record/record.js';
import type { DeviceActivity } from '../input/device-activity.js';
import type { Emit, TraceProcess, TraceTrack } from './trace-element.js';
import type { TimedSlice } from './reorder-buffer.js';
import { statedDevice } from '../../record/fields/stated-device.js';

/** A track, with additional lanes for slices that do not nest. */
export interface TrackLanes {
  readonly track: TraceTrack;
  readonly lanes: NestingLanes;
  /** Tracks of the lanes; the track itself comes first. */
  readonly tracks: TraceTrack[];
  /** Time of the last mark, number of marks at that time, and additional tracks for those that do not fit. */
  readonly marks: { start: number; count: number; readonly more: TraceTrack[] };
  /** Thread ids of the track's process. */
  readonly tids: TraceIds;
}

interface ProcessTracks {
  readonly process: TraceProcess;
  readonly tids: TraceIds;
  readonly places: Map<string, TrackLanes>;
}

/** Viewers nest marks of the same time and drop those that are too deep, so further ones go to another lane. */
const MARKS_OF_A_TIME = 50;
/** Maximum number of counters, because a viewer shows each as a separate track. */
const MOST_COUNTERS = 10_000;
/** Names of the separate tracks for activities that overlap with the work of their stream. */
const OVERLAPPING_WORK: Readonly<Record<string, string>> = {
  sync: 'syncs',
  collective: 'collectives',
  graph: 'graph launches',
};
/** Size of a rank's range in the order of processes; processes beyond it share the last place. */
const PLACES_OF_A_RANK = 4096;

export class TraceTracks {
  readonly #processes = new Map<string, ProcessTracks>();
  readonly #pids = new TraceIds();
  readonly #profiles = new Map<number, { readonly header: ProfileRecord; readonly prefix: string }>();
  readonly #prefixes = new Set<string>();
  /** Number of its processes so far, by rank, else by profile. */
  readonly #members = new Map<number, number>();
  #ids = 0;
  #counters = 0;

  constructor(private readonly emit: Emit) {}

  profile(header: ProfileRecord): void {
    const { profile, rank } = header;
    const byRank = typeof rank === 'number' ? `rank ${rank}, ` : null;
    const byNumber = profile === 0 ? '' : `profile ${profile}, `;
    const prefix = byRank !== null && !this.#prefixes.has(byRank) ? byRank : `${byNumber}${byRank ?? ''}`;
    this.#prefixes.add(prefix);
    this.#profiles.set(profile, { header, prefix });
  }

  /** A thread of the host; the process or thread id may be null if unknown. */
  thread(profile: number, pid: number | null, tid: number | null): TrackLanes {
    if (pid === null) return this.own(profile, tid === null ? 'host' : `thread ${tid}`, true);
    const tracks = this.#process(profile, `host/${pid}`, pid, () => `${this.#prefix(profile)}host ${pid}`);
    const name = tid === null ? 'unknown thread' : `thread ${tid}`;
    return this.#place(tracks, name, true, tid);
  }

  /**
   * A track of the profile itself, for elements that belong to no process and no device.
   * @param nesting whether a slice may be within another
   */
  own(profile: number, name: string, nesting: boolean): TrackLanes {
    return this.#place(this.#profileTracks(profile), name, nesting);
  }

  stream(activity: DeviceActivity): TrackLanes {
    const { type, profile, device } = activity;
    const ownTrack = OVERLAPPING_WORK[type];
    const queue = queueOf(activity);
    const name = ownTrack === undefined ? (queue ?? 'no stream') : queue === null ? ownTrack : `${queue} ${ownTrack}`;
    return this.#place(this.#device(profile, device), name, false);
  }

  /** A track with this name in a device's process, or in the profile's process when the device is unknown. */
  onDevice(profile: number, device: number | null, name: string): TrackLanes {
    return device === null ? this.own(profile, name, true) : this.#place(this.#device(profile, device), name, true);
  }

  /** The track of a counter; null when there are too many. */
  counter(profile: number, device: number | null, name: string, unit: string | null): TraceTrack | null {
    const tracks = device === null ? this.#profileTracks(profile) : this.#device(profile, device);
    const key = `counter/${unit ?? ''}/${name}`;
    const known = tracks.places.get(key);
    if (known !== undefined) return known.track;
    if (this.#counters === MOST_COUNTERS) return null;
    this.#counters++;
    return this.#track(tracks, key, { kind: 'counter', tid: tracks.tids.next(), name, unit }, false).track;
  }

  /** The track of the first lane where the slice fits; null when there is none. */
  lane(place: TrackLanes, slice: TimedSlice): TraceTrack | null {
    const number = place.lanes.place(slice);
    if (number === null) return null;
    const { track, tracks, tids } = place;
    while (tracks.length <= number) tracks.push(this.#addLane(track, tids, track.name));
    return elementAt(tracks, number);
  }

  mark({ track, marks, tids }: TrackLanes, start: number): TraceTrack {
    if (marks.start !== start) marks.count = 0;
    marks.start = start;
    const number = Math.floor(marks.count++ / MARKS_OF_A_TIME);
    // Viewers would show tracks of the same name as one.
    while (marks.more.length < number) {
      marks.more.push(this.#addLane(track, tids, `${track.name}, more marks ${marks.more.length + 1}`));
    }
    return marks.more[number - 1] ?? track;
  }

  #addLane({ process: owner, id, kind }: TraceTrack, tids: TraceIds, name: string): TraceTrack {
    const parts = { process: owner, name, tid: tids.next(), unit: null };
    const parent = kind === 'thread' ? id : owner.id;
    const track: TraceTrack = { type: 'track', id: ++this.#ids, kind: 'lane', of: id, parent, ...parts };
    this.emit(track);
    return track;
  }

  #prefix(profile: number): string {
    return this.#profiles.get(profile)?.prefix ?? (profile === 0 ? '' : `profile ${profile}, `);
  }

  #profileTracks(profile: number): ProcessTracks {
    return this.#process(profile, 'own', null, () => `${this.#prefix(profile)}profile`);
  }

  /** @param number not finite for a net.dict, which states no device */
  #device(profile: number, number: number | null): ProcessTracks {
    const device = Number.isFinite(number) ? number : null;
    return this.#process(profile, `device/${device ?? ''}`, null, () => {
      const known = statedDevice(this.#profiles.get(profile)?.header ?? null, device);
      const name = typeof known?.name === 'string' ? `: ${known.name}` : '';
      return `${this.#prefix(profile)}device${device === null ? '' : ` ${device}`}${name}`;
    });
  }

  /** @param pid the real process id; null for a device or the profile itself */
  #process(profile: number, key: string, pid: number | null, name: () => string): ProcessTracks {
    return entryOf(this.#processes, `${profile}/${key}`, () => {
      const number = pid === null ? this.#pids.next() : this.#pids.claim(pid);
      const order = this.#nextOrder(profile);
      const process: TraceProcess = { type: 'process', id: ++this.#ids, pid: number, name: name(), order };
      this.emit(process);
      return { process, tids: new TraceIds(), places: new Map() };
    });
  }

  /** Position after the processes of lower ranks, whatever the order of the profiles. */
  #nextOrder(profile: number): number {
    const rank = this.#profiles.get(profile)?.header.rank ?? profile;
    const before = this.#members.get(rank) ?? 0;
    this.#members.set(rank, before + 1);
    return Math.min(rank * PLACES_OF_A_RANK + Math.min(before, PLACES_OF_A_RANK - 1), LARGEST_ID);
  }

  #place(tracks: ProcessTracks, name: string, nesting: boolean, thread?: number | null): TrackLanes {
    const known = tracks.places.get(name);
    if (known !== undefined) return known;
    const tid = typeof thread === 'number' ? tracks.tids.claim(thread) : tracks.tids.next();
    const kind = thread === undefined ? 'work' : 'thread';
    return this.#track(tracks, name, { kind, tid, name, unit: null }, nesting);
  }

  #track(
    { process: owner, places, tids }: ProcessTracks,
    key: string,
    parts: Pick<TraceTrack, 'kind' | 'tid' | 'name' | 'unit'>,
    nesting: boolean,
  ): TrackLanes {
    const track: TraceTrack = { type: 'track', id: ++this.#ids, process: owner, of: null, parent: owner.id, ...parts };
    const marks = { start: NaN, count: 0, more: [] };
    const place: TrackLanes = { track, lanes: new NestingLanes(nesting), tracks: [track], marks, tids };
    places.set(key, place);
    this.emit(track);
    return place;
  }
}

/** Named part or stream of an activity; null when it has none. */
const queueOf = (activity: DeviceActivity): string | null =>
  namedLane(activity) ?? (activity.stream === null ? null : `stream ${activity.stream}`);

/** Greater than the ids that Linux assigns to processes and threads. */
const FIRST_MADE_ID = 10_000_000;
/** Viewers store ids as signed 32-bit numbers. */
const LARGEST_ID = 0x7fffffff;

const isTraceId = (id: number): boolean => Number.isInteger(id) && id > 0 && id <= LARGEST_ID;

/** Process or thread ids of a trace: the real ones if they are free, else ids greater than those of real systems. */
class TraceIds {
  readonly #taken = new Set<number>();
  #last = FIRST_MADE_ID - 1;

  /** The real id if it is valid and free, else a generated one. */
  claim(real: number): number {
    if (!isTraceId(real) || this.#taken.has(real)) return this.next();
    this.#taken.add(real);
    return real;
  }

  /** A generated id. */
  next(): number {
    do this.#last++;
    while (this.#taken.has(this.#last));
    this.#taken.add(this.#last);
    return this.#last;
  }
}

interface OpenLane {
  start: number;
  /** Ends of the open slices. */
  readonly ends: OpenSpans<number>;
}

/** More than any device or host needs: only completely unordered records exceed it. */
const MOST_LANES = 512;
/** Viewers drop slices deeper than 255; some room is left for marks. */
const MOST_DEPTH = 200;

/**
 * Lanes for slices that overlap without nesting: viewers interpret the slices of one track as nested calls, and cut what
 * overlaps. A lane holds the slices that are open at its last start; a slice that starts earlier goes to another lane.
 */
class NestingLanes {
  readonly #lanes: OpenLane[] = [];

  /** @param nesting whether a slice may be within another */
  constructor(private readonly nesting: boolean) {}

  /** Number of the first lane where the slice fits, from 0; null when no lane is left. */
  place({ start, end }: TimedSlice): number | null {
    const found = this.#lanes.findIndex((lane) => this.#fits(lane, start, end));
    if (found < 0 && this.#lanes.length === MOST_LANES) return null;
    const ends = (): OpenSpans<number> => new OpenSpans((until) => until);
    const number = found < 0 ? this.#lanes.push({ start, ends: ends() }) - 1 : found;
    const lane = elementAt(this.#lanes, number);
    lane.start = start;
    lane.ends.push(end, start);
    return number;
  }

  /** Closes slices that ended before the start, and returns whether the slice then fits. */
  #fits(lane: OpenLane, start: number, end: number): boolean {
    if (start < lane.start) return false;
    lane.ends.close(start);
    const { last: innermost } = lane.ends;
    return innermost === undefined || (this.nesting && end <= innermost && lane.ends.length < MOST_DEPTH);
  }
}
