/** The node of a graph that launched an activity, and how it is known where that node was captured. */

/**
 * How the place where a node of a graph was captured is known: by the profiler's id of the node, by a file of annotations
 * that states it for that id, or by the node's place in the sequence of a capture.
 */
export type GraphOrigin = 'node' | 'annotation' | 'capture';

/** The node of a CUDA, HIP or ACL graph that launched an activity; null where the profiler does not record it. */
export interface GraphNode {
  readonly id: number | null;
  readonly node: number | null;
  /** Absent where the capture is unknown: then calls, layers and frames are those around the launch of the graph. */
  readonly from?: GraphOrigin;
  /** Whether the profiler states the node, or the names of all kernels of the launch are those of one capture alone. */
  readonly verified?: boolean;
  /** Name of the capture, where it has one. */
  readonly capture?: string;
}
