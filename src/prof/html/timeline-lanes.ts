/** The rows of a timeline: threads of the host, streams and engines of devices. */
import { isInstruction } from '../../record/neuron.js';
import type { ProfileRecord } from '../../record/record.js';
import type { Lane } from './page-data.js';
import type { Activity } from './timed-activity.js';

/** Lanes that are told apart; what comes later is drawn in the last. */
const MOST_LANES = 10_000;

interface LaneKey {
  readonly kind: Lane['kind'];
  /** Process or device, then thread or stream; -1 where it is not told. */
  readonly outer: number;
  readonly inner: number;
  readonly engine: string | null;
}

export class LaneTable {
  readonly #numbers = new Map<string, number>();
  readonly #places: LaneKey[] = [];

  ofThread(pid: number | null, tid: number | null): number {
    return this.#of({ kind: 'host', outer: pid ?? -1, inner: tid ?? -1, engine: null });
  }

  ofActivity(record: Activity): number {
    const { device, stream, engine = null } = record;
    // The parts of a device that runs a compiled program have no streams but names.
    const isEngine = record.type === 'kernel' ? isInstruction(record) : !('launch' in record);
    return this.#of({ kind: 'device', outer: device, inner: stream ?? -1, engine: isEngine ? engine : null });
  }

  /** Numbers of lanes in the order in which they are shown: the host first. */
  get order(): number[] {
    return [...this.#places.keys()].sort((i, j) => {
      const [a, b] = [this.#places[i], this.#places[j]];
      if (a === undefined || b === undefined) return 0;
      if (a.kind !== b.kind) return a.kind === 'host' ? -1 : 1;
      return a.outer - b.outer || a.inner - b.inner || i - j;
    });
  }

  /** @param depth how many events lie over each other */
  lane(number: number, depth: number, header: ProfileRecord | null): Lane {
    const { kind, outer, inner, engine } = this.#places[number] ?? { kind: 'host', outer: -1, inner: -1, engine: null };
    if (kind === 'host') {
      const group = outer < 0 ? 'host' : `process ${outer}`;
      return { kind, name: inner < 0 ? 'thread not told' : `thread ${inner}`, group, depth };
    }
    const device = header?.devices.find(({ id }) => id === outer)?.name ?? null;
    const group = device === null ? `device ${outer}` : `device ${outer}: ${device}`;
    return { kind, name: engine ?? (inner < 0 ? 'stream not told' : `stream ${inner}`), group, depth };
  }

  #of(place: LaneKey): number {
    const key = `${place.kind}/${place.outer}/${place.inner}/${place.engine ?? ''}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (this.#places.length === MOST_LANES) return MOST_LANES - 1;
    const number = this.#places.push(place) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}

/** What is drawn below as many others is drawn over the last of them. */
const MOST_DEPTH = 250;

/** Puts events of one lane that overlap below each other; they come in order of start, of one start the longer first. */
export class LaneDepths {
  readonly #ends: number[] = [];

  /** How many events lie over each other at most. */
  get depth(): number {
    return this.#ends.length;
  }

  /** The highest place that is free, from 0. */
  place(start: number, end: number): number {
    let depth = 0;
    while (depth < this.#ends.length && depth < MOST_DEPTH - 1 && (this.#ends[depth] ?? 0) > start) depth++;
    this.#ends[depth] = Math.max(end, this.#ends[depth] ?? -Infinity);
    return depth;
  }
}
