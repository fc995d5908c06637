/** Input of a verdict: facts about a profile, and the parts of its devices' time. */
import type { ProfileRecord, ProfileLine } from '../../../record/record.js';
import type { Finding } from '../finding.js';
import type { IdleCause } from '../idle/cause-names.js';
import type { IdleTimes } from '../idle/idle-causes.js';
import type { WorkTimes } from '../idle/known-idle.js';
import type { MovedTimes } from '../moved-times.js';
import { entryOf, boundedEntryOf } from '../../../containers/map-entry.js';
import { many, percent } from '../wording.js';
import { isCut, workOf, type StepWorkKind } from '../../steps/step-work.js';
import type { Placement } from '../../roofline/roofline.js';
import { GRAPH_CAPTURE_FACT } from '../../../record/fields/graph-node.js';
import { missingWorkOf } from '../../steps/missing-work.js';

/** Maximum number of ops and kernel names to sum. */
const MOST_NAMES = 1000;

class OpTime {
  /** Time in ns of kernels whose position under the roofline is known. */
  time = 0;
  placed = 0;
  /** Sum over these kernels of (percent of the peak · ns). */
  compute = 0;
  memory = 0;

  constructor(readonly isOp: boolean) {}

  add({ bound, computeShare, memoryShare }: Placement, dur: number): void {
    this.time += dur;
    if (bound === null) return;
    this.placed += dur;
    this.compute += (computeShare ?? 0) * dur;
    this.memory += (memoryShare ?? 0) * dur;
  }

  /**
   * The peak that is closer, and the fraction of it that is reached; null when less than half of the time has a position.
   */
  get pace(): Pace | null {
    const { time, placed, compute, memory } = this;
    if (placed === 0 || 2 * placed < time) return null;
    return { peak: compute > memory ? 'compute' : 'memory', share: Math.max(compute, memory) / placed / 100 };
  }
}

export interface Pace {
  readonly peak: 'compute' | 'memory';
  /** Share as a fraction of 1. */
  readonly share: number;
}

interface TopOp extends Pick<OpTime, 'time' | 'isOp' | 'pace'> {
  readonly name: string;
}

/** Kernels by op, or by name when the op is unknown; without kernels whose recorded end is not plausible. */
export class ComputedTimes {
  readonly #byName = new Map<string, OpTime>();
  /** Sum of durations in ns, and the part of kernels without a known op. */
  time = 0;
  nameless = 0;

  /** @param kernel name to use without an op */
  add(op: string | null, kernel: string, placement: Placement, dur: number): void {
    this.time += dur;
    if (op === null) this.nameless += dur;
    boundedEntryOf(this.#byName, op ?? kernel, MOST_NAMES, () => new OpTime(op !== null))?.add(placement, dur);
  }

  /** The op or kernel with the largest total time; null without kernels. */
  get top(): TopOp | null {
    const [first] = [...this.#byName].sort(([a, x], [b, y]) => y.time - x.time || (a < b ? -1 : 1));
    if (first === undefined) return null;
    const [name, { time, isOp, pace }] = first;
    return { name, time, isOp, pace };
  }
}

/** Smaller shares are not mentioned. */
const SPOKEN = 0.1;

/** Names of the kinds of work, in general and for a single piece. */
const WORDS: Readonly<Record<StepWorkKind, readonly [all: string, one: string]>> = {
  computing: ['it', 'kernel'],
  communication: ['all communication', 'operation'],
  copy: ['all copying', 'copy'],
};

export class DoubtedWork {
  /** Time in ns of all work of a kind, the part of implausible records, and their number. */
  readonly #sums = new Map<StepWorkKind, { time: number; doubted: number; count: number }>();

  take(record: ProfileLine): void {
    const found = workOf(record);
    if (found === null || found.record.dur === null) return;
    const { dur } = found.record;
    const sum = entryOf(this.#sums, found.work, () => ({ time: 0, doubted: 0, count: 0 }));
    sum.time += dur;
    if (!isCut(found.record)) return;
    sum.doubted += dur;
    sum.count++;
  }

  /** `, 90.0 % of all copying in 1 copy with an implausible recorded end`; '' when the share is small. */
  text(kind: StepWorkKind): string {
    const { time, doubted, count } = this.#sums.get(kind) ?? { time: 0, doubted: 0, count: 0 };
    if (count === 0 || doubted < SPOKEN * time) return '';
    const [all, single] = WORDS[kind];
    return `, ${percent(doubted / time)} of ${all} in ${many(count, single)} with an implausible recorded end`;
  }
}

/** Parts of a device's span from its first work to its last. Each moment belongs to one part. */
export type SpanPartName = 'compute' | 'communication' | 'copy' | 'idle' | 'missing';

export interface SpanPart {
  readonly part: SpanPartName;
  /** Cause of idle time; null for other parts. */
  readonly cause: IdleCause | null;
  /**
   * What took most of the part: op of the kernels, communication operation, or kind of the copies (counting all copies,
   * also those that overlap with compute); for idle time, the call that held the host up, what else the host did, the call
   * that waited together with the device, or what the program on the device waited for.
   */
  readonly detail: string | null;
  /** Total in ns over all devices. */
  readonly time: number;
}

export interface VerdictFacts {
  readonly profile: ProfileRecord | number;
  /** Devices that ran a part of the program; all times are over these. */
  readonly devices: number;
  /** Sentence about the other devices; null when there are none. */
  readonly idleCores: string | null;
  /** Total in ns over all devices. */
  readonly span: number;
  readonly times: Readonly<Record<Exclude<SpanPartName, 'idle'>, number>>;
  /** The devices whose copies the profile has, and their span in ns. Others started copies that it lacks. */
  readonly withCopies: { readonly devices: number; readonly span: number };
  readonly idle: IdleTimes;
  /** Whether the profiler recorded each Python call. */
  readonly hasFrames: boolean;
  readonly computed: ComputedTimes;
  readonly moved: Pick<MovedTimes, 'communicated' | 'copied' | 'movingShare' | 'isBubble' | 'longest'>;
  readonly doubted: DoubtedWork;
  /** Whether the profile shows the capture of a graph and not a run. */
  readonly isCapture: boolean;
  /** Number of graph launches whose work is missing. */
  readonly missing: number;
  readonly work: WorkTimes;
  /** Findings of the profile. */
  readonly findings: readonly Finding[];
}

/** Whether a profile shows the capture of graphs and not their run: most of what was launched became graph nodes. */
export class GraphCaptureTest {
  /** Time in ns during which graphs were captured. */
  #captured = 0;
  /** Time in ns of work on devices. */
  #worked = 0;
  #hasReplay = false;

  take(record: ProfileLine): void {
    if (record.type === 'profile') this.#captured = Number(record.facts?.[GRAPH_CAPTURE_FACT] ?? 0);
    const work = workOf(record)?.record;
    if (work !== undefined) {
      if (work.type === 'graph' || work.graph !== undefined) this.#hasReplay = true;
      if (Number.isFinite(work.start)) this.#worked += work.dur ?? 0;
    } else if (missingWorkOf(record) !== null) this.#hasReplay = true;
  }

  get isCapture(): boolean {
    return !this.#hasReplay && this.#captured > this.#worked;
  }
}
