/** Layout of a flame chart: each node is a box as wide as its share of the time, below the one that contains it. */
import { pathOf, type FlameNode } from './flame-tree.js';

export interface FlameBox {
  readonly node: FlameNode;
  /** Fractions of the chart's width. */
  readonly left: number;
  readonly width: number;
  /** Row from the top, from 0. */
  readonly row: number;
}

/** Narrower boxes are invisible, and left out. */
const LEAST_WIDTH = 0.0008;

/** Orders of the boxes beneath one. */
export const FLAME_ORDERS = ['time', 'longest'] as const;
export type FlameOrder = (typeof FLAME_ORDERS)[number];

/** What is left of the time stays last in either order. */
const inOrder = (nodes: readonly FlameNode[], order: FlameOrder): readonly FlameNode[] =>
  order === 'time' ? nodes : nodes.toSorted((a, b) => Number(a.isRest) - Number(b.isRest) || b.time - a.time);

/** @param focus as wide as the chart, as are those above it */
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

/** The nodes whose branches have a colour each: the topmost that are more than one, or all boxes had one colour. */
export function branching({ children }: FlameNode): readonly FlameNode[] {
  const own = children.filter(({ isRest }) => !isRest);
  const [only] = own;
  return own.length === 1 && only !== undefined && only.children.length > 0 ? branching(only) : own;
}

/** The box that an arrow key leads to. */
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
