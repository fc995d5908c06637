/**
 * How long each step took, and how busy each device was with the work that it launched, in one pass over work in order of
 * start.
 */
import { entryOf } from '../../containers/map-entry.js';
import type { KernelLine } from '../../record/record.js';
import { lengthSpread } from '../../record/statistics.js';
import { ServedTimes, stepTime } from '../steps/serving/served-times.js';
import { phasesOf, servedStep } from '../steps/serving/serving-summary.js';
import { MOST_STEPS } from '../steps/host-steps.js';
import { KernelTimes } from '../steps/step-sums.js';
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
  readonly served: ServedTimes;
}

export class StepSpans {
  readonly #steps = new Map<number, Map<number, StepSpan>>();
  #kept = 0;
  /** Number of activities of steps beyond the maximum. */
  leftOut = 0;

  /**
   * @param kernel null for other work
   * @param isOwn whether a thread of the step itself launched a kernel; null when unknown
   */
  add(
    step: number,
    device: number,
    { from, to }: Stretch,
    kernel: KernelLine | null,
    isOwn: (kernel: KernelLine) => boolean | null,
  ): void {
    const span = this.#of(step, device);
    if (span === null) {
      this.leftOut++;
      return;
    }
    span.from = Math.min(span.from, from);
    span.to = Math.max(span.to, to);
    span.busy.add(from, to);
    if (kernel === null) return;
    span.kernels.add(to - from, isOwn(kernel));
    span.served.add(kernel, to - from);
  }

  /**
   * In order of device and step; null without steps.
   * @param iterationOf duration of a step's iteration on the host in ns; null when unknown
   */
  result(iterationOf: (step: number) => number | null): StepSummary | null {
    const list = [...this.#steps]
      .sort(([a], [b]) => a - b)
      .flatMap(([, steps]) => [...steps.values()].sort((a, b) => a.step - b.step))
      .map(({ step, device, from, to, busy, kernels, served: { result: served } }) => {
        const [iteration, busyTime] = [iterationOf(step), busy.total / PS_PER_NS];
        return {
          step,
          device,
          iteration,
          span: (to - from) / PS_PER_NS,
          busy: busyTime,
          kernelTime: kernels.all,
          ownKernelTime: kernels.own,
          ...(served === null ? {} : { served: servedStep(served, stepTime(iteration, busyTime)) }),
        };
      });
    // A step on several devices is one iteration.
    const iterations = new Map(list.map(({ step, iteration }) => [step, iteration]));
    const serving = phasesOf(list);
    const device = lengthSpread(list.map(({ span }) => span));
    if (device === null) return null;
    return {
      ...{ count: iterations.size, list, device },
      host: lengthSpread([...iterations.values()].flatMap((iteration) => iteration ?? [])),
      ...(serving.length === 0 ? {} : { serving }),
    };
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
      served: new ServedTimes(),
    };
    steps.set(step, span);
    return span;
  }
}
