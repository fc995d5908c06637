/** The lanes of a timeline: threads of the host, streams and engines of devices. */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { namedLane } from '../../../record/fields/named-lane.js';
import type { ProfileRecord } from '../../../record/record.js';
import type { DeviceActivity } from '../../input/device-activity.js';
import type { ApartRanges, Lane, LaneIds } from './timeline-data.js';
import { rankOn, statedDevice } from '../../../record/fields/stated-device.js';

/** Maximum number of separate lanes; activities of any further lane are drawn in the last. */
const MOST_LANES = 10_000;

/** Stands for an unknown process, thread, device or stream; such a lane sorts first. */
const UNKNOWN = -1;

interface LaneKey {
  readonly kind: Lane['kind'];
  /** Process or device. */
  readonly outer: number;
  /** Thread or stream. */
  readonly inner: number;
  readonly engine: string | null;
  readonly apart: ApartRanges | null;
}

/** Name of the lane of the critical path, and of its group. */
const PATH = 'critical path';

/** The frames of a thread are above its other ranges, which are within the frames. */
const PLACES: readonly LaneKey['apart'][] = [PATH, 'frames', null, 'never ended'];

/** Group for host events of no known process. */
export const HOST_GROUP = 'host';

/** Group of the lanes and tracks of a device: 'device 0: NVIDIA H100'. */
export function deviceGroup(device: number, header: ProfileRecord | null): string {
  const name = statedDevice(header, device)?.name ?? null;
  return name === null ? `device ${device}` : `device ${device}: ${name}`;
}

export class LaneTable {
  /** Lanes by device or process, then by stream or thread, so that no text key is made for an event. */
  readonly #numbers = new Map<string, Map<number, Map<number, number>>>();
  readonly #keys: LaneKey[] = [];

  ofThread(pid: number | null, tid: number | null, apart: ApartRanges | null = null): number {
    return this.#numberOf({ kind: 'host', outer: pid ?? UNKNOWN, inner: tid ?? UNKNOWN, engine: null, apart });
  }

  /** The lane of the critical path. */
  get path(): number {
    return this.ofThread(null, null, PATH);
  }

  ofActivity(record: DeviceActivity): number {
    const { device, stream } = record;
    const inner = stream ?? UNKNOWN;
    return this.#numberOf({ kind: 'device', outer: device, inner, engine: namedLane(record), apart: null });
  }

  /** Lane numbers in the order in which they are shown: devices first. */
  get order(): number[] {
    return [...this.#keys.entries()]
      .sort(([i, a], [j, b]) => {
        if (a.kind !== b.kind) return a.kind === 'device' ? -1 : 1;
        return a.outer - b.outer || a.inner - b.inner || PLACES.indexOf(a.apart) - PLACES.indexOf(b.apart) || i - j;
      })
      .map(([number]) => number);
  }

  /** @param depth number of overlapping events */
  lane(number: number, depth: number, header: ProfileRecord | null): Lane {
    const key = elementAt(this.#keys, number);
    const { kind, outer, inner, engine, apart } = key;
    const ids = idsOf(key, header);
    if (apart === PATH) return { kind, name: PATH, group: PATH, depth, apart, ids };
    if (kind === 'host') {
      const group = outer < 0 ? HOST_GROUP : `process ${outer}`;
      const name = inner < 0 ? 'thread unknown' : `thread ${inner}`;
      return apart === null
        ? { kind, name, group, depth, ids }
        : { kind, name: `${name} · ${apart}`, group, depth, apart, ids };
    }
    const group = deviceGroup(outer, header);
    return { kind, name: engine ?? (inner < 0 ? 'stream unknown' : `stream ${inner}`), group, depth, ids };
  }

  #numberOf(key: LaneKey): number {
    const known = this.#numbers.get(groupOf(key))?.get(key.outer)?.get(key.inner);
    if (known !== undefined) return known;
    if (this.#keys.length === MOST_LANES) return MOST_LANES - 1;
    const ofGroup = entryOf(this.#numbers, groupOf(key), () => new Map<number, Map<number, number>>());
    const number = this.#keys.push(key) - 1;
    entryOf(ofGroup, key.outer, () => new Map<number, number>()).set(key.inner, number);
    return number;
  }
}

/** Names that distinguish lanes in addition to numbers. Only engines have names that programs give. */
const groupOf = ({ kind, engine, apart }: LaneKey): string => (engine === null ? (apart ?? kind) : `engine ${engine}`);

const known = (number: number): number | null => (number === UNKNOWN ? null : number);

function idsOf({ kind, outer, inner }: LaneKey, header: ProfileRecord | null): LaneIds {
  const profile = header?.profile ?? null;
  if (kind === 'host') return { profile, rank: header?.rank ?? null, pid: known(outer), tid: known(inner) };
  return { profile, rank: rankOn(header, outer), device: outer, stream: known(inner) };
}

/** Events beyond this depth are drawn over the deepest ones. */
const MOST_DEPTH = 250;

/** Assigns depths to the events of one lane so that overlapping ones are below each other. */
export class LaneDepths {
  readonly #ends: number[] = [];

  /** Maximum number of overlapping events. */
  get depth(): number {
    return this.#ends.length;
  }

  /** The lowest free depth, from 0. Events must arrive in order of start time; for equal starts, the longer first. */
  place(start: number, end: number): number {
    const isFree = (busyUntil: number): boolean => busyUntil <= start;
    const free = this.#ends.findIndex(isFree);
    const depth = Math.min(free === -1 ? this.#ends.length : free, MOST_DEPTH - 1);
    const busyUntil = this.#ends[depth];
    this.#ends[depth] = busyUntil === undefined ? end : Math.max(end, busyUntil);
    return depth;
  }
}
