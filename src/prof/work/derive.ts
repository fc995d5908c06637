/**
 * Calls and kernel → the work, remembered: the kernels of a loop repeat with the same calls, names and grids, and
 * equal calls are mostly the same object (see `repeated-fields.ts` and `pair.ts`).
 */
import { renderParam } from '../../ops/family.js';
import { collective, collectiveWork } from '../../ops/families/collective.js';
import { resolveWork, type ResolvedWork } from '../../ops/resolve-work.js';
import { familyOf } from '../../ops/table.js';
import { Repeating } from '../../containers/lru-cache.js';
import type { Collective, Extent, KernelRecord, OpCall } from '../../record/record.js';

export interface Derived {
  /** The innermost call that has a formula for its arguments, and the work it gives the kernel. */
  readonly described: ResolvedWork | null;
  /** What the outermost call's family calls this kernel (`bias` for a linear layer's bias kernel). */
  readonly label: string | null;
  /** `key=value` of each parameter, without blanks; a bare value where there is no key. */
  readonly params: readonly string[] | null;
}

type Asked = Pick<KernelRecord, 'name' | 'short' | 'dir' | 'sub' | 'grid' | 'block'>;

interface Remembered extends Asked {
  readonly derived: Derived;
}

/** More kernels than this with the same calls and name differ in every launch: nothing is gained by remembering. */
const MOST = 16;

/** Calls whose work is remembered. */
const KEPT = 2048;

const memory = new Repeating<readonly OpCall[], Map<string, Remembered[]>>(KEPT);
const NOTHING: Derived = { described: null, label: null, params: null };

export function derive(calls: readonly OpCall[], kernel: Asked): Derived {
  if (calls.length === 0) return NOTHING;
  if (!memory.pays) return compute(calls, kernel);
  const names = memory.of(calls, () => new Map<string, Remembered[]>());
  let known = names.get(kernel.name);
  if (known === undefined) names.set(kernel.name, (known = []));
  const same = known.find((other) => isSame(other, kernel));
  if (same !== undefined) return same.derived;
  const derived = compute(calls, kernel);
  if (known.length >= MOST) known.length = 0;
  const { name, short, dir, sub, grid, block } = kernel;
  known.push({ name, short, dir, sub, grid, block, derived });
  return derived;
}

const isSame = (a: Asked, b: Asked): boolean =>
  a.sub === b.sub && a.dir === b.dir && a.short === b.short && isExtent(a.grid, b.grid) && isExtent(a.block, b.block);

const isExtent = (a: Extent | null, b: Extent | null): boolean =>
  a === b || (a !== null && b !== null && a[0] === b[0] && a[1] === b[1] && a[2] === b[2]);

/** A kernel that tells of its collective itself, whatever the calls around it. */
export function ofCollective(told: Collective): Derived {
  const call: OpCall = { mod: 'c10d', op: told.op, args: [] };
  const work = collectiveWork(told);
  return {
    described: { index: -1, call, family: collective, work, whole: work, typedBy: null },
    label: null,
    params: work.params.map(renderParam),
  };
}

function compute(calls: readonly OpCall[], kernel: Asked): Derived {
  const described = resolveWork(calls, kernel);
  return {
    described,
    label: labelOf(calls, kernel, described),
    params: described?.work.params.map(renderParam) ?? null,
  };
}

function labelOf([outermost]: readonly OpCall[], kernel: Asked, described: ResolvedWork | null): string | null {
  // What a label tells is the place in a forward call, which a call of the dispatcher does itself.
  if (outermost === undefined || outermost.from !== undefined) return null;
  if (described?.index === 0) return described.work.label ?? null;
  return familyOf(outermost)?.work(outermost, kernel)?.label ?? null;
}
