/** Facts of a profile that answers read. */

/** ns during which graphs were captured: what was launched then became nodes of a graph, and no work of a device. */
export const GRAPH_CAPTURE_FACT = 'graph_capture_ns';
