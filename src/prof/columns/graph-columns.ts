/** Columns of kernels that a CUDA or HIP graph launched. */
import { column, str } from '../../table/column-kinds.js';
import type { KernelColumn } from './kernel-column.js';

export const GRAPH_COLUMNS: readonly KernelColumn[] = [
  column(
    'graph',
    'Graph',
    str(16),
    'graph that launched it: name of its capture, else its id',
    ({ record: { graph } }) =>
      graph?.capture ?? (graph?.id === undefined || graph.id === null ? null : String(graph.id)),
  ),
  column(
    'origin',
    'Origin',
    str(10),
    'how its capture is known: node, annotation, capture, or order alone',
    ({ record: { graph } }) =>
      graph?.from === 'capture' && graph.verified === false ? 'order' : (graph?.from ?? null),
    { vocabulary: true },
  ),
];
