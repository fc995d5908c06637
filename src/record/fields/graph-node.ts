/** The graph node that launched an activity, and how the place of its capture is known. */

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
