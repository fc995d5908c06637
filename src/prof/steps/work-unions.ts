/**
 * Time in which a device worked, by kind of work, with first start and last end. Needs nothing of Node: pages use it in
 * a browser.
 */
import { PS_PER_NS, PicosecondUnion, type OnGap } from '../../containers/interval-union.js';
import type { StepWorkKind } from './step-work.js';

/**
 * Unions of a device's work by kind, in one pass in order of start time. In picoseconds; memory: the ends reached so far.
 */
export class WorkUnions {
  readonly computing = new PicosecondUnion();
  readonly communication = new PicosecondUnion();
  readonly copy = new PicosecondUnion();
  /** Compute and communication. */
  readonly device = new PicosecondUnion();
  readonly busy: PicosecondUnion;

  /** @param onGap called for each gap between any work */
  constructor(onGap: OnGap | null = null) {
    this.busy = new PicosecondUnion(onGap);
  }

  /** @param note for `onGap` */
  add(work: StepWorkKind, from: number, to: number, note = NaN): void {
    this.busy.add(from, to, note);
    this[work].add(from, to);
    if (work !== 'copy') this.device.add(from, to);
  }
}

/** First start and last end. */
export class Reach {
  from = Infinity;
  to = -Infinity;

  add(from: number, to: number): void {
    this.from = Math.min(this.from, from);
    this.to = Math.max(this.to, to);
  }

  get length(): number {
    return Math.max(0, this.to - this.from);
  }
}

/** Converts picoseconds to ns. */
export function inNs<Lengths extends Readonly<Record<string, number>>>(lengths: Lengths): Lengths {
  const entries = Object.entries(lengths).map(([name, ps]) => [name, ps / PS_PER_NS] as const);
  return Object.fromEntries(entries) as Lengths;
}
