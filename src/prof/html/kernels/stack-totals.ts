/** Turns the call stacks of kernels into a tree of their frames. */
import { elementAt } from '../../../containers/element.js';
import { addTimes } from '../../../record/fields/times.js';
import type { StackTree } from './kernel-data.js';

/** Maximum number of separate frames, about 150 bytes each; kernels of any further or deeper frame count for its parent. */
const MOST_NODES = 100_000;
const MOST_DEPTH = 200;

interface StackNode {
  readonly parent: number;
  readonly frame: string;
  /** Numbers of its children by frame; null for none. */
  children: Map<string, number> | null;
  count: number;
  time: number;
}

const ROOT = -1;

/** A tree of the frames of call stacks, with the kernels of each. */
export class StackTotals {
  readonly #nodes: StackNode[] = [];
  readonly #outermost = new Map<string, number>();

  constructor(private readonly most = MOST_NODES) {}

  /**
   * @param trace outermost first
   * @param time in ns
   * @returns number of the innermost frame; null when there is none
   */
  add(trace: readonly string[], time: number): number | null {
    let at = ROOT;
    for (const frame of trace.slice(0, MOST_DEPTH)) {
      const next = this.#child(at, frame);
      if (next === null) break;
      const node = elementAt(this.#nodes, next);
      node.count++;
      node.time = addTimes(node.time, time);
      at = next;
    }
    return at === ROOT ? null : at;
  }

  /**
   * The nodes with the largest times, and all ancestors of some others.
   * @param others numbers from `add`
   * @param most maximum number of nodes without those for the others; with them at most twice as many
   * @returns the tree, and the index in it of each node number; null without nodes
   */
  tree(
    most: number,
    others: Iterable<number>,
  ): { readonly tree: StackTree; readonly placeOf: Map<number, number> } | null {
    if (this.#nodes.length === 0) return null;
    // Sorting is stable: of nodes with equal times the parent stays first.
    const order = this.#nodes.map((_, i) => i).sort((a, b) => this.#timeOf(b) - this.#timeOf(a));
    const kept = new Set(order.slice(0, most));
    for (const node of others) if (kept.size < 2 * most) for (const ancestor of this.#pathOf(node)) kept.add(ancestor);
    const numbers = [...kept].sort((a, b) => a - b);
    const placeOf = new Map(numbers.map((number, place) => [number, place] as const));
    const nodes = numbers.map((number) => elementAt(this.#nodes, number));
    const frames = [...new Set(nodes.map(({ frame }) => frame))];
    const frameAt = new Map(frames.map((frame, i) => [frame, i] as const));
    return {
      placeOf,
      tree: {
        frames,
        parents: nodes.map(({ parent }) => placeOf.get(parent) ?? ROOT),
        frameOf: nodes.map(({ frame }) => frameAt.get(frame) ?? 0),
        counts: nodes.map(({ count }) => count),
        times: nodes.map(({ time }) => time),
        leftOut: this.#nodes.length - nodes.length,
      },
    };
  }

  #timeOf(number: number): number {
    return elementAt(this.#nodes, number).time;
  }

  #pathOf(number: number): number[] {
    const path: number[] = [];
    for (let at = number; at !== ROOT; at = elementAt(this.#nodes, at).parent) path.push(at);
    return path;
  }

  /** Null when there are too many nodes. A node's number is greater than its parent's. */
  #child(parent: number, frame: string): number | null {
    const parentNode = parent === ROOT ? null : elementAt(this.#nodes, parent);
    const known = (parentNode === null ? this.#outermost : parentNode.children)?.get(frame);
    if (known !== undefined) return known;
    if (this.#nodes.length === this.most) return null;
    const number = this.#nodes.push({ parent, frame, children: null, count: 0, time: 0 }) - 1;
    if (parentNode === null) this.#outermost.set(frame, number);
    else (parentNode.children ??= new Map()).set(frame, number);
    return number;
  }
}
