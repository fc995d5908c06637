/** How one device spent its time, in one pass in order of start time. Memory: the ends reached so far. */
import { entryOf } from '../../containers/map-entry.js';
import { PicosecondUnion, PS_PER_NS } from '../../containers/interval-union.js';
import type { StepWorkKind } from '../steps/step-work.js';
import { GapSums } from '../steps/gap-sums.js';
import type { MissingTimes, MissingWork, StreamWork } from '../steps/missing-work.js';
import { inNs, Reach, WorkUnions } from '../steps/work-unions.js';
import type { DeviceTime, EngineTime, WorkKind } from './summary-data.js';

const AS_STEP_WORK = {
  kernels: 'computing',
  graphs: 'computing',
  communications: 'communication',
  copies: 'copy',
  sets: 'copy',
} as const satisfies Readonly<Record<Exclude<WorkKind, 'syncs'>, StepWorkKind>>;

/** The time range of a piece of work, in picoseconds. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Start of the host call that launched it; null when no launch is known. */
  readonly launched: number | null;
}

/** What is unknown for a device whose copies the profile lacks. */
const WITHOUT_COPIES = { busy: null, idle: null, memory: null, copiesAlone: null, idleInWaits: null, gaps: null };

const missingOf = ({ launches, untimed, api, time, start, end }: MissingTimes): DeviceTime['missing'] => {
  const common = { launches, ...(untimed > 0 ? { untimed } : {}), api, time: time / PS_PER_NS };
  if (launches > 0) return { ...common, start, end };
  return time > 0 ? { ...common, start: null, end: null } : null;
};

/** The part of gaps in work during which some wait was recorded, in one pass in order of start time. In picoseconds. */
class WaitsInGaps {
  total = 0;
  /** Latest end of all waits, and how much time they cover after the last end of work. */
  #end = -Infinity;
  #open = 0;

  /** @param reach last end of the work before */
  wait(from: number, to: number, reach: number): void {
    this.#open += Math.max(0, to - Math.max(from, reach, this.#end));
    this.#end = Math.max(this.#end, to);
  }

  /**
   * @param before last end of work without it
   * @param after last end of work with it
   */
  work(from: number, before: number, after: number): void {
    // Waits began before this work. Those that end after its start cover the whole time from its start to their end.
    if (before < from && before !== -Infinity) this.total += this.#open - Math.max(0, this.#end - from);
    this.#open = Math.max(0, this.#end - after);
  }
}

export class DeviceSums {
  readonly #gaps = new GapSums();
  readonly #unions = new WorkUnions(this.#gaps.add);
  readonly #sync = new PicosecondUnion();
  readonly #waits = new WaitsInGaps();
  /** All work except sets. */
  readonly #others = new PicosecondUnion();
  readonly #linked = new PicosecondUnion();
  /** Instructions of each engine of a NeuronCore. */
  readonly #engines = new Map<string, PicosecondUnion>();
  readonly #reach = new Reach();
  readonly #linkedReach = new Reach();
  readonly #counts: Record<WorkKind, number> = {
    ...{ kernels: 0, communications: 0, graphs: 0, copies: 0, sets: 0, syncs: 0 },
  };
  /** Unit: ps. */
  readonly #sums = { kernels: 0, computing: 0, communication: 0 };
  /** Whether the device ran a part of the program. */
  works = false;

  /** Takes a time during which work is missing, before any work that starts later. */
  addMissing(missing: MissingWork): void {
    this.#gaps.missing.add(missing, PS_PER_NS);
  }

  /** Counts work, whether its time is known or not. */
  count(work: WorkKind, record: StreamWork, isTimed: boolean): void {
    this.#counts[work]++;
    if (work !== 'syncs') this.#gaps.missing.work(record, isTimed, PS_PER_NS);
  }

  /** @param isKernel whether the work is one kernel, of any kind */
  add(work: WorkKind, { from, to, launched }: Stretch, isKernel: boolean): void {
    if (work === 'syncs') {
      this.#sync.add(from, to);
      this.#waits.wait(from, to, this.#reach.to);
      return;
    }
    if (launched === null) this.#unions.add(AS_STEP_WORK[work], from, to);
    else {
      this.#unions.add(AS_STEP_WORK[work], from, to, launched);
      this.#linked.add(from, to);
      this.#linkedReach.add(from, to);
    }
    if (work !== 'sets') this.#others.add(from, to);
    const before = this.#reach.to;
    this.#reach.add(from, to);
    this.#waits.work(from, before, this.#reach.to);
    if (isKernel) this.#sums.kernels += to - from;
    if (work === 'kernels') this.#sums.computing += to - from;
    if (work === 'communications') this.#sums.communication += to - from;
  }

  /** Adds an instruction of an engine, also given to `add`. */
  addInstruction(engine: string, { from, to }: Stretch): void {
    entryOf(this.#engines, engine, () => new PicosecondUnion()).add(from, to);
  }

  /** Adds a wait for a transfer that the program started. @param awaited the transfer, in words */
  addTransferWait({ from, to }: Stretch, awaited: string): void {
    this.#gaps.transfers.add(from, to, awaited);
  }

  /** Number of activities that came out of order; unions are then too short. */
  get late(): number {
    return this.#unions.busy.outOfOrder + this.#sync.outOfOrder;
  }

  get isEmpty(): boolean {
    return this.#unions.busy.intervals === 0;
  }

  get #engineTimes(): readonly EngineTime[] {
    const dma = this.#unions.copy.total;
    const times = [...this.#engines].map(([engine, { total }]) => ({ engine, active: total / PS_PER_NS }));
    const all = dma > 0 ? [...times, { engine: 'DMA', active: dma / PS_PER_NS }] : times;
    return all.sort((a, b) => b.active - a.active || (a.engine < b.engine ? -1 : 1));
  }

  /** @param hasCopies whether the profile has the device's copies */
  result(device: number, name: string | null, hasCopies: boolean): DeviceTime {
    const { computing, communication, copy, device: both } = this.#unions;
    const span = this.#reach.length;
    const busy = this.#unions.busy.total;
    const { intervals: activities, total: linked } = this.#linked;
    const { count, longest, host, queue, transfer, missing } = this.#gaps;
    const idle = span - busy - missing.time;
    const lengths = {
      start: this.#reach.from,
      end: this.#reach.to,
      span,
      busy,
      idle,
      compute: computing.total,
      communication: communication.total,
      memory: copy.total,
      sync: this.#sync.total,
      exposed: both.total - computing.total,
      kernelSum: this.#sums.kernels,
      computeSum: this.#sums.computing,
      communicationSum: this.#sums.communication,
      copiesAlone: this.#others.total - both.total,
      setsAlone: busy - this.#others.total,
    };
    const unknown = Math.max(0, idle - host - queue - transfer);
    return {
      device,
      name,
      ...inNs(lengths),
      idleInWaits: missing.time > 0 ? null : Math.min(idle, this.#waits.total) / PS_PER_NS,
      counts: { ...this.#counts },
      ...(this.#engines.size === 0 ? undefined : { engines: this.#engineTimes }),
      missing: missingOf(missing),
      linked: activities === 0 ? null : { activities, ...inNs({ span: this.#linkedReach.length, busy: linked }) },
      gaps: {
        count,
        ...inNs({ longest, host, queue, unknown }),
        ...(activities === 0 ? { host: null, queue: null } : undefined),
        ...(transfer > 0 ? inNs({ transfer }) : undefined),
      },
      ...(hasCopies ? undefined : { ...WITHOUT_COPIES, bounds: inNs({ busy, idle }) }),
    };
  }
}
