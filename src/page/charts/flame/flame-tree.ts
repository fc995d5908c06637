/** Trees of a flame chart: all kernel time, divided among layers or among call stacks. */
import { elementAt } from '../../../containers/element.js';
import type { LayerRow } from '../../../prof/html/page-data.js';
import type { StackTree } from '../../../prof/html/kernels/kernel-data.js';
import { layerTree, type LayerNode } from '../layer-tree.js';

export interface FlameNode {
  readonly name: string;
  /** ns, of it and of all beneath. */
  readonly time: number;
  readonly count: number | null;
  /** Null for the root, which is all kernel time. */
  readonly parent: FlameNode | null;
  /** In order of their first kernels. */
  readonly children: FlameNode[];
  /** Null for frames, for all kernels and for those in none. */
  readonly layer: LayerRow | null;
  /** Whether it is what is left of the kernel time. */
  readonly isRest: boolean;
}

const ALL = 'all kernels';

/** Adds a box beneath another. */
export function flameChild(
  parent: FlameNode,
  fields: Pick<FlameNode, 'name' | 'time'> & Partial<FlameNode>,
): FlameNode {
  const made: FlameNode = { count: null, layer: null, isRest: false, ...fields, parent, children: [] };
  parent.children.push(made);
  return made;
}

export const flameRoot = (name: string, time: number, count: number | null = null): FlameNode => ({
  ...{ name, time, count, parent: null, children: [], layer: null, isRest: false },
});

/** Adds what is left of all kernel time. */
function withRest(root: FlameNode, rest: string): FlameNode {
  const time = root.children.reduce((left, one) => left - one.time, root.time);
  if (time > 0) flameChild(root, { name: rest, time, isRest: true });
  return root;
}

/** The time of the root: that of all kernels, where parts are not more by their fractions of ns. */
const wholeOf = (parts: readonly { readonly time: number }[], whole: number | null): number =>
  Math.max(
    whole ?? 0,
    parts.reduce((sum, { time }) => sum + time, 0),
  );

/**
 * @param whole time of all kernels, ns; null where unknown
 * @param isCut whether layers are left out of the data
 */
export function layerFlame(rows: readonly LayerRow[], whole: number | null, isCut: boolean): FlameNode {
  const tops = layerTree(rows);
  const root = flameRoot(
    ALL,
    wholeOf(
      tops.map(({ row }) => row),
      whole,
    ),
  );
  const add = (parent: FlameNode, { name, row, children }: LayerNode): void => {
    const made = flameChild(parent, { name, time: row.time, count: row.count, layer: row });
    for (const one of children) add(made, one);
  };
  for (const one of tops) add(root, one);
  return withRest(root, isCut ? 'no layer, or one that is left out' : 'no layer');
}

/** @param whole time of all kernels, ns; null where unknown */
export function stackFlame(
  { frames, parents, frameOf, counts, times, leftOut }: StackTree,
  whole: number | null,
): FlameNode {
  const tops = times.flatMap((time, i) => (parents[i] === -1 ? [{ time }] : []));
  const root = flameRoot(ALL, wholeOf(tops, whole));
  const nodes: FlameNode[] = [];
  parents.forEach((parent, i) => {
    const name = elementAt(frames, elementAt(frameOf, i));
    const above = parent === -1 ? root : elementAt(nodes, parent);
    nodes.push(flameChild(above, { name, time: elementAt(times, i), count: elementAt(counts, i) }));
  });
  return withRest(root, leftOut > 0 ? 'no call stack, or one that is left out' : 'no call stack');
}

/** Nodes from the root down to one, which is the last. */
export const pathOf = (node: FlameNode): FlameNode[] => [...(node.parent === null ? [] : pathOf(node.parent)), node];
