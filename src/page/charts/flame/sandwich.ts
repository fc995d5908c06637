/**
 * Sandwich views of a flame chart: all boxes of one name together, their callers above and their callees below. Boxes
 * within a box of the same name are part of it, so that recursion counts each moment once.
 */
import { entryOf } from '../../../containers/map-entry.js';
import { flameRoot, flameChild, type FlameNode } from './flame-tree.js';

export interface NameTotal {
  readonly name: string;
  /** ns in boxes of the name, and not in those beneath them. */
  readonly self: number;
  /** ns, with all beneath. */
  readonly total: number;
  /** Kernels; null where not known. */
  readonly count: number | null;
}

/** Boxes of several places as one. */
interface MergedBox {
  time: number;
  count: number | null;
  readonly children: Map<string, MergedBox>;
}

const nothing = (): MergedBox => ({ time: 0, count: null, children: new Map() });

function addTo(merged: MergedBox, { time, count }: FlameNode): void {
  merged.time += time;
  if (count !== null) merged.count = (merged.count ?? 0) + count;
}

/** ns of a node without those beneath. A layer says it: layers beneath may be left out of the data. */
const selfOf = ({ time, layer, children }: FlameNode): number =>
  layer?.own ??
  Math.max(
    0,
    children.reduce((left, one) => left - one.time, time),
  );

/** Visits all boxes but the root and what is left of the time; `isOutermost`: in none of the same name. */
function visit(root: FlameNode, act: (node: FlameNode, isOutermost: boolean) => void): void {
  const above = new Map<string, number>();
  const enter = (node: FlameNode): void => {
    if (node.isRest) return;
    const around = above.get(node.name) ?? 0;
    act(node, around === 0);
    above.set(node.name, around + 1);
    for (const one of node.children) enter(one);
    above.set(node.name, around);
  };
  for (const one of root.children) enter(one);
}

/** All names of a chart, in the order of their first boxes. */
export function nameTotals(root: FlameNode): NameTotal[] {
  const totals = new Map<string, MergedBox & { self: number }>();
  visit(root, (node, isOutermost) => {
    const sum = entryOf(totals, node.name, () => ({ ...nothing(), self: 0 }));
    sum.self += selfOf(node);
    if (isOutermost) addTo(sum, node);
  });
  return [...totals].map(([name, { self, time, count }]) => ({ name, self, total: time, count }));
}

function asTree(name: string, merged: MergedBox): FlameNode {
  const root = flameRoot(name, merged.time, merged.count);
  const add = (parent: FlameNode, children: MergedBox['children']): void => {
    for (const [text, { time, count, children: beneath }] of children)
      add(flameChild(parent, { name: text, time, count }), beneath);
  };
  add(root, merged.children);
  return root;
}

/** What boxes of a name contain. */
export function calleesOf(root: FlameNode, name: string): FlameNode {
  const merged = nothing();
  const merge = (into: MergedBox, node: FlameNode): void => {
    addTo(into, node);
    for (const one of node.children) merge(entryOf(into.children, one.name, nothing), one);
  };
  visit(root, (node, isOutermost) => {
    if (isOutermost && node.name === name) merge(merged, node);
  });
  return asTree(name, merged);
}

/** What boxes of a name are in: the innermost next to the root, with the time of the name alone. */
export function callersOf(root: FlameNode, name: string): FlameNode {
  const merged = nothing();
  visit(root, (node, isOutermost) => {
    if (!isOutermost || node.name !== name) return;
    let at = merged;
    addTo(at, node);
    for (let above = node.parent; above !== null && above !== root; above = above.parent) {
      at = entryOf(at.children, above.name, nothing);
      addTo(at, node);
    }
  });
  return asTree(name, merged);
}
