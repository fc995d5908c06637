/** What a verdict is made of: facts of a profile, and the parts of its devices' time. */
import type { ProfileRecord, ProfileLine } from '../../../record/record.js';
import type { Finding } from '../finding.js';
import type { IdleCause, IdleTimes } from '../idle/idle-causes.js';
import type { WorkTimes } from '../idle/known-idle.js';
import type { MovedTimes } from '../moved-times.js';
import { entryOf, boundedEntryOf } from '../../../containers/map-entry.js';
import { many, percent } from '../wording.js';
import { isCut, workOf, type StepWorkKind } from '../../steps/step-work.js';
import type { Placement } from '../../roofline/roofline.js';
import { GRAPH_CAPTURE_FACT } from '../../../record/fields/fact-names.js';
import { missingWorkOf } from '../../steps/missing-work.js';

/** Ops and names of kernels that are summed. */
const MOST_NAMES = 1000;

class OpTime {
  /** ns; of kernels whose place under the roofline is known. */
  time = 0;
  placed = 0;
  /** Percent of the peaks times ns of those. */
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

  /** The nearer of the two peaks, and the part of it that is reached; null where less than half of the time is placed. */
  get pace(): Pace | null {
    const { time, placed, compute, memory } = this;
    if (placed === 0 || 2 * placed < time) return null;
    return { peak: compute > memory ? 'compute' : 'memory', share: Math.max(compute, memory) / placed / 100 };
  }
}

export interface Pace {
  readonly peak: 'compute' | 'memory';
  /** Fraction of 1. */
  readonly share: number;
}

interface TopOp extends Pick<OpTime, 'time' | 'isOp' | 'pace'> {
  readonly name: string;
}

/** Kernels by op, or by name where no op is known; without those whose recorded end is not believed. */
export class ComputedTimes {
  readonly #byName = new Map<string, OpTime>();
  /** Sum of durations, ns; of kernels of which no op is known. */
  time = 0;
  nameless = 0;

  /** @param kernel what to call it without an op */
  add(op: string | null, kernel: string, placement: Placement, dur: number): void {
    this.time += dur;
    if (op === null) this.nameless += dur;
    boundedEntryOf(this.#byName, op ?? kernel, MOST_NAMES, () => new OpTime(op !== null))?.add(placement, dur);
  }

  /** What takes most time; null without kernels. */
  get top(): TopOp | null {
    const [first] = [...this.#byName].sort(([a, x], [b, y]) => y.time - x.time || (a < b ? -1 : 1));
    if (first === undefined) return null;
    const [name, { time, isOp, pace }] = first;
    return { name, time, isOp, pace };
  }
}

/** Below it, it is not spoken of. */
const SPOKEN = 0.1;

/** What a part of the work is called, and one piece of it. */
const WORDS: Readonly<Record<StepWorkKind, readonly [all: string, one: string]>> = {
  computing: ['it', 'kernel'],
  communication: ['all communication', 'operation'],
  copy: ['all copying', 'copy'],
};

export class DoubtedWork {
  /** ns of all work of a kind; those of what is not believed, and its number. */
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

  /** `, 90.0 % of all copying in 1 copy with an implausible recorded end`; '' where it is little. */
  text(kind: StepWorkKind): string {
    const { time, doubted, count } = this.#sums.get(kind) ?? { time: 0, doubted: 0, count: 0 };
    if (count === 0 || doubted < SPOKEN * time) return '';
    const [all, one] = WORDS[kind];
    return `, ${percent(doubted / time)} of ${all} in ${many(count, one)} with an implausible recorded end`;
  }
}

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

/** Whether a profile is of the capture of graphs rather than of their run: most of what was launched became their nodes. */
export class GraphCaptureTest {
  /** ns during which graphs were captured. */
  #captured = 0;
  /** ns of work on devices. */
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
