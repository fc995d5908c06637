/** Names of profile facts that answers read. */

/** Time in ns during which graphs were captured: launches became nodes of a graph instead of device work. */
export const GRAPH_CAPTURE_FACT = 'graph_capture_ns';
