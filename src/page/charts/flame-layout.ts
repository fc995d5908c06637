/** Where the boxes of a flame chart lie: each layer as wide as its part of the time, beneath its parent. */
import type { LayerNode } from './layer-tree.js';

export interface FlameBox {
  readonly node: LayerNode;
  /** Fractions of the chart's width. */
  readonly left: number;
  readonly width: number;
  /** Row from the top. */
  readonly row: number;
  /** Which of the top layers it belongs to, for its colour. */
  readonly branch: number;
}

/** Narrower boxes cannot be seen. */
const LEAST_WIDTH = 0.0008;

/** @param nodes the layers of the top row, which fill the width */
export function flameBoxes(nodes: readonly LayerNode[]): FlameBox[] {
  const all = nodes.reduce((sum, { row }) => sum + row.time, 0);
  const boxes: FlameBox[] = [];
  const place = (node: LayerNode, left: number, row: number, branch: number): void => {
    const width = all > 0 ? node.row.time / all : 0;
    if (width < LEAST_WIDTH) return;
    boxes.push({ node, left, width, row, branch });
    placeAll(node.children, left, row + 1, branch);
  };
  const placeAll = (among: readonly LayerNode[], from: number, row: number, branch: number | null): void => {
    let left = from;
    among.forEach((node, i) => {
      place(node, left, row, branch ?? i);
      left += all > 0 ? node.row.time / all : 0;
    });
  };
  placeAll(nodes, 0, 0, null);
  return boxes;
}

/**
 * Where the colours of branches start: a single layer at the top of another would give all boxes one colour, so that
 * its children, or theirs, count as branches.
 */
export function branching(nodes: readonly LayerNode[]): readonly LayerNode[] {
  const [only] = nodes;
  return nodes.length === 1 && only !== undefined && only.children.length > 0 ? branching(only.children) : nodes;
}
