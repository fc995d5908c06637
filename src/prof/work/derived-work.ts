/**
 * Derived work of a kernel from its op calls, cached because the kernels of a loop repeat with the same calls, names and
 * grids.
 */
import { renderParam, type Convention, type Family, type KernelFacts, type Work } from '../../ops/family.js';
import { collective, collectiveWork } from '../../ops/families/collective.js';
import { resolveWork, type ResolvedWork } from '../../ops/resolve-work.js';
import { familyOf } from '../../ops/table.js';
import type { Extent, KernelRecord, OpCall } from '../../record/record.js';
import type { Collective } from '../../record/fields/collective.js';
import type { ServingStep } from '../../record/serving-step.js';
import { isSameList } from '../../containers/element.js';
import { LruCache, entryOf } from '../../containers/map-entry.js';

const KEPT = 2048;
/**
 * Maximum number of entries with the same innermost call and name; if there are more, they differ in every launch and
 * caching does not help.
 */
const MOST_ALIKE = 16;

interface Known<Entry> {
  readonly calls: readonly OpCall[];
  readonly entry: Entry;
}

/**
 * Values derived from a kernel, cached by its calls and its name. The kernels of a loop repeat both. Equal calls are
 * usually the same object, in records (see `RepeatedFieldParser`) and in a parsed profile. Memory: up to `kept` times
 * MOST_ALIKE entries.
 */
export class KernelMemo<Entry> {
  /** Entries by innermost call and kernel name. */
  #entries: LruCache<OpCall | null, Map<string, Known<Entry>[]>>;
  /** Upper bound of the number of entries. */
  #made = 0;

  /** @param kept maximum number of calls */
  constructor(private readonly kept = KEPT) {
    this.#entries = new LruCache(kept);
  }

  /**
   * The entry of a kernel, created when there is none.
   * @param isOf whether a known entry, of a kernel with the same calls and name, fits this kernel
   */
  of(calls: readonly OpCall[], name: string, isOf: (entry: Entry) => boolean, make: () => Entry): Entry {
    const known = this.#alike(calls, name);
    const same = known.find((candidate) => isSameList(candidate.calls, calls) && isOf(candidate.entry));
    if (same !== undefined) return same.entry;
    const entry = make();
    this.#keep(known, { calls, entry });
    return entry;
  }

  /** Entries with the same innermost call and name. */
  #alike(calls: readonly OpCall[], name: string): Known<Entry>[] {
    const names = this.#entries.of(calls.at(-1) ?? null, () => new Map<string, Known<Entry>[]>());
    return entryOf(names, name, () => []);
  }

  #keep(known: Known<Entry>[], added: Known<Entry>): void {
    if (known.length >= MOST_ALIKE) known.length = 0;
    known.push(added);
    if (++this.#made === this.kept * MOST_ALIKE) this.#forget();
  }

  #forget(): void {
    this.#entries = new LruCache(this.kept);
    this.#made = 0;
  }
}

export interface DerivedWork {
  /** The innermost call that has a formula for its arguments, and the work that it gives the kernel. */
  readonly described: ResolvedWork | null;
  /** The name that the outermost call's family gives this kernel (`bias` for a linear layer's bias kernel). */
  readonly label: string | null;
  /** `key=value` of each parameter, without blanks; only the value when there is no key. */
  readonly params: readonly string[] | null;
}

/** The fields of a kernel on which its work depends. */
type KernelKey = Pick<KernelRecord, 'name' | 'short' | 'dir' | 'sub' | 'grid' | 'block'>;

interface CachedWork extends KernelKey {
  readonly serving: ServingStep | null;
  readonly convention: Convention | null;
  readonly derived: DerivedWork;
}

const memo = new KernelMemo<CachedWork>();

export const NO_WORK: DerivedWork = { described: null, label: null, params: null };

/** Replaces the work that follows from the name alone by the kernel's share of its op's work (see `attribution.ts`). */
export const withWork = (derived: DerivedWork, work: Work): DerivedWork =>
  derived.described === null ? derived : { ...derived, described: { ...derived.described, work } };

/** The work of a share of a kernel's time. */
export function workInShare(derived: DerivedWork, share: number): DerivedWork {
  if (derived.described === null) return derived;
  const { work } = derived.described;
  const part = (amount: number | null): number | null => (amount === null ? null : amount * share);
  return withWork(derived, { ...work, flops: part(work.flops), bytes: part(work.bytes) });
}

/**
 * @param calls the calls around the launch, outermost first
 * @param serving the server's step that launched it, for calls whose formulas use it
 * @param convention how work is counted; null for the default
 */
export function deriveFromCalls(
  calls: readonly OpCall[],
  kernel: KernelKey,
  serving: ServingStep | null = null,
  convention: Convention | null = null,
): DerivedWork {
  if (calls.length === 0) return NO_WORK;
  const { name, short, dir, sub, grid, block } = kernel;
  return memo.of(
    calls,
    name,
    (other) => other.serving === serving && other.convention === convention && isSame(other, kernel),
    () => {
      const facts = { name, short, dir, sub, grid, block, serving, convention };
      return { ...facts, derived: compute(calls, facts) };
    },
  ).derived;
}

const isSame = (a: KernelKey, b: KernelKey): boolean =>
  a.sub === b.sub && a.dir === b.dir && a.short === b.short && isExtent(a.grid, b.grid) && isExtent(a.block, b.block);

const isExtent = (a: Extent | null, b: Extent | null): boolean =>
  a === b || (a !== null && b !== null && a[0] === b[0] && a[1] === b[1] && a[2] === b[2]);

/** The family of kernels whose work follows from their records, not from op calls. */
export const familyOfRecords = (id: string, title: string): Family => ({
  ...{ id, title, category: null, ops: [], formulas: [] },
  work: () => null,
});

/** The work of a kernel that its own record describes, when no call around it does. */
export const workOfKernel = (call: OpCall, family: Family, work: Work): ResolvedWork => ({
  index: -1,
  call,
  family,
  work,
  whole: work,
  typedBy: null,
});

/** The work of a kernel of a collective operation, whatever the calls around it. */
export function workOfCollective(operation: Collective): DerivedWork {
  const work = collectiveWork(operation);
  const call = { mod: 'c10d', op: operation.op, args: [] };
  return { described: workOfKernel(call, collective, work), label: null, params: work.params.map(renderParam) };
}

function compute(calls: readonly OpCall[], kernel: KernelFacts): DerivedWork {
  const described = resolveWork(calls, kernel);
  return {
    described,
    label: labelOf(calls, kernel, described),
    params: described?.work.params.map(renderParam) ?? null,
  };
}

function labelOf([outermost]: readonly OpCall[], kernel: KernelFacts, described: ResolvedWork | null): string | null {
  // A label states which part of a forward call in Python the kernel is. A call of the dispatcher is such a part
  // itself.
  if (outermost === undefined || outermost.from !== undefined) return null;
  if (described?.index === 0) return described.work.label ?? null;
  return familyOf(outermost)?.work(outermost, kernel)?.label ?? null;
}
