/** The tree of call stacks of the page's data: its paths. */
import { elementAt } from '../../containers/element.js';
import type { StackTree } from '../../prof/html/kernels/kernel-data.js';

/** Frames of a node, outermost first. */
export function framesOf({ frames, parents, frameOf }: StackTree, node: number): string[] {
  const path: string[] = [];
  for (let at = node; at >= 0; at = elementAt(parents, at)) path.push(elementAt(frames, elementAt(frameOf, at)));
  return path.reverse();
}
