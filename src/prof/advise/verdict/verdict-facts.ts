/** What a verdict is made of: facts of a profile, and the parts of its devices' time. */
import type { ProfileRecord } from '../../../record/record.js';
import type { Finding } from '../finding.js';
import type { IdleCause, IdleTimes } from '../idle/idle-causes.js';
import type { WorkTimes } from '../idle/known-idle.js';
import type { MovedTimes } from '../moved-times.js';
import type { ComputedTimes } from './computed-times.js';
import type { DoubtedWork } from './doubted-work.js';

/** Parts of a device's span from its first work to its last. Each moment is in one part. */
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
  readonly moved: Pick<MovedTimes, 'communicated' | 'copied' | 'movingShare' | 'longest'>;
  readonly doubted: DoubtedWork;
  /** Whether it is of the capture of a graph, not of a run. */
  readonly isCapture: boolean;
  /** Launches of graphs whose work is missing. */
  readonly missing: number;
  readonly work: WorkTimes;
  /** Of the profile. */
  readonly findings: readonly Finding[];
}
