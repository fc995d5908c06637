/** How it is known where a kernel of a graph was captured, as text. */
import type { GraphNode, GraphOrigin } from '../../record/fields/graph-node.js';

const ORIGINS: Readonly<Record<GraphOrigin, string>> = {
  node: 'captured at the node that the profiler states',
  annotation: 'modules by a file of annotations, ops unknown',
  capture: 'captured where a capture has the same kernels',
};

export function originOf({ from, verified }: GraphNode): string {
  if (from === undefined || !Object.hasOwn(ORIGINS, from))
    return 'capture unknown: what is around the launch of the graph';
  return verified === false ? 'captured where a capture has as many kernels, their names unknown' : ORIGINS[from];
}
