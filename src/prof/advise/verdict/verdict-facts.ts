/** What a verdict is made of: facts of a profile, and the parts of its devices' time. */
import { addTo, boundedEntryOf } from '../../../containers/map-entry.js';
import type { ProfileRecord } from '../../../record/record.js';
import type { RooflineBound } from '../../roofline/roofline.js';
import type { Finding } from '../finding.js';
import type { IdleCause, IdleTimes } from '../idle/idle-causes.js';
import type { MovedTimes } from '../moved-times.js';

/** Parts of a device's span from its first work to its last, of which each moment is in one. */
export type SpanPartName = 'compute' | 'communication' | 'copy' | 'idle' | 'missing';

export interface SpanPart {
  readonly part: SpanPartName;
  /** Of idle time. */
  readonly cause: IdleCause | null;
  /**
   * What took most of it: op of the kernels, operation of communication, kind of the copies (all that took place, also
   * while something was computed); in idle time the call that held the host, what else the host did, or the call that
   * waited with the device.
   */
  readonly detail: string | null;
  /** ns, of all devices together. */
  readonly time: number;
}

/** Ops and names of kernels that are summed. */
const MOST_NAMES = 1000;

/** Kernels by op, or by name where no op is known. */
export class ComputedTimes {
  readonly #byName = new Map<string, { time: number; readonly bounds: Map<RooflineBound, number> }>();
  /** Sum of durations, ns. */
  time = 0;

  add(name: string, bound: RooflineBound | null, dur: number): void {
    this.time += dur;
    const entry = boundedEntryOf(this.#byName, name, MOST_NAMES, () => ({
      time: 0,
      bounds: new Map<RooflineBound, number>(),
    }));
    if (entry === null) return;
    entry.time += dur;
    if (bound !== null) addTo(entry.bounds, bound, dur);
  }

  /** What takes most time, and what bounds most of it. */
  get top(): { readonly name: string; readonly time: number; readonly bound: RooflineBound | null } | null {
    const [first] = [...this.#byName].sort(([a, x], [b, y]) => y.time - x.time || (a < b ? -1 : 1));
    if (first === undefined) return null;
    const [name, { time: ns, bounds }] = first;
    const bound = [...bounds].find(([, bounded]) => bounded > ns / 2)?.[0] ?? null;
    return { name, time: ns, bound };
  }
}

export interface VerdictFacts {
  readonly profile: ProfileRecord | number;
  readonly devices: number;
  /** ns, of all devices together. */
  readonly span: number;
  readonly times: Readonly<Record<Exclude<SpanPartName, 'idle'>, number>>;
  readonly idle: IdleTimes;
  /** Whether the profiler recorded each call of Python. */
  readonly hasFrames: boolean;
  readonly computed: ComputedTimes;
  readonly moved: MovedTimes;
  /** Launches of graphs whose work is missing. */
  readonly missing: number;
  /** Of the profile. */
  readonly findings: readonly Finding[];
}
