/**
 * Where the time of one device went, in one pass: lengths of unions of intervals, which come in order of start. Memory:
 * the ends reached so far.
 */
import { gapEnd, PS_PER_NS, PicosecondUnion } from '../../containers/interval-union.js';
import type { DeviceTime, Gaps, WorkKind } from './summary-data.js';

/** Which unions work is part of. */
const PARTS = {
  kernels: ['compute', 'local', 'device'],
  graphs: ['compute', 'local', 'device'],
  communications: ['communication', 'device'],
  copies: ['memory', 'local'],
  sets: ['memory', 'local'],
} as const satisfies Readonly<Record<Exclude<WorkKind, 'syncs'>, readonly string[]>>;

/** A stretch of work: picoseconds. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** When the host's call that launched it began; null when no launch is known. */
  readonly launched: number | null;
}

/** What ended gaps. */
class GapSums {
  count = 0;
  longest = 0;
  /** Picoseconds. */
  host = 0;
  queue = 0;

  /** @param launched start of the launch of what ended the gap; NaN when it is not known */
  readonly add = (from: number, to: number, launched: number): void => {
    this.count++;
    this.longest = Math.max(this.longest, to - from);
    const end = gapEnd(from, launched);
    if (end !== null) this[end] += to - from;
  };
}

/** First start and last end. */
class Reach {
  from = Infinity;
  to = -Infinity;

  add({ from, to }: Stretch): void {
    this.from = Math.min(this.from, from);
    this.to = Math.max(this.to, to);
  }

  get length(): number {
    return Math.max(0, this.to - this.from);
  }
}

export class DeviceSums {
  readonly #gaps = new GapSums();
  readonly #busy = new PicosecondUnion(this.#gaps.add);
  readonly #unions = {
    compute: new PicosecondUnion(),
    communication: new PicosecondUnion(),
    memory: new PicosecondUnion(),
    /** Computing and memory. */
    local: new PicosecondUnion(),
    /** Computing and communication. */
    device: new PicosecondUnion(),
  };
  readonly #sync = new PicosecondUnion();
  readonly #linked = new PicosecondUnion();
  readonly #reach = new Reach();
  readonly #linkedReach = new Reach();
  readonly #counts: Record<WorkKind, number> = {
    ...{ kernels: 0, communications: 0, graphs: 0, copies: 0, sets: 0, syncs: 0 },
  };
  #kernelSum = 0;

  /** Counts work, whether its time is known or not. */
  count(work: WorkKind): void {
    this.#counts[work]++;
  }

  /** @param isKernel whether it is one kernel, of any kind */
  add(work: WorkKind, stretch: Stretch, isKernel: boolean): void {
    const { from, to, launched } = stretch;
    if (work === 'syncs') {
      this.#sync.add(from, to);
      return;
    }
    this.#busy.add(from, to, launched ?? NaN);
    for (const part of PARTS[work]) this.#unions[part].add(from, to);
    this.#reach.add(stretch);
    if (isKernel) this.#kernelSum += to - from;
    if (launched === null) return;
    this.#linked.add(from, to);
    this.#linkedReach.add(stretch);
  }

  /** Activities that came out of order: unions are then too small. */
  get late(): number {
    return this.#busy.outOfOrder + this.#sync.outOfOrder;
  }

  /** Whether any work has a time. */
  get isEmpty(): boolean {
    return this.#busy.intervals === 0;
  }

  result(device: number, name: string | null): DeviceTime {
    const { compute, communication, memory, local, device: both } = this.#unions;
    const span = this.#reach.length;
    const busy = this.#busy.total;
    const lengths = {
      start: this.#reach.from,
      end: this.#reach.to,
      span,
      busy,
      idle: span - busy,
      compute: compute.total,
      communication: communication.total,
      memory: memory.total,
      sync: this.#sync.total,
      exposed: busy - local.total,
      notUnderCompute: both.total - compute.total,
      kernelSum: this.#kernelSum,
    };
    return {
      device,
      name,
      ...inNs(lengths),
      counts: { ...this.#counts },
      linked: this.#linkedWork(),
      gaps: this.#gapsOf(span - busy),
    };
  }

  #linkedWork(): DeviceTime['linked'] {
    const { intervals: activities, total } = this.#linked;
    if (activities === 0) return null;
    return { activities, ...inNs({ span: this.#linkedReach.length, busy: total }) };
  }

  #gapsOf(idle: number): Gaps {
    const { count, longest, host, queue } = this.#gaps;
    return { count, ...inNs({ longest, host, queue, unknown: Math.max(0, idle - host - queue) }) };
  }
}

/** Picoseconds → ns. */
function inNs<Lengths extends Readonly<Record<string, number>>>(lengths: Lengths): Lengths {
  const entries = Object.entries(lengths).map(([name, ps]) => [name, ps / PS_PER_NS] as const);
  return Object.fromEntries(entries) as Lengths;
}
