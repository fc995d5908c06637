/** How it is known where a kernel of a graph was captured, as text. */
import type { GraphNode, GraphOrigin } from '../../record/fields/graph-node.js';

const ORIGINS: Readonly<Record<GraphOrigin, string>> = {
  node: 'from the graph node that the profiler records',
  annotation: 'modules from an annotation file, ops unknown',
  capture: 'from a capture with the same kernels',
};

export function originOf({ from, verified }: GraphNode): string {
  if (from === undefined || !Object.hasOwn(ORIGINS, from)) return 'capture unknown: context of the graph launch';
  return verified === false ? 'from a capture with the same number of kernels, whose names are unknown' : ORIGINS[from];
}
