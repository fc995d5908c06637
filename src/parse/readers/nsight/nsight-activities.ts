/** The tables of work on devices, and of waits for it, in an Nsight Systems export. */
import { UNNAMED } from '../../trace/trace.js';
import type { Activities, ActivityRow } from '../../trace/trace-columns.js';
import { hostSide } from '../cupti/cupti.js';

/** An activity table: its own columns follow the shared ones, and `add` adds a row by their cells. */
export interface ActivityTable {
  readonly table: string;
  readonly columns: readonly string[];
  /** Whether the context states the device. */
  readonly isByContext?: true;
  readonly add: (activities: Activities, row: ActivityRow, own: readonly number[]) => void;
}

/** The number of a name or the code of a kind as a cell of a column. */
const nameOrNone = (cell = NaN): number => (Number.isNaN(cell) ? UNNAMED : cell);

export const ACTIVITY_TABLES: readonly ActivityTable[] = [
  {
    table: 'CUPTI_ACTIVITY_KIND_KERNEL',
    columns: [
      ...['demangledName', 'graphId', 'gridX', 'gridY', 'gridZ', 'blockX', 'blockY', 'blockZ'],
      ...['registersPerThread', 'staticSharedMemory', 'dynamicSharedMemory'],
    ],
    add: (activities, row, own) => {
      const { extents, registers, sharedBytes } = activities.kernels;
      activities.addKernel(row, nameOrNone(own[0]), own[1] ?? NaN);
      for (let i = 2; i < 8; i++) extents.push(own[i] ?? NaN);
      registers.push(own[8] ?? NaN);
      sharedBytes.push((own[9] ?? NaN) + (own[10] ?? NaN));
    },
  },
  {
    table: 'CUPTI_ACTIVITY_KIND_MEMCPY',
    columns: ['copyKind', 'bytes', 'srcKind', 'dstKind'],
    add: (activities, row, [kind = NaN, bytes = NaN, source = NaN, destination = NaN]) =>
      activities.addCopy(row, nameOrNone(kind), bytes, hostSide(kind, source, destination)),
  },
  {
    table: 'CUPTI_ACTIVITY_KIND_MEMSET',
    columns: ['bytes', 'value'],
    add: (activities, row, [bytes = NaN, value = NaN]) => activities.addSet(row, bytes, value),
  },
  {
    table: 'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION',
    columns: ['syncType'],
    isByContext: true,
    add: (activities, row, [kind]) => activities.addSync(row, nameOrNone(kind)),
  },
  {
    table: 'CUPTI_ACTIVITY_KIND_GRAPH_TRACE',
    columns: ['graphId', 'graphExecId'],
    add: (activities, row, [graphId = NaN, execId = NaN]) => activities.addGraph(row, graphId, execId),
  },
];
