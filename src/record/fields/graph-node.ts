/** Graphs: the node that launched an activity, how the place of its capture is known, and the time of captures. */

/**
 * How the place where a graph node was captured is known. `node`: by the profiler's id of the node. `annotation`: from
 * an annotation file that states it for this id. `capture`: by the node's position in a captured sequence.
 */
export type GraphOrigin = 'node' | 'annotation' | 'capture';

/** The node of a CUDA, HIP or ACL graph that launched an activity; null when the profiler does not record it. */
export interface GraphNode {
  readonly id: number | null;
  readonly node: number | null;
  /** Absent when the capture is unknown; calls, layers and frames are then those around the launch of the graph. */
  readonly from?: GraphOrigin;
  /** Whether the profiler states the node, or the names of all kernels in the launch match the capture. */
  readonly verified?: boolean;
  /** Name of the capture, if it has one. */
  readonly capture?: string;
}

/** Time in ns during which graphs were captured: launches became nodes of a graph instead of device work. */
export const GRAPH_CAPTURE_FACT = 'graph_capture_ns';

const ORIGINS: Readonly<Record<GraphOrigin, string>> = {
  node: 'from the graph node that the profiler records',
  annotation: 'modules from an annotation file, ops unknown',
  capture: 'from a capture with the same kernels',
};

/** How it is known where a kernel of a graph was captured, as text. */
export function originOf({ from, verified }: GraphNode): string {
  if (from === undefined || !Object.hasOwn(ORIGINS, from)) return 'capture unknown: context of the graph launch';
  return verified === false ? 'from a capture with the same number of kernels, whose names are unknown' : ORIGINS[from];
}
