/** Columns that classes of operations and groups share: waiting and transferring. */
import { int, column, real } from '../../../table/column-kinds.js';
import type { Column } from '../../../table/column.js';
import type { TransferSums } from '../transfers.js';

const GIGA = 1e9;
const PERCENT = 100;

const whole = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : Math.round(value);

const inGiga = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : value / GIGA;

/** @param of null where nothing is matched */
export const transferColumns = <Row extends { readonly linkPeak: number | null }>(
  of: (row: Row) => TransferSums | null,
): Column<Row>[] => [
  column('bytes', 'bytes', int(14, 'bytes'), 'of all messages whose size is known', (row) => of(row)?.bytes ?? null),
  column('wait', 'wait_ns', int(12, 'ns'), 'mean time that a rank waited for the last', (row) => whole(of(row)?.wait)),
  column('skew', 'skew_ns', int(12, 'ns'), 'median time from the first that joined to the last', (row) =>
    whole(of(row)?.skew),
  ),
  column('longest_skew', 'longest_skew_ns', int(15, 'ns'), 'longest of these', (row) => whole(of(row)?.longestSkew)),
  column('transfer', 'transfer_ns', int(12, 'ns'), 'median time from the last that joined to the end', (row) =>
    whole(of(row)?.transfer),
  ),
  column('algbw', 'algbw', real(8, 2, 'GB/s'), "size over transfer, as NCCL's tests define it", (row) =>
    inGiga(of(row)?.algorithmBandwidth),
  ),
  column('busbw', 'busbw', real(8, 2, 'GB/s'), "bus bandwidth, as NCCL's tests define it", (row) =>
    inGiga(of(row)?.busBandwidth),
  ),
  column('link', 'link_%', real(6, 1, '%'), 'of the peak of the links in one direction, within one machine', (row) => {
    const rate = of(row)?.busBandwidth ?? null;
    return rate === null || row.linkPeak === null ? null : (PERCENT * rate) / row.linkPeak;
  }),
];
