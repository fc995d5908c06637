/** Sums over the kernels of one node of the tree in one input. */
import { addTimes } from '../../../record/fields/times.js';
import type { Annotated } from '../../annotate.js';
import type { KernelSum } from '../../tally/kernel-tally.js';

/** Maximum number of different strings to keep for a node. */
const MOST_TEXTS = 16;

/** A sum over the kernels for which the value is known. */
export interface Known {
  sum: number;
  /** Time of these kernels in ns. */
  time: number;
}

const NONE: ReadonlySet<string> = new Set();

/** A few different strings. */
export class Texts {
  #all: Set<string> | null = null;
  /** Whether there are more strings than these. */
  isCut = false;

  get all(): ReadonlySet<string> {
    return this.#all ?? NONE;
  }

  add(text: string): void {
    if (this.all.has(text)) return;
    if (this.all.size < MOST_TEXTS) (this.#all ??= new Set()).add(text);
    else this.isCut = true;
  }

  addAll({ all, isCut }: Texts): void {
    for (const text of all) this.add(text);
    this.isCut ||= isCut;
  }

  /** The only text; null when there are several, or when they are not all known. */
  get only(): string | null {
    const [first = null] = this.all;
    return this.all.size === 1 && !this.isCut ? first : null;
  }
}

/** Sums over some kernels of one input. Times are ns. */
export class OpSums {
  kernels = 0;
  /** Number of op calls, or of kernels where no op is known; null when an input has no single kernels. */
  calls: number | null = 0;
  time = 0;
  readonly flops: Known = { sum: 0, time: 0 };
  readonly bytes: Known = { sum: 0, time: 0 };
  /** Minimum time on the device, according to its roofline. */
  readonly floor: Known = { sum: 0, time: 0 };
  /** Parameters of the calls; `isCut` when they are not known for all kernels. */
  readonly params = new Texts();
  /** Short names of the kernels. */
  readonly names = new Texts();

  /** @param dur in ns */
  add(row: Annotated, dur: number, isNewCall: boolean): void {
    const { flops, bytes, record, derived } = row;
    const { floor } = row.placement;
    this.kernels++;
    if (isNewCall && this.calls !== null) this.calls++;
    this.time = addTimes(this.time, dur);
    addKnown(this.flops, flops, dur);
    addKnown(this.bytes, bytes, dur);
    addKnown(this.floor, floor, dur);
    if (derived.params === null) this.params.isCut = true;
    else this.params.add([derived.params].flat().join());
    this.names.add(record.short);
  }

  /** Adds a group of kernels whose number of calls is not known. @param name null when it is not known */
  addGroup({ count, time, flops, bytes }: KernelSum, name: string | null): void {
    this.kernels += count;
    this.calls = null;
    this.time = addTimes(this.time, time);
    addSum(this.flops, flops);
    addSum(this.bytes, bytes);
    this.params.isCut = true;
    if (name === null) this.names.isCut = true;
    else this.names.add(name);
  }

  merge(other: OpSums): void {
    this.kernels += other.kernels;
    this.calls = this.calls === null || other.calls === null ? null : this.calls + other.calls;
    this.time = addTimes(this.time, other.time);
    addSum(this.flops, other.flops);
    addSum(this.bytes, other.bytes);
    addSum(this.floor, other.floor);
    this.params.addAll(other.params);
    this.names.addAll(other.names);
  }

  /** Time over the minimum time of the kernels whose minimum time is known; null when none is. */
  get gap(): number | null {
    const { sum, time } = this.floor;
    return sum > 0 ? time / sum : null;
  }

  /** A sum if it is known for all kernels; else null. */
  whole(kind: 'flops' | 'bytes'): number | null {
    const { sum, time } = this[kind];
    return this.kernels > 0 && time === this.time ? sum : null;
  }
}

function addKnown(known: Known, value: number | null, time: number): void {
  if (value !== null) addSum(known, { sum: value, time });
}

function addSum(known: Known, { sum, time }: Readonly<Known>): void {
  known.sum += sum;
  known.time = addTimes(known.time, time);
}
