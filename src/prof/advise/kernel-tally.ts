/** The kernels that a finding is about: how many, how long, under which names, and the longest. */
import { IntervalUnion } from '../../containers/interval-union.js';
import type { Load } from '../roofline/roofline.js';
import { NS_PER_S } from '../../record/units.js';
import type { Gain } from './finding.js';
import { Longest, Ranking, type RankedRecord } from './longest.js';

export class KernelTally {
  count = 0;
  /** Durations added up, ns. */
  time = 0;
  /** Time in which any of them ran. */
  readonly #union = new IntervalUnion();
  /** The same of those that were merged: each sort may run while another does. */
  #merged = 0;
  readonly names = new Ranking();
  readonly longest = new Longest();

  /** Its time, `dur` ns, is ranked under the name. */
  add(record: RankedRecord & { readonly start: number }, name: string, dur: number): void {
    this.count++;
    this.time += dur;
    this.#union.add(record.start, record.start + dur);
    this.names.add(name, dur);
    this.longest.add(record);
  }

  merge(more: KernelTally): void {
    this.count += more.count;
    this.time += more.time;
    this.#merged += more.stake;
    this.names.merge(more.names);
    this.longest.merge(more.longest);
  }

  /** ns of the device in which they ran: no more than it has, however many run at once. */
  get stake(): number {
    return this.#union.total + this.#merged;
  }

  /** The fields of a finding that follow from its kernels; what may be gained is not known. */
  get facts() {
    const { count, time, stake, longest } = this;
    return { stake, gain: null, kernels: longest.ids, count, evidence: { kernels: count, timeNs: time } };
  }
}

/** Kernels that could be faster, with how much faster where their work is known. */
export class GainTally extends KernelTally {
  /** ns, of `known` kernels. */
  gain = 0;
  known = 0;

  /** @param saved ns; null where it is not known */
  addGain(saved: number | null): void {
    if (saved === null) return;
    this.known++;
    this.gain += saved;
  }

  override merge(more: GainTally): void {
    super.merge(more);
    this.gain += more.gain;
    this.known += more.known;
  }

  /** What may be gained, at most; null where no work is known. @param how it is computed for one kernel */
  bound(how: string): Gain | null {
    if (this.known === 0) return null;
    const of = this.known < this.count ? ` of ${this.known} kernels with known FLOPs and bytes` : '';
    return { ns: Math.min(this.gain, this.stake), how: `sum${of} of ${how}`, isBound: true };
  }
}

/**
 * ns that a kernel takes longer than the device needs at least; 0 where it is no slower.
 * @param flopsPerS and `bytesPerS`: peaks
 * @returns null where an amount or a rate is not known
 */
export function excess(
  dur: number,
  { flops, bytes }: Pick<Load, 'flops' | 'bytes'>,
  flopsPerS: number | null,
  bytesPerS: number | null,
): number | null {
  if (flops === null || bytes === null || flopsPerS === null || bytesPerS === null) return null;
  return Math.max(0, dur - Math.max(flops / flopsPerS, bytes / bytesPerS) * NS_PER_S);
}
