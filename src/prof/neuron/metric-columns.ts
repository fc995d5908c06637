/** Columns of a vendor's metrics: a row a metric, all digits. */
import { column, int, real, str, type Column } from '../../table/column.js';
import type { MetricRow, MetricSummary } from './metric-summary.js';
import { inOurUnit, inVendorUnit, type MetricQuantity } from './quantity.js';

export interface MetricLine {
  readonly summary: MetricSummary;
  readonly row: MetricRow;
}

/** A value in a unit of choice; a unit that the source names itself stays. */
export function quantityOf(
  { unit, otherUnit }: MetricRow,
  value: number,
  convert: (value: number, unit: MetricRow['unit']) => MetricQuantity,
): MetricQuantity {
  const quantity = convert(value, unit);
  return otherUnit === null ? quantity : { value, unit: otherUnit };
}

/** A value with all its digits, in the vendor's unit or in ours. */
export function exactValue(
  row: MetricRow,
  value: MetricRow['value'],
  vendor: boolean,
): { value: MetricRow['value']; unit: string } {
  const convert = vendor ? inVendorUnit : inOurUnit;
  const { unit } = quantityOf(row, 0, convert);
  return { value: typeof value === 'number' ? quantityOf(row, value, convert).value : value, unit };
}

/** Why a value is unknown, or why it differs from what was reported. */
export const noteOf = ({ why, of, check }: MetricRow, isChecked: boolean): string =>
  isChecked && check !== null ? check.why : (why ?? of ?? '');

const PLACE_COLUMNS: readonly Column<MetricLine>[] = [
  column('profile', 'profile', int(7), 'number of the input, from 0', ({ summary }) => summary.profile),
  column('file', 'file', str(0), "the profile's file", ({ summary }) => summary.file),
  column('rank', 'rank', int(4), 'rank of the process', ({ summary }) => summary.rank),
  column('node', 'node', str(6), 'node of a file with several summaries', ({ summary }) => summary.node),
  column('group', 'group', str(9), 'group of metrics', ({ row }) => row.group, { vocabulary: true }),
  column('metric', 'metric', str(0), 'name', ({ row }) => row.name),
];

/** Columns of metrics, with what the vendor's tool reported where that is wanted. */
export const metricColumns = ({
  vendor,
  check,
}: Readonly<Record<'vendor' | 'check', boolean>>): Column<MetricLine>[] => [
  ...PLACE_COLUMNS,
  column('value', 'value', real(20), 'in the unit', ({ row }) => exactValue(row, row.value, vendor).value),
  column('unit', 'unit', str(8), 'unit', ({ row }) => exactValue(row, row.value, vendor).unit),
  column(
    'why',
    'why',
    str(0),
    'why a value is unknown, or differs; what it is of where it is none of the whole profile',
    ({ row }) => noteOf(row, check),
  ),
  ...(check ? checkColumns(vendor) : []),
];

const checkColumns = (vendor: boolean): Column<MetricLine>[] => [
  column(
    'reported',
    'reported',
    real(20),
    "value of the vendor's tool",
    ({ row }) => exactValue(row, row.check?.reported ?? null, vendor).value,
  ),
  column('difference', 'difference', real(22), 'how far apart both are', ({ row }) => row.check?.difference ?? null),
];
