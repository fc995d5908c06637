/** Device time of one step, or of a whole profile, in one pass over work in order of start time. */
import { IntervalUnion, PS_PER_NS } from '../../containers/interval-union.js';
import type { KernelLine } from '../../record/record.js';
import { ServedTimes, type Served } from './serving/served-times.js';
import { GapSums } from './gap-sums.js';
import { launchedAt, receives, type StepActivity, type StepWorkKind } from './step-work.js';
import { inNs, Reach, WorkUnions } from './work-unions.js';

/**
 * Sums of the durations of a step's kernels: all kernels that were launched in it, and those that its own threads launched.
 */
export class KernelTimes {
  /** Unit: ps. */
  #all = 0;
  #ownTime: number | null = 0;

  /**
   * @param time in picoseconds
   * @param isOwn whether a thread of the step itself launched the kernel; null when unknown
   */
  add(time: number, isOwn: boolean | null): void {
    this.#all += time;
    if (isOwn === null) this.#ownTime = null;
    else if (isOwn && this.#ownTime !== null) this.#ownTime += time;
  }

  /** Unit: ns. */
  get all(): number {
    return this.#all / PS_PER_NS;
  }

  /** Unit: ns; null when the launching thread of any kernel is unknown. */
  get own(): number | null {
    return this.#ownTime === null ? null : this.#ownTime / PS_PER_NS;
  }
}

/** Idle time and the parts of it whose cause is known, in picoseconds. */
interface IdleTimes {
  readonly all: number;
  /** The device waited for the host to launch work. */
  readonly host: number;
  /** Work was queued. */
  readonly queue: number;
}

/** Start and end of work. @param start in ns, as `end` */
function inPicoseconds({ ps }: StepActivity, start: number, end: number): [from: number, to: number] {
  const [rest, more] = ps ?? [0, 0];
  const from = start * PS_PER_NS + rest;
  return [from, from + (end - start) * PS_PER_NS + more];
}

/** Idle time of a device so far, in which no work of any step runs; work must arrive in order of start time. */
export class DeviceIdle {
  readonly #busy = new IntervalUnion();
  readonly #gaps = new GapSums();
  #from = NaN;
  /** Whether the launch of any work is known. */
  isLinked = false;

  /**
   * @param from in picoseconds, as `to`
   * @param launched start of the launch in ns; null when not known
   * @returns the idle time from the first work of the device to this
   */
  add(from: number, to: number, launched: number | null): IdleTimes {
    if (Number.isNaN(this.#from)) this.#from = from;
    if (launched !== null) this.isLinked = true;
    const { end } = this.#busy;
    if (this.#busy.add(from, to)) this.#gaps.add(end, from, launched === null ? NaN : launched * PS_PER_NS);
    const { host, queue } = this.#gaps;
    return { all: this.#busy.end - this.#from - this.#busy.total, host, queue };
  }

  /** Adds work in no step. @param start in ns, as `end` */
  addWork(record: StepActivity, start: number, end: number): void {
    this.add(...inPicoseconds(record, start, end), launchedAt(record));
  }

  /** Adds a wait for a transfer that the program started. @param awaited the transfer, in words */
  wait(from: number, to: number, awaited: string): void {
    this.#gaps.transfers.add(from, to, awaited);
  }
}

export class StepSums {
  readonly #unions = new WorkUnions();
  /** First start and last end of compute and communication. */
  readonly #reach = new Reach();
  readonly #reachOfAll = new Reach();
  /** Sum of the durations of receive operations, in picoseconds. */
  #bubble = 0;
  kernels = 0;
  collectives = 0;
  readonly kernelTimes = new KernelTimes();
  readonly #served = new ServedTimes();
  /** Idle time of the device up to the first and up to the latest work of the step. */
  #idleBefore: IdleTimes | null = null;
  #idleUpTo: IdleTimes | null = null;

  /** @param device idle time of the device that the work runs on */
  constructor(private readonly device = new DeviceIdle()) {}

  /**
   * @param start in ns
   * @param end in ns
   * @param isOwn whether a thread of the step itself launched a kernel; null when unknown
   */
  add(
    work: StepWorkKind,
    record: StepActivity,
    start: number,
    end: number,
    isOwn: (kernel: KernelLine) => boolean | null,
  ): void {
    const [from, to] = inPicoseconds(record, start, end);
    this.#unions.add(work, from, to);
    this.#reachOfAll.add(from, to);
    this.#idleUpTo = this.device.add(from, to, launchedAt(record));
    this.#idleBefore ??= this.#idleUpTo;
    if (record.type === 'kernel') {
      this.kernelTimes.add(to - from, isOwn(record));
      this.#served.add(record, to - from);
    }
    if (work === 'copy') return;
    if (work === 'computing') this.kernels++;
    else this.collectives++;
    this.#reach.add(from, to);
    if (receives(record)) this.#bubble += to - from;
  }

  /** Number of activities that came out of order. */
  get late(): number {
    return this.#unions.busy.outOfOrder;
  }

  /** Times of the server's step that launched the kernels; null for none. */
  get served(): Served | null {
    return this.#served.result;
  }

  /** Start of the first compute or communication, in ns; null when there is none. */
  get first(): number | null {
    return this.kernels + this.collectives > 0 ? this.#reach.from / PS_PER_NS : null;
  }

  /** Lengths in ns. */
  get times() {
    const { computing, communication, copy, device, busy } = this.#unions;
    const exposed = device.total - computing.total;
    return inNs({
      computing: computing.total,
      communication: communication.total,
      copies: copy.total,
      overlapped: communication.total + computing.total - device.total,
      /** Exposed: communication while no compute runs. Copies may run. */
      exposed,
      notOverlappedNoReceive: exposed - this.#bubble,
      bubble: this.#bubble,
      /** From the first start to the last end of compute and communication, minus the time of receive operations. */
      stage: this.#reach.length - this.#bubble,
      /** From the first start to the last end of compute and communication, minus the time in which either runs. */
      free: this.#reach.length - device.total,
      busy: busy.total,
      /** From the first start to the last end of anything. */
      span: this.#reachOfAll.length,
      /** The part of the span in which nothing runs on the device, not even work of other steps. */
      idle: this.#idle('all'),
    });
  }

  /** The parts of `idle` in ns in which the device waited for launches, and in which work was queued; null when unknown. */
  get idleCauses(): Readonly<Record<'host' | 'queue', number | null>> {
    if (!this.device.isLinked) return { host: null, queue: null };
    return inNs({ host: this.#idle('host'), queue: this.#idle('queue') });
  }

  #idle(part: keyof IdleTimes): number {
    const [before, upTo] = [this.#idleBefore, this.#idleUpTo];
    return before === null || upTo === null ? 0 : upTo[part] - before[part];
  }
}
