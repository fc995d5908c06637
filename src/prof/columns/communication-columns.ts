/** The columns on collective operations, for kernels whose operation is known. */
import { isCommunication } from '../../ops/kernels/kernel-name.js';
import { column, int, str } from '../../table/column-kinds.js';
import { algorithmBytes, busBytes } from '../../ops/collective-bytes.js';
import type { Collective } from '../../record/fields/collective.js';
import type { Annotated } from '../annotate.js';
import { operationName } from '../steps/communication-operation.js';
import type { CellValue } from '../../table/column.js';
import type { KernelColumn } from './kernel-column.js';

const ofCollective =
  (of: (collective: Collective) => CellValue) =>
  ({ collective }: Annotated): CellValue =>
    collective === null ? null : of(collective);

export const COMMUNICATION_COLUMNS: readonly KernelColumn[] = [
  column(
    'collective',
    'Collective',
    str(12),
    'collective operation between devices: all-reduce, all-to-all …, whatever the library calls it; by the name of the kernel where nothing else says',
    ({ collective, record }) => {
      if (collective === null && !isCommunication(record)) return null;
      const name = operationName(record);
      return name === 'unknown' ? null : name;
    },
    { narrowHeader: 'Coll' },
  ),
  column(
    'group',
    'Group',
    str(6),
    'process group of the collective',
    ofCollective(({ group }) => group),
  ),
  column(
    'ranks',
    'Ranks',
    int(5),
    'devices in the group of the collective',
    ofCollective(({ groupSize, ranks }) => groupSize ?? ranks?.length ?? null),
  ),
  column(
    'algbytes',
    'AlgBytes',
    int(12, 'bytes'),
    "size of the collective's message, as NCCL's tests define it for the algorithm bandwidth",
    ofCollective(algorithmBytes),
  ),
  column(
    'busbytes',
    'BusBytes',
    int(12, 'bytes'),
    "least traffic of the collective on each device's link, as NCCL's tests define it for the bus bandwidth",
    ofCollective(busBytes),
  ),
];
