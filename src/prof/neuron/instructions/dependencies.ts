/**
 * What instructions wait for. Records name the instructions before by the tool's ids; those of the last instructions are
 * held, by which the ids become kernels. Memory: 200 bytes for each of the instructions that are held.
 */
import { LruCache } from '../../../containers/map-entry.js';
import type { KernelRecord } from '../../../record/record.js';
import { operandsOf, updatesOf, waitsOf } from '../../../ops/neuron/instruction-work.js';

/** Instructions that are held at least. */
const MOST_HELD = 1 << 16;

/** An instruction that another one waits for. */
export interface EarlierInstruction {
  /** Number of its kernel in its profile. */
  readonly kernel: number;
  readonly name: string;
  readonly engine: string | null;
  /** ns; null where it is not known. */
  readonly end: number | null;
  readonly operands: string;
}

export interface ResolvedDependency {
  /** As in records: decimal text. */
  readonly id: string;
  /** 'flow', 'anti', 'output', 'ordered'. */
  readonly kind: string;
  /** Null where it is not in the records before, or no longer held. */
  readonly on: EarlierInstruction | null;
  /**
   * Semaphore that joins the two, with its owner: the earlier one changes it, the later one waits for it. Null where none
   * does: an engine keeps its own order, and waits once for several instructions.
   */
  readonly semaphore: string | null;
}

const NONE: readonly never[] = [];

export class InstructionDependencies {
  #held = new LruCache<string, EarlierInstruction>(MOST_HELD);
  #profile = -1;

  /** Dependencies of a kernel, in the order of its record. To be called with all kernels in their order. */
  take(record: KernelRecord): readonly ResolvedDependency[] {
    const id = record.labels?.['id'];
    if (id === undefined) return NONE;
    if (record.profile !== this.#profile) {
      this.#profile = record.profile;
      this.#held = new LruCache(MOST_HELD);
    }
    const found = record.after === undefined ? NONE : this.#resolve(record);
    const { id: kernel, short: name, engine = null, operands = '', start, dur } = record;
    this.#held.set(String(id), { kernel, name, engine, operands, end: dur === null ? null : start + dur });
    return found;
  }

  #resolve({ after = NONE, operands = '' }: KernelRecord): readonly ResolvedDependency[] {
    const waits = waitsOf(operandsOf(operands));
    return after.map(({ id, kind }) => {
      const on = this.#held.get(id) ?? null;
      return { id, kind, on, semaphore: on === null ? null : joining(on.operands, waits) };
    });
  }
}

function joining(earlier: string, waits: ReadonlyMap<string, string>): string | null {
  if (waits.size === 0) return null;
  for (const name of updatesOf(operandsOf(earlier))) {
    const owner = waits.get(name);
    if (owner !== undefined) return owner === '' ? name : `${name} (${owner})`;
  }
  return null;
}
