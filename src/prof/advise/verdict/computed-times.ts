/** What a profile's devices computed: the op that takes most time, and how close to the peaks it runs. */
import { boundedEntryOf } from '../../../containers/map-entry.js';
import type { Placement } from '../../roofline/roofline.js';

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
