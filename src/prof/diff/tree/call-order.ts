/**
 * Which call of an op in a layer a kernel belongs to: the first in its step, the second … Kernels come in order of
 * start. Bounded: only the calls of the last few steps are open, and only the last few calls of each.
 */
import type { KernelRecord } from '../../../record/record.js';

/** Maximum number of steps and of calls that are open at a time: work of one may overlap the next. */
const [OPEN_STEPS, OPEN_CALLS] = [2, 8];

/** A call whose kernels may still come. */
interface OpenCall {
  readonly place: number;
  readonly id: number | null;
  readonly seq: number | undefined;
  sub: number;
}

interface OpenStep {
  readonly sample: number;
  readonly calls: OpenCall[];
  count: number;
}

/** Number of calls in a step: undefined before the first step, null when steps differ. */
type PerStep = number | null | undefined;

const joined = (known: PerStep, count: number): PerStep => (known === undefined || known === count ? count : null);

export class CallOrder {
  readonly #open: OpenStep[] = [];

  /** @param sample number of the step */
  take(sample: number, record: KernelRecord, id: number | null): { readonly place: number; readonly isNew: boolean } {
    const step = this.#stepOf(sample);
    const [seq] = record.seq;
    const known = step.calls.find((call) =>
      id === null ? call.id === null && call.seq === seq && record.sub > call.sub : call.id === id,
    );
    if (known !== undefined) {
      known.sub = record.sub;
      return { place: known.place, isNew: false };
    }
    const place = step.count++;
    step.calls.push({ place, id, seq, sub: record.sub });
    if (step.calls.length > OPEN_CALLS) step.calls.shift();
    return { place, isNew: true };
  }

  #perStep: PerStep = undefined;

  /** Number of calls in each step that has any; null when steps differ. */
  get perStep(): number | null {
    let all = this.#perStep;
    for (const { count } of this.#open) all = joined(all, count);
    return all ?? null;
  }

  #stepOf(sample: number): OpenStep {
    const known = this.#open.find((step) => step.sample === sample);
    if (known !== undefined) return known;
    const step: OpenStep = { sample, calls: [], count: 0 };
    this.#open.push(step);
    if (this.#open.length > OPEN_STEPS) this.#perStep = joined(this.#perStep, this.#open.shift()?.count ?? 0);
    return step;
  }
}
