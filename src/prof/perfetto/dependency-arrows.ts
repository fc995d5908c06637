/**
 * Arrows from an instruction to those that waited for it. They start at its slice, which must be held back until those
 * come (see `reorder-buffer.ts`).
 */
import type { KernelRecord } from '../../record/record.js';
import { InstructionDependencies } from '../neuron/instructions/dependencies.js';
import { dependencyText } from '../neuron/instructions/instruction-text.js';
import type { ArrowKind, TraceArg } from './trace-element.js';

/** Arrows at the slice of an instruction. */
export interface SliceArrows {
  /** Profile and number of its kernel. */
  readonly key: string;
  /** What they stand for. */
  readonly kind: ArrowKind;
  /** Numbers of the arrows that start here: more of them come while the slice is held back. */
  readonly flows: number[];
  readonly endsFlows: readonly number[];
  /** Those that end at the end of the slice. */
  readonly endsLateFlows?: readonly number[];
  /** What it waited for, in words; none where it waited for nothing. */
  readonly args: readonly TraceArg[];
}

interface HeldInstruction extends SliceArrows {
  /** ns */
  readonly start: number;
}

const keyOf = (profile: number, kernel: number): string => `${profile}/${kernel}`;

export class DependencyArrows {
  readonly #dependencies = new InstructionDependencies();
  /** By profile and number of the kernel, those whose slices are held back. */
  readonly #held = new Map<string, HeldInstruction>();
  arrows = 0;
  /** Dependencies without an arrow: on an instruction that is no longer held, or does not start before. */
  withoutArrow = 0;

  /** @param nextFlow number of a new arrow */
  constructor(private readonly nextFlow: () => number) {}

  /** To be called with all instructions in their order; `close` ends what this begins. */
  open(record: KernelRecord): SliceArrows {
    const { profile, id, start } = record;
    const key = keyOf(profile, id);
    const found = this.#dependencies.take(record);
    const endsFlows = found.flatMap(({ on }) => this.#arrow(on === null ? null : keyOf(profile, on.kernel), start));
    const text = found.map((each) => dependencyText(each, start)).join(' | ');
    const held = {
      key,
      kind: 'dependency' as const,
      start,
      flows: [],
      endsFlows,
      args: text === '' ? [] : [['after', text] as const],
    };
    this.#held.set(key, held);
    return held;
  }

  /** To be called when the slice is emitted: no further arrows can start there. */
  close({ key }: SliceArrows): void {
    this.#held.delete(key);
  }

  #arrow(from: string | null, start: number): number[] {
    const before = from === null ? undefined : this.#held.get(from);
    if (before === undefined || before.start >= start) {
      this.withoutArrow++;
      return [];
    }
    const flow = this.nextFlow();
    this.arrows++;
    before.flows.push(flow);
    return [flow];
  }
}
