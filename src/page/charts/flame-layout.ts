/** Layout of a flame chart: each layer is a box as wide as its share of the time, below its parent. */
import type { LayerNode } from './layer-tree.js';

export interface FlameBox {
  readonly node: LayerNode;
  /** Fractions of the chart's width. */
  readonly left: number;
  readonly width: number;
  /** Row from the top, from 0. */
  readonly row: number;
  /** Index of the top layer that it belongs to. */
  readonly branch: number;
}

/** Narrower boxes are invisible, and left out. */
const LEAST_WIDTH = 0.0008;

/** @param nodes layers of the top row, which together are as wide as the chart */
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

/** The layers whose branches have a colour each: the topmost that are more than one, or all boxes had one colour. */
export function branching(nodes: readonly LayerNode[]): readonly LayerNode[] {
  const [only] = nodes;
  return nodes.length === 1 && only !== undefined && only.children.length > 0 ? branching(only.children) : nodes;
}
