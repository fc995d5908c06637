/** The columns on collective operations, for kernels whose operation is known. */
import { algorithmBytes, busBytes } from '../../ops/collective-bytes.js';
import type { Collective } from '../../record/record.js';
import type { Annotated } from '../annotate.js';
import type { CellValue } from '../../table/column.js';
import type { KernelColumn } from './kernel-column.js';

const ofCollective =
  (of: (collective: Collective) => CellValue) =>
  ({ record: { collective } }: Annotated): CellValue =>
    collective === undefined ? null : of(collective);

export const COMMUNICATION_COLUMNS: readonly KernelColumn[] = [
  {
    key: 'collective',
    header: 'Collective',
    narrowHeader: 'Coll',
    type: 'str',
    width: 12,
    doc: 'collective operation between devices',
    value: ofCollective(({ op }) => op),
  },
  {
    key: 'group',
    header: 'Group',
    type: 'str',
    width: 6,
    doc: 'process group of the collective',
    value: ofCollective(({ group }) => group),
  },
  {
    key: 'ranks',
    header: 'Ranks',
    type: 'int',
    width: 5,
    doc: 'devices in the group of the collective',
    value: ofCollective(({ groupSize, ranks }) => groupSize ?? ranks?.length ?? null),
  },
  {
    key: 'algbytes',
    header: 'AlgBytes',
    unit: 'bytes',
    type: 'int',
    width: 12,
    doc: "size of the collective's message, as NCCL's tests define it for the algorithm bandwidth",
    value: ofCollective(algorithmBytes),
  },
  {
    key: 'busbytes',
    header: 'BusBytes',
    unit: 'bytes',
    type: 'int',
    width: 12,
    doc: "least traffic of the collective on each device's link, as NCCL's tests define it for the bus bandwidth",
    value: ofCollective(busBytes),
  },
];
