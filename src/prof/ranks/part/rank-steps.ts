/** Steps of one device of a rank, in one pass over records in order of start. */
import { elementAt } from '../../../containers/element.js';
import { PicosecondUnion, PS_PER_NS } from '../../../containers/interval-union.js';
import { boundedEntryOf } from '../../../containers/map-entry.js';
import type { Annotated } from '../../annotate.js';
import type { HostSteps } from '../../steps/host-steps.js';
import { DeviceIdle, StepSums } from '../../steps/step-sums.js';
import { Reach } from '../../steps/work-unions.js';
import type { MissingWork } from '../../steps/missing-work.js';
import type { StepActivity, StepWorkKind } from '../../steps/step-work.js';
import type { StepColumns } from './rank-part.js';

/** Maximum number of steps of a device to keep. */
const MOST_STEPS = 1000;

/** Work outside of steps is used only when there are no steps. */
type StepKey = number | null;

interface KeptStep {
  /** Sorted by first work. */
  readonly index: number;
  readonly sums: StepSums;
  readonly reach: Reach;
  /** Compute, and communication except messages between two ranks. */
  readonly withoutMessages: PicosecondUnion;
  flops: number | null;
  memory: number | null;
}

export class RankSteps {
  readonly #steps = new Map<StepKey, KeptStep>();
  readonly #idle = new DeviceIdle();
  /** Number of pieces of work in steps beyond the limit. */
  leftOut = 0;
  /** Times in which launched work is missing, and steps with work without a duration; their idle time is unknown. */
  readonly missing: MissingWork[] = [];
  readonly untimed = new Set<StepKey>();

  /** @param isMessage whether it only sends or receives */
  add(work: StepWorkKind, record: StepActivity, start: number, end: number, isMessage: boolean): void {
    const kept = this.#at(record.step ?? null);
    if (kept === null) return;
    kept.sums.add(work, record, start, end, () => null);
    kept.reach.add(start, end);
    if (isMessage || work === 'copy') return;
    const [rest, more] = record.ps ?? [0, 0];
    const from = start * PS_PER_NS + rest;
    kept.withoutMessages.add(from, from + (end - start) * PS_PER_NS + more);
  }

  /**
   * Adds the FLOPs of a kernel.
   * @returns the index of its step; null when it is in no kept step
   */
  addWork({ record, flops }: Annotated): number | null {
    const kept = this.#at(record.step ?? null);
    if (kept === null) return null;
    if (flops !== null) kept.flops = (kept.flops ?? 0) + flops;
    return kept.index;
  }

  /** Records memory in use in bytes, while the host was in a step. */
  addMemory(step: StepKey, bytes: number): void {
    const kept = this.#at(step);
    if (kept !== null) kept.memory = Math.max(bytes, kept.memory ?? 0);
  }

  /** Steps with work, in order of their numbers; work outside of steps when there are no others. */
  get #kept(): (readonly [StepKey, KeptStep])[] {
    const worked = [...this.#steps].filter(([, { reach }]) => reach.to >= reach.from);
    const numbered = worked.filter(([step]) => step !== null);
    return (numbered.length > 0 ? numbered : worked).sort(([a], [b]) => Number(a) - Number(b));
  }

  /** Indices of the steps in the order of the columns. */
  get order(): number[] {
    return this.#kept.map(([, { index }]) => index);
  }

  columns(host: HostSteps): StepColumns {
    const kept = this.#kept;
    const times = kept.map(([, { sums }]) => sums.times);
    const at = (index: number) => elementAt(times, index);
    const missing = new Set([...this.untimed, ...this.missing.flatMap(({ start, end }) => host.within(start, end))]);
    const isUnknown = (step: StepKey): boolean => (step === null ? missing.size > 0 : missing.has(step));
    const each = <Value>(valueOf: (step: KeptStep, number: StepKey, index: number) => Value): Value[] =>
      kept.map(([number, step], index) => valueOf(step, number, index));
    return {
      step: each((_, number) => number),
      start: each(({ reach }) => reach.from),
      end: each(({ reach }) => reach.to),
      compute: each((_, __, index) => Math.round(at(index).computing)),
      communication: each((_, __, index) => Math.round(at(index).communication)),
      exposed: each((_, __, index) => Math.round(at(index).exposed)),
      messages: each(({ withoutMessages }, _, index) =>
        Math.round(at(index).computing + at(index).exposed - withoutMessages.total / PS_PER_NS),
      ),
      copies: each((_, __, index) => Math.round(at(index).copies)),
      idle: each((_, number, index) => (isUnknown(number) ? null : Math.round(at(index).idle))),
      preparing: each(({ reach }, number) => {
        const begin = number === null ? null : host.startOf(number);
        return begin === null ? null : reach.from - begin;
      }),
      flops: each(({ flops }) => flops),
      tokens: each(({ sums }) => sums.served?.step?.tokens ?? null),
      memory: each(({ memory }) => memory),
    };
  }

  #at(step: StepKey): KeptStep | null {
    const make = (): KeptStep => ({
      ...{ index: this.#steps.size, sums: new StepSums(this.#idle), reach: new Reach() },
      withoutMessages: new PicosecondUnion(),
      ...{ flops: null, memory: null },
    });
    const kept = boundedEntryOf(this.#steps, step, MOST_STEPS, make);
    if (kept === null) this.leftOut++;
    return kept;
  }
}
