/** How long each step took, and how busy each device was with what it launched, in one pass over work in order of start. */
import { entryOf } from '../../containers/map-entry.js';
import { spreadOf } from '../../record/statistics.js';
import { MOST_STEPS } from '../steps/host-steps.js';
import { KernelTimes } from '../steps/kernel-times.js';
import { PS_PER_NS, PicosecondUnion } from '../../containers/interval-union.js';
import type { Stretch } from './device-sums.js';
import type { StepSummary } from './summary-data.js';

interface StepSpan {
  readonly step: number;
  readonly device: number;
  from: number;
  to: number;
  readonly busy: PicosecondUnion;
  readonly kernels: KernelTimes;
}

export class StepSpans {
  readonly #steps = new Map<number, Map<number, StepSpan>>();
  #kept = 0;
  /** Activities of steps beyond those that are kept. */
  leftOut = 0;

  /** @param isOwn whether a thread of the step itself launched a kernel, null where unknown; undefined for other work */
  add(step: number, device: number, { from, to }: Stretch, isOwn: boolean | null | undefined): void {
    const span = this.#of(step, device);
    if (span === null) {
      this.leftOut++;
      return;
    }
    span.from = Math.min(span.from, from);
    span.to = Math.max(span.to, to);
    span.busy.add(from, to);
    if (isOwn !== undefined) span.kernels.add(to - from, isOwn);
  }

  /**
   * In order of device and step; null without steps.
   * @param iterationOf length of a step's iteration on the host, ns; null when unknown: then from first work to last
   */
  result(iterationOf: (step: number) => number | null): StepSummary | null {
    const list = [...this.#steps]
      .sort(([a], [b]) => a - b)
      .flatMap(([, steps]) => [...steps.values()].sort((a, b) => a.step - b.step))
      .map(({ step, device, from, to, busy, kernels }) => ({
        step,
        device,
        span: iterationOf(step) ?? (to - from) / PS_PER_NS,
        busy: busy.total / PS_PER_NS,
        kernelTime: kernels.all,
        ownKernelTime: kernels.own,
      }));
    if (list.length === 0) return null;
    const count = new Set(list.map(({ step }) => step)).size;
    const { median, min, max, mean, stddev } = spreadOf(Float64Array.from(list.map(({ span }) => span)));
    return { count, list, median, min, max, variation: list.length < 2 || mean === 0 ? null : stddev / mean };
  }

  #of(step: number, device: number): StepSpan | null {
    const steps = entryOf(this.#steps, device, () => new Map<number, StepSpan>());
    const known = steps.get(step);
    if (known !== undefined) return known;
    if (this.#kept >= MOST_STEPS) return null;
    this.#kept++;
    const span = {
      step,
      device,
      from: Infinity,
      to: -Infinity,
      busy: new PicosecondUnion(),
      kernels: new KernelTimes(),
    };
    steps.set(step, span);
    return span;
  }
}
