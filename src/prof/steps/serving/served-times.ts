/** What the kernels of a server's step add up to: the step that they name, and their times by part of the model. */
import { PS_PER_NS } from '../../../containers/interval-union.js';
import { addTo } from '../../../containers/map-entry.js';
import type { KernelLine } from '../../../record/record.js';
import type { ServingStep } from '../../../record/serving-step.js';
import { MODEL_PARTS, modelPartOf, type ModelPart } from './model-part.js';
import { servingStepOf } from './serving-step-of.js';

/** Durations of kernels added up, ns. */
export type PartTimes = Readonly<Record<ModelPart, number>>;

export interface Served {
  /** Null where the kernels name several. */
  readonly step: ServingStep | null;
  readonly parts: PartTimes;
}

export class ServedTimes {
  readonly #steps = new Set<ServingStep>();
  /** In picoseconds. */
  readonly #parts = new Map<ModelPart, number>();

  /** Kernels outside of a server's steps are left out. @param time in picoseconds */
  add(kernel: KernelLine, time: number): void {
    const step = servingStepOf(kernel);
    if (step === null) return;
    if (this.#steps.size < 2) this.#steps.add(step);
    addTo(this.#parts, modelPartOf(kernel), time);
  }

  /** Null where no kernel was launched in a server's step. */
  get result(): Served | null {
    if (this.#steps.size === 0) return null;
    const [step = null] = this.#steps.size === 1 ? this.#steps : [];
    const parts = MODEL_PARTS.map((part) => [part, (this.#parts.get(part) ?? 0) / PS_PER_NS] as const);
    return { step, parts: Object.fromEntries(parts) as PartTimes };
  }
}
