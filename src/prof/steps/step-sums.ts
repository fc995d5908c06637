/**
 * Device time of one step, or of a whole profile, in one pass: lengths of unions of intervals, which come in order of
 * start. Memory: the ends reached so far.
 */
import { PicosecondUnion, PS_PER_NS } from '../../containers/interval-union.js';
import { receives, type StepActivity, type StepWorkKind } from './step-work.js';

/** Which unions an activity is part of. */
const PARTS = {
  computing: ['computing', 'device', 'local', 'busy'],
  communication: ['communication', 'device', 'busy'],
  copy: ['copies', 'local', 'busy'],
} as const satisfies Readonly<Record<StepWorkKind, readonly string[]>>;

export class StepSums {
  readonly #unions = {
    computing: new PicosecondUnion(),
    communication: new PicosecondUnion(),
    copies: new PicosecondUnion(),
    /** Computing and communication. */
    device: new PicosecondUnion(),
    /** Computing and copies. */
    local: new PicosecondUnion(),
    busy: new PicosecondUnion(),
  };
  kernels = 0;
  collectives = 0;
  /** Picoseconds, as all that follow: receive operations, their durations added up. */
  #bubble = 0;
  /** Of computing and communication; infinite when there is none. */
  #first = Infinity;
  #last = -Infinity;
  #firstOfAll = Infinity;
  #lastOfAll = -Infinity;

  /** @param start and `end` in ns */
  add(work: StepWorkKind, record: StepActivity, start: number, end: number): void {
    const [rest, more] = record.ps ?? [0, 0];
    const from = start * PS_PER_NS + rest;
    const to = from + (end - start) * PS_PER_NS + more;
    for (const part of PARTS[work]) this.#unions[part].add(from, to);
    this.#firstOfAll = Math.min(this.#firstOfAll, from);
    this.#lastOfAll = Math.max(this.#lastOfAll, to);
    if (work === 'copy') return;
    if (work === 'computing') this.kernels++;
    else this.collectives++;
    this.#first = Math.min(this.#first, from);
    this.#last = Math.max(this.#last, to);
    if (receives(record)) this.#bubble += to - from;
  }

  /** Activities that came out of order. */
  get late(): number {
    return this.#unions.busy.outOfOrder;
  }

  /** Start of the first computing or communication, ns; null when there is none. */
  get first(): number | null {
    return this.kernels + this.collectives > 0 ? this.#first / PS_PER_NS : null;
  }

  /** From the first start to the last end of computing and communication. */
  get #length(): number {
    return Math.max(0, this.#last - this.#first);
  }

  /** Lengths in ns. */
  get computing(): number {
    return this.#unions.computing.total / PS_PER_NS;
  }
  get communication(): number {
    return this.#unions.communication.total / PS_PER_NS;
  }
  get copies(): number {
    return this.#unions.copies.total / PS_PER_NS;
  }
  /** Both computing and communication. */
  get overlapped(): number {
    const { computing, communication, device } = this.#unions;
    return (communication.total + computing.total - device.total) / PS_PER_NS;
  }
  /** Communication while nothing is computed. */
  get notOverlapped(): number {
    return (this.#unions.device.total - this.#unions.computing.total) / PS_PER_NS;
  }
  get notOverlappedNoReceive(): number {
    return (this.#unions.device.total - this.#unions.computing.total - this.#bubble) / PS_PER_NS;
  }
  get bubble(): number {
    return this.#bubble / PS_PER_NS;
  }
  /** From the first start to the last end, less what receive operations take. */
  get stage(): number {
    return (this.#length - this.#bubble) / PS_PER_NS;
  }
  /** From the first start to the last end, less computing and communication. */
  get free(): number {
    return (this.#length - this.#unions.device.total) / PS_PER_NS;
  }
  /** Communication while the device neither computes nor copies. */
  get exposed(): number {
    return (this.#unions.busy.total - this.#unions.local.total) / PS_PER_NS;
  }
  get busy(): number {
    return this.#unions.busy.total / PS_PER_NS;
  }
  /** From the first start to the last end of anything, less what runs. */
  get idle(): number {
    return (Math.max(0, this.#lastOfAll - this.#firstOfAll) - this.#unions.busy.total) / PS_PER_NS;
  }
}
