/** The tree of a comparison: every node with its sums in both inputs, and what changed. Pure. */
import { entryOf } from '../../../containers/map-entry.js';
import type { Pair } from '../input-facts.js';
import type { Alignment, Leaf } from './alignment.js';
import { addEffects, effectsOf, mainCause, type Cause, type Effects } from './effects.js';
import { OpSums } from './op-sums.js';

/** A node with its figures; mean times in ns per step, or per run without steps. */
export interface ChangeNode extends Pair<OpSums> {
  readonly kind: 'total' | 'layer' | 'op' | 'leaf' | 'rest';
  /** Names from the outermost layer on; empty for the total. */
  readonly path: readonly string[];
  /** The name to show; of several layers that have no other parts, all names. */
  readonly name: string;
  /** From 0 for the total. */
  readonly level: number;
  /** Null for nodes with parts, and for kernels that only one input has. */
  readonly aligned: Alignment | null;
  readonly each: Pair<number>;
  readonly change: number;
  /** Share of the whole change in %; null when that is 0. */
  readonly share: number | null;
  readonly effects: Effects;
  /** The cause with the largest part; `same` for a change that is not of interest; null when there is none. */
  readonly cause: Cause | 'same' | null;
  /** Parts with the largest change first; empty for a leaf. */
  readonly parts: readonly ChangeNode[];
}

interface Branch {
  readonly name: string;
  readonly isLayer: boolean;
  readonly path: readonly string[];
  readonly branches: Map<string, Branch>;
  readonly leaves: Leaf[];
}

const branch = (path: readonly string[], isLayer: boolean): Branch => ({
  ...{ name: path.at(-1) ?? '', isLayer, path, branches: new Map<string, Branch>(), leaves: [] },
});

export interface TreeSettings {
  /** Number of steps, or of runs without steps. */
  readonly steps: Pair<number>;
  /** Minimum change of interest, as a fraction of BASE's time. */
  readonly minEffect: number;
}

/** @returns the total, with all other nodes below it */
export function changeTree(leaves: readonly Leaf[], settings: TreeSettings): ChangeNode {
  const root = branch([], true);
  for (const leaf of leaves) {
    let at = root;
    leaf.path.slice(0, -1).forEach((name, i) => {
      const isLayer = i < leaf.layers;
      const path = leaf.path.slice(0, i + 1);
      at = entryOf(at.branches, `${Number(isLayer)}${name}`, () => branch(path, isLayer));
    });
    at.leaves.push(leaf);
  }
  const total = nodeOf(root, settings, 0);
  return withShares({ ...total, kind: 'total', name: 'total' }, total.change);
}

function nodeOf(tree: Branch, settings: TreeSettings, level: number, above: readonly string[] = []): ChangeNode {
  const names = [...above, ...(tree.path.length > 0 ? [tree.name] : [])];
  const [only] = tree.branches.values();
  // A layer whose only part is another layer has the same figures.
  if (only?.isLayer === true && tree.branches.size === 1 && tree.leaves.length === 0 && level > 0)
    return nodeOf(only, settings, level, names);
  const [single] = tree.leaves;
  if (single !== undefined && tree.leaves.length === 1 && tree.branches.size === 0 && level > 0)
    return leafNode(single, settings, level, names);
  const parts = [
    ...[...tree.branches.values()].map((inner) => nodeOf(inner, settings, level + 1)),
    ...tree.leaves.map((leaf) => leafNode(leaf, settings, level + 1)),
  ].sort(byChange);
  return sumNode(
    parts,
    { path: tree.path, name: names.join(':'), level, kind: tree.isLayer ? 'layer' : 'op' },
    settings,
  );
}

const byChange = (a: ChangeNode, b: ChangeNode): number =>
  Math.abs(b.change) - Math.abs(a.change) || (a.path.join('\u0000') < b.path.join('\u0000') ? -1 : 1);

type Named = Pick<ChangeNode, 'path' | 'name' | 'level' | 'kind'>;

function leafNode(leaf: Leaf, settings: TreeSettings, level: number, above: readonly string[] = []): ChangeNode {
  const { path, base, new: next, aligned, cause } = leaf;
  const all = effectsOf(leaf, settings.steps);
  const effects = cause === null ? all : { [cause]: changeOf(leaf, settings) };
  const name = [...above, path.at(-1) ?? ''].join(':');
  return node({ kind: 'leaf', path, name, level }, { base, new: next }, { effects, aligned, parts: [] }, settings);
}

/** A node with the sums of its parts. */
function sumNode(parts: readonly ChangeNode[], named: Named, settings: TreeSettings): ChangeNode {
  const sums = { base: new OpSums(), new: new OpSums() };
  const effects: Effects = {};
  for (const part of parts) {
    sums.base.merge(part.base);
    sums.new.merge(part.new);
    addEffects(effects, part.effects);
  }
  return node(named, sums, { effects, aligned: null, parts }, settings);
}

const changeOf = ({ base, new: next }: Pair<OpSums>, { steps }: TreeSettings): number =>
  next.time / steps.new - base.time / steps.base;

function node(
  named: Named,
  sums: Pair<OpSums>,
  rest: Pick<ChangeNode, 'effects' | 'aligned' | 'parts'>,
  settings: TreeSettings,
): ChangeNode {
  const { steps, minEffect } = settings;
  const each = { base: sums.base.time / steps.base, new: sums.new.time / steps.new };
  const change = changeOf(sums, settings);
  const isSame = sums.base.kernels > 0 && sums.new.kernels > 0 && Math.abs(change) <= minEffect * each.base;
  const cause = isSame ? 'same' : mainCause(rest.effects);
  return { ...named, ...sums, ...rest, each, change, share: null, cause };
}

const withShares = (subtree: ChangeNode, whole: number): ChangeNode => ({
  ...subtree,
  share: whole === 0 ? null : (100 * subtree.change) / whole,
  parts: subtree.parts.map((part) => withShares(part, whole)),
});

/** Which parts of a node to show. */
export interface Shown {
  /** Maximum number of parts of a node. */
  readonly top: number;
  /** Smallest change to show, in ns; a node that has such a part is shown too. */
  readonly least: number;
}

/**
 * The nodes in order, each before its parts. Parts of a node that are not shown are in one row together, so that the rows
 * below a node add up to it.
 */
export function* shownNodes(top: ChangeNode, shown: Shown, settings: TreeSettings): Generator<ChangeNode> {
  yield top;
  const isShown = (subtree: ChangeNode): boolean =>
    Math.abs(subtree.change) >= shown.least || subtree.parts.some(isShown);
  const chosen = top.parts.filter(isShown).slice(0, shown.top);
  for (const part of chosen) yield* shownNodes(part, shown, settings);
  const others = top.parts.filter((part) => !chosen.includes(part));
  const [first] = others;
  if (first === undefined || chosen.length === 0) return;
  if (others.length === 1) {
    yield first;
    return;
  }
  const name = `[${others.length} more]`;
  const named = { kind: 'rest', path: [...top.path, name], name, level: top.level + 1 } as const;
  const { share } = others.reduce((sum, { share: part }) => ({ share: sum.share + (part ?? 0) }), { share: 0 });
  yield { ...sumNode(others, named, settings), share: top.share === null ? null : share };
}

/** The leaves of a tree. */
export const leavesOf = (subtree: ChangeNode): ChangeNode[] =>
  subtree.parts.length === 0 ? [subtree] : subtree.parts.flatMap((part) => leavesOf(part));
