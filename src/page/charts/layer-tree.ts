/** Layers of the page's data, which lists parents before their children, as a tree. */
import type { LayerRow } from '../../prof/html/page-data.js';

export interface LayerNode {
  readonly row: LayerRow;
  readonly at: number;
  /** Last part of its path; several parts where the layers between are left out of the data. */
  readonly name: string;
  readonly depth: number;
  readonly children: LayerNode[];
}

const keyOf = (path: readonly string[]): string => JSON.stringify(path);

/** The layers without a parent. A layer whose parent is left out of the data is a child of its nearest ancestor. */
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
 * Layers that are open at first: from the top those with the most time, as long as no more than `most` rows are visible.
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

/** The visible layers when some are open. */
export const visibleLayers = (nodes: readonly LayerNode[], open: ReadonlySet<LayerNode>): LayerNode[] =>
  nodes.flatMap((node) => [node, ...(open.has(node) ? visibleLayers(node.children, open) : [])]);
