/**
 * Trees of layers and call stacks with the kernel time of each node; the boxes of a flame chart, the totals of a name, and
 * its callers and callees.
 */
import { elementAt } from '../../../containers/element.js';
import type { LayerRow } from '../../../prof/html/page-data.js';
import type { StackTree } from '../../../prof/html/kernels/kernel-data.js';
import { entryOf } from '../../../containers/map-entry.js';

export interface LayerNode {
  readonly row: LayerRow;
  readonly at: number;
  /** Last part of its path; several parts when the layers in between are missing in the data. */
  readonly name: string;
  readonly depth: number;
  readonly children: LayerNode[];
}

const keyOf = (path: readonly string[]): string => JSON.stringify(path);

/** The layers without a parent. A layer whose parent is missing in the data becomes a child of its nearest ancestor. */
export function layerTree(rows: readonly LayerRow[]): LayerNode[] {
  const roots: LayerNode[] = [];
  const known = new Map<string, LayerNode>();
  rows.forEach((row, at) => {
    let above = row.path.length - 1;
    while (above > 0 && !known.has(keyOf(row.path.slice(0, above)))) above -= 1;
    const parent = known.get(keyOf(row.path.slice(0, above)));
    const kept = parent === undefined ? 0 : above;
    const name = row.path.slice(kept).join(' / ');
    const node: LayerNode = { row, at, name, depth: parent === undefined ? 0 : parent.depth + 1, children: [] };
    (parent?.children ?? roots).push(node);
    known.set(keyOf(row.path), node);
  });
  return roots;
}

/**
 * Layers that are expanded initially: starting at the top, those with the most time, as long as at most `most` rows are
 * visible.
 */
export function openAtFirst(roots: readonly LayerNode[], most: number): Set<LayerNode> {
  const open = new Set<LayerNode>();
  let shown = roots.length;
  const waiting = [...roots];
  for (;;) {
    waiting.sort((a, b) => a.depth - b.depth || b.row.time - a.row.time);
    const next = waiting.shift();
    if (next === undefined) return open;
    if (next.children.length === 0 || shown + next.children.length > most) continue;
    open.add(next);
    shown += next.children.length;
    waiting.push(...next.children);
  }
}

/** The visible layers when some are expanded. */
export const visibleLayers = (nodes: readonly LayerNode[], open: ReadonlySet<LayerNode>): LayerNode[] =>
  nodes.flatMap((node) => [node, ...(open.has(node) ? visibleLayers(node.children, open) : [])]);

export interface FlameNode {
  readonly name: string;
  /** Time in ns, including all descendants. */
  readonly time: number;
  readonly count: number | null;
  /** Null for the root, which stands for all kernel time. */
  readonly parent: FlameNode | null;
  /** Children in order of their first kernels. */
  readonly children: FlameNode[];
  /** Null for frames, for the root, and for kernels without a layer. */
  readonly layer: LayerRow | null;
  /** Whether it is the remaining kernel time. */
  readonly isRest: boolean;
}

const ALL = 'all work';

/** Adds a box below another. */
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

/** Adds a box for the remaining kernel time. */
function withRest(root: FlameNode, rest: string): FlameNode {
  const time = root.children.reduce((left, child) => left - child.time, root.time);
  if (time > 0) flameChild(root, { name: rest, time, isRest: true });
  return root;
}

/** The time of the root: that of all kernels, unless the parts exceed it by fractions of ns. */
const wholeOf = (parts: readonly { readonly time: number }[], whole: number | null): number =>
  Math.max(
    whole ?? 0,
    parts.reduce((sum, { time }) => sum + time, 0),
  );

/**
 * @param whole time of all kernels in ns; null when unknown
 * @param isCut whether layers are missing in the data
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
    for (const child of children) add(made, child);
  };
  for (const top of tops) add(root, top);
  return withRest(root, isCut ? 'no layer, or a layer not on this page' : 'no layer');
}

/** @param whole time of all kernels in ns; null when unknown */
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
  return withRest(root, leftOut > 0 ? 'no call stack, or a stack not on this page' : 'no call stack');
}

/** Nodes from the root down to a node, which is the last. */
export const pathOf = (node: FlameNode): FlameNode[] => [...(node.parent === null ? [] : pathOf(node.parent)), node];

export interface FlameBox {
  readonly node: FlameNode;
  /** Position and width as fractions of the chart's width. */
  readonly left: number;
  readonly width: number;
  /** Row number from the top, starting at 0. */
  readonly row: number;
}

/** Narrower boxes would be invisible, and are omitted. */
const LEAST_WIDTH = 0.0008;

/** Orders of the boxes below a box. */
export const FLAME_ORDERS = ['time', 'longest'] as const;
export type FlameOrder = (typeof FLAME_ORDERS)[number];

/** The remaining time is last in either order. */
const inOrder = (nodes: readonly FlameNode[], order: FlameOrder): readonly FlameNode[] =>
  order === 'time' ? nodes : nodes.toSorted((a, b) => Number(a.isRest) - Number(b.isRest) || b.time - a.time);

/** @param focus the node that is as wide as the chart, as are those above it */
export function flameBoxes(focus: FlameNode, order: FlameOrder = 'time'): FlameBox[] {
  const all = focus.time;
  if (!(all > 0)) return [];
  const path = pathOf(focus);
  const boxes: FlameBox[] = path.map((node, row) => ({ node, left: 0, width: 1, row }));
  const place = (among: readonly FlameNode[], from: number, row: number): void => {
    let left = from;
    for (const node of inOrder(among, order)) {
      const width = node.time / all;
      if (width >= LEAST_WIDTH) {
        boxes.push({ node, left, width, row });
        place(node.children, left, row + 1);
      }
      left += width;
    }
  };
  place(focus.children, 0, path.length);
  return boxes;
}

/**
 * The nodes whose branches each get a colour: the topmost level with more than one node, since otherwise all boxes would
 * have the same colour.
 */
export function branching({ children }: FlameNode): readonly FlameNode[] {
  const named = children.filter(({ isRest }) => !isRest);
  const [only] = named;
  return named.length === 1 && only !== undefined && only.children.length > 0 ? branching(only) : named;
}

/** The box to which an arrow key moves. */
export function nextBox(boxes: readonly FlameBox[], from: FlameBox, key: string): FlameBox | undefined {
  const middle = from.left + from.width / 2;
  const holds = (box: FlameBox): boolean => box.left <= middle && middle <= box.left + box.width;
  const inRow = boxes.filter(({ row }) => row === from.row).sort((a, b) => a.left - b.left);
  const at = inRow.indexOf(from);
  const isBelow = ({ row, left }: FlameBox): boolean =>
    row === from.row + 1 && left >= from.left - 1e-9 && left < from.left + from.width;
  const moves: Readonly<Record<string, () => FlameBox | undefined>> = {
    ArrowLeft: () => inRow[at - 1],
    ArrowRight: () => inRow[at + 1],
    ArrowUp: () => boxes.find((box) => box.row === from.row - 1 && holds(box)),
    ArrowDown: () => {
      const below = boxes.filter(isBelow);
      return below.find(holds) ?? below[0];
    },
  };
  return moves[key]?.();
}

export interface NameTotal {
  readonly name: string;
  /** Time in boxes with this name, without their children, in ns. */
  readonly self: number;
  /** Time including all descendants, in ns. */
  readonly total: number;
  /** Number of kernels; null if unknown. */
  readonly count: number | null;
}

/** Boxes from several places, merged into one. */
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

/** Time of a node without its children, in ns. A layer states it, because child layers may be missing in the data. */
const selfOf = ({ time, layer, children }: FlameNode): number =>
  layer?.own ??
  Math.max(
    0,
    children.reduce((left, child) => left - child.time, time),
  );

/** Visits all boxes except the root and the remaining time; `isOutermost` means that no ancestor has the same name. */
function visit(root: FlameNode, act: (node: FlameNode, isOutermost: boolean) => void): void {
  const above = new Map<string, number>();
  const enter = (node: FlameNode): void => {
    if (node.isRest) return;
    const around = above.get(node.name) ?? 0;
    act(node, around === 0);
    above.set(node.name, around + 1);
    for (const child of node.children) enter(child);
    above.set(node.name, around);
  };
  for (const child of root.children) enter(child);
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

/** A tree of the contents of all boxes with a name. */
export function calleesOf(root: FlameNode, name: string): FlameNode {
  const merged = nothing();
  const merge = (into: MergedBox, node: FlameNode): void => {
    addTo(into, node);
    for (const child of node.children) merge(entryOf(into.children, child.name, nothing), child);
  };
  visit(root, (node, isOutermost) => {
    if (isOutermost && node.name === name) merge(merged, node);
  });
  return asTree(name, merged);
}

/**
 * A tree of the callers of boxes with a name. The innermost callers are next to the root, and each has only the time of
 * the name.
 */
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
