/** What the profiler of one rank records: its work and its launches on its own clock. */
import { observed, ORIGIN_UNIX_NS } from './clocks.js';
import type { JobRank } from './layout.js';
import { SLOTS } from './messages.js';
import { isGradient, type JobOp } from './program.js';
import { launchStart, stepEnd, type SimulatedJob } from './simulate.js';
import { programOf } from './truth.js';

/** A time from and to, ns since the job's origin on the clock of the rank. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Work of a rank with its launch. */
export interface ObservedOp extends Span {
  readonly op: JobOp;
  readonly call: Span;
}

/** The share of the time that the host takes for a launch in which the call itself is. */
const CALL: readonly [number, number] = [0.3, 0.7];

export class RankView {
  readonly rank: JobRank;
  readonly ops: readonly JobOp[];

  constructor(
    readonly job: SimulatedJob,
    rank: number,
  ) {
    const own = job.ranks[rank];
    if (own === undefined) throw new RangeError(`no rank ${rank}`);
    this.rank = own;
    this.ops = programOf(job, rank).ops;
  }

  /** Process and threads; backward passes are on a thread of their own. */
  get pid(): number {
    return 4000 + this.rank.device;
  }

  threadOf(op: JobOp): number {
    return op.part?.pass.dir === 'bprop' || isGradient(op) ? this.pid + 100 : this.pid;
  }

  /** A true time on the rank's clock. */
  at(trueNs: number): number {
    return observed(this.#draws.clock, trueNs);
  }

  /** Work in the order of the program. */
  observed(op: JobOp): ObservedOp {
    const { starts, ends } = this.job;
    const [start, end] = [starts, ends].map((times) => this.at(times[this.rank.rank]?.[op.index] ?? NaN));
    return { op, start: start ?? NaN, end: end ?? NaN, call: this.within(op, op, ...CALL) };
  }

  /** From a share of the host's time for one launch to a share of that for another one. */
  within(first: JobOp, last: JobOp, from: number, to: number): Span {
    const { launch } = this.#draws;
    const begin = (op: JobOp): number => launchStart(this.#draws, this.#stepBegins, op);
    return {
      start: this.at(begin(first) + Math.round(from * (launch[first.step] ?? 0))),
      end: this.at(begin(last) + Math.round(to * (launch[last.step] ?? 0))),
    };
  }

  step(step: number): Span {
    return { start: this.at(this.#stepBegins[step] ?? NaN), end: this.at(stepEnd(this.#stepBegins, step)) };
  }

  /** When the profile begins: with the first step. */
  get begin(): number {
    return this.step(0).start;
  }

  get end(): number {
    return this.step(this.job.options.steps - 1).end;
  }

  get startUnixNs(): bigint {
    return ORIGIN_UNIX_NS + BigInt(this.begin);
  }

  /** The other rank of a message between two; null for a collective. */
  peerOf({ message }: JobOp): number | null {
    if (message?.kind !== 'send' && message?.kind !== 'recv') return null;
    const { all, of } = this.job.channels;
    const channel = all[of[this.rank.rank * SLOTS.length + SLOTS.indexOf(message.slot)] ?? -1];
    return channel?.members.find((rank) => rank !== this.rank.rank) ?? null;
  }

  get #draws(): SimulatedJob['draws'][number] {
    const draws = this.job.draws[this.rank.rank];
    if (draws === undefined) throw new RangeError(`no rank ${this.rank.rank}`);
    return draws;
  }

  get #stepBegins(): Float64Array {
    return this.job.stepBegins[this.rank.rank] ?? new Float64Array(0);
  }
}
