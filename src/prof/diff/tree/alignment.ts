/**
 * Which kernels of two inputs do the same: those at the same place (layer, op, call of the op in a step), then what is
 * left by op, by kernel name, and by category. Pure.
 */
import { groupsOf } from '../../../containers/map-entry.js';
import type { Pair, Which } from '../input-facts.js';
import type { Cause } from './effects.js';
import { OpSums } from './op-sums.js';
import type { Place, PlaceSums } from './tree-sums.js';

/** Ways to align kernels, in the order in which they are tried. */
export const ALIGNMENTS = {
  tree: 'the same op in the same layer; its calls in order, if all steps have the same number of them',
  fusion: 'ops of one layer, and the fused op or kernel that replaces them in that layer, or the reverse',
  op: 'among the rest, the same op in any layer',
  kernel: 'then kernels of the same name whose op is unknown (all kernels, if no op is known in one input)',
  category: 'then the rest of these kernels, by their category',
} as const;

export type Alignment = keyof typeof ALIGNMENTS;

/** Kernels of both inputs that do the same, at their place in the tree. */
export interface Leaf extends Pair<OpSums> {
  /** Names from the outermost layer to the op, kernel or call. */
  readonly path: readonly string[];
  /** Number of leading names in the path that are layers. */
  readonly layers: number;
  /** Null for kernels that only one input has. */
  readonly aligned: Alignment | null;
  /** The cause, if the alignment states it. */
  readonly cause: Extract<Cause, 'fused' | 'unfused'> | null;
}

type Left = Record<Which, PlaceSums[]>;

/** Names of the branches for what is not aligned by its place. */
const BRANCHES = { op: '[same op elsewhere]', kernel: '[same kernel elsewhere]', category: '[same category]' } as const;

const SIDES: readonly Which[] = ['base', 'new'];

/** Name of a place in its layer. */
const nameOf = ({ name, isBackward }: Place): string => (isBackward ? `${name} (bprop)` : name);

export function aligned(places: Pair<ReadonlyMap<string, PlaceSums>>): Leaf[] {
  const left: Left = { base: [], new: [] };
  const same: Leaf[][] = [];
  for (const [key, base] of places.base) {
    const next = places.new.get(key);
    if (next === undefined) left.base.push(base);
    else same.push(leavesOfPlace({ base, new: next }));
  }
  for (const [key, next] of places.new) if (!places.base.has(key)) left.new.push(next);
  const knowOps = SIDES.every((which) => [...places[which].values()].some(({ isOp }) => isOp));
  /** Different ops are not the same because they share a kernel. */
  const isByKernel = ({ isOp }: PlaceSums): boolean => !isOp || !knowOps;
  // In this order, as each takes what it aligns.
  const others = [
    fusionsOf(left, 'new'),
    fusionsOf(left, 'base'),
    paired(left, 'op', (place) => (place.isOp ? nameOf(place) : null)),
    paired(left, 'kernel', (place) => (isByKernel(place) ? place.sums.names.only : null)),
    paired(left, 'category', (place) => (isByKernel(place) ? place.texts.category : null)),
  ];
  const single = SIDES.flatMap((which) => left[which].map((place) => alone(place, which)));
  return [...same, ...others, single].flat();
}

function leavesOfPlace({ base, new: next }: Pair<PlaceSums>): Leaf[] {
  const path = [...base.layers, nameOf(base)];
  const rest = { layers: base.layers.length, aligned: 'tree', cause: null } as const;
  const count = base.calls.length;
  if (count < 2 || count !== next.calls.length) return [{ ...rest, path, base: base.sums, new: next.sums }];
  return base.calls.map((call, i) => ({
    ...{ ...rest, path: [...path, `call ${i + 1}`], base: call },
    new: next.calls[i] ?? new OpSums(),
  }));
}

const alone = (place: PlaceSums, which: Which): Leaf => ({
  path: [...place.layers, nameOf(place)],
  layers: place.layers.length,
  ...{ aligned: null, cause: null, base: new OpSums(), new: new OpSums(), [which]: place.sums },
});

const together = (places: readonly PlaceSums[]): OpSums => {
  const sums = new OpSums();
  for (const place of places) sums.merge(place.sums);
  return sums;
};

/** Takes places with the same key out of both lists. @param keyOf null for places that cannot be aligned in this way */
function paired(left: Left, alignment: keyof typeof BRANCHES, keyOf: (place: PlaceSums) => string | null): Leaf[] {
  const groups = { base: groupsOf(left.base, keyOf), new: groupsOf(left.new, keyOf) };
  const leaves: Leaf[] = [];
  for (const [key, base] of groups.base) {
    const next = groups.new.get(key);
    if (key === null || next === undefined) continue;
    const path = [BRANCHES[alignment], key];
    leaves.push({ path, layers: 1, aligned: alignment, cause: null, base: together(base), new: together(next) });
    take(left, { base, new: next });
  }
  return leaves;
}

function take(left: Left, taken: Pair<readonly PlaceSums[]>): void {
  for (const which of SIDES) {
    const gone = new Set(taken[which]);
    left[which] = left[which].filter((place) => !gone.has(place));
  }
}

/** Attention in one op, and the ops that compute it otherwise. One of those that it needs must be among them. */
const ATTENTION = {
  op: /scaled_dot_product|flash_attn|flash_attention|efficient_attention|^fmha|^attention$/,
  needs: new Set(['softmax', '_softmax', '_safe_softmax']),
  parts: new Set(
    `matmul bmm baddbmm einsum mul div add sub softmax _softmax _safe_softmax masked_fill where dropout
    native_dropout to _to_copy copy contiguous clone`.split(/\s+/),
  ),
};

/** Whether a layer is the other one, or around it. */
const isAround = (outer: Place, inner: Place): boolean =>
  outer.isBackward === inner.isBackward &&
  outer.layers.length <= inner.layers.length &&
  outer.layers.every((layer, i) => layer === inner.layers[i]);

/** Whether a place has an op, as its own name or among the calls in it. */
const hasOp = ({ name, texts }: PlaceSums, ops: ReadonlySet<string>): boolean =>
  ops.has(name) || [...texts.ops.all].some((op) => ops.has(op));

/**
 * The places that together do the work of one place, according to the name of a fused kernel, or as attention.
 * @param others what is left of the other input
 */
function partsOf(place: PlaceSums, others: readonly PlaceSums[]): PlaceSums[] {
  const { all: fused } = place.texts.fused;
  const isAttention = fused.size === 0 && place.isOp && ATTENTION.op.test(place.name);
  if (fused.size === 0 && !isAttention) return [];
  const within = others.filter((other) => other.isOp && isAround(place, other));
  if (isAttention && !within.some((other) => hasOp(other, ATTENTION.needs))) return [];
  const ops = isAttention ? ATTENTION.parts : fused;
  return within.filter((other) => hasOp(other, ops));
}

/**
 * Aligns what replaces several ops with these ops: all such kernels of a layer with all ops that they name, in the layer
 * or inside it.
 * @param which the input that has the kernels
 */
function fusionsOf(left: Left, which: Which): Leaf[] {
  const other = which === 'new' ? 'base' : 'new';
  const layers = groupsOf(left[which], ({ layers: names, isBackward }) => [...names, isBackward].join('\u0000'));
  // Inner layers first, so that an op belongs to the closest kernel that names it.
  const inner = [...layers.values()].sort((a, b) => (b[0]?.layers.length ?? 0) - (a[0]?.layers.length ?? 0));
  return inner.flatMap((places) => {
    const found = places.map((place) => ({ place, parts: partsOf(place, left[other]) }));
    const kernels = found.filter(({ parts }) => parts.length > 0).map(({ place }) => place);
    const parts = [...new Set(found.flatMap((fusion) => fusion.parts))];
    const [first] = kernels;
    if (first === undefined) return [];
    const both = <T>(fused: T, single: T): Pair<T> =>
      which === 'new' ? { base: single, new: fused } : { base: fused, new: single };
    take(left, both<readonly PlaceSums[]>(kernels, parts));
    const names = [...new Set(parts.map(({ name }) => name))].join('+');
    return [
      {
        path: [...first.layers, first.isBackward ? `${names} (bprop)` : names],
        layers: first.layers.length,
        aligned: 'fusion',
        cause: which === 'new' ? 'fused' : 'unfused',
        ...both(together(kernels), together(parts)),
      } satisfies Leaf,
    ];
  });
}
