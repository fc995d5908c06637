/** Columns of a vendor's metrics: a row a metric, all digits. */
import type { Column } from '../../table/column.js';
import type { MetricRow, MetricSummary } from './metric-summary.js';
import { inOurUnit, inVendorUnit, type MetricQuantity } from './quantity.js';

/** A metric of a profile. */
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

interface MetricColumnOptions {
  readonly vendor: boolean;
  readonly check: boolean;
}

/** Why a value is unknown, or why it differs from what was reported. */
export const noteOf = ({ why, check }: MetricRow, isChecked: boolean): string =>
  isChecked && check !== null ? check.why : (why ?? '');

const PLACE_COLUMNS: readonly Column<MetricLine>[] = [
  {
    ...{ key: 'profile', header: 'profile', type: 'int', width: 7, doc: 'number of the input, from 0' },
    value: ({ summary }) => summary.profile,
  },
  {
    ...{ key: 'file', header: 'file', type: 'str', width: 0, doc: "the profile's file" },
    value: ({ summary }) => summary.file,
  },
  {
    ...{ key: 'rank', header: 'rank', type: 'int', width: 4, doc: 'rank of the process' },
    value: ({ summary }) => summary.rank,
  },
  {
    ...{ key: 'node', header: 'node', type: 'str', width: 6, doc: 'node of a file with several summaries' },
    value: ({ summary }) => summary.node,
  },
  {
    ...{ key: 'group', header: 'group', type: 'str', width: 9, doc: 'group of metrics', vocabulary: true },
    value: ({ row }) => row.group,
  },
  { ...{ key: 'metric', header: 'metric', type: 'str', width: 0, doc: 'name' }, value: ({ row }) => row.name },
];

/** Columns of metrics, with what the vendor's tool reported where that is wanted. */
export const metricColumns = ({ vendor, check }: MetricColumnOptions): Column<MetricLine>[] => [
  ...PLACE_COLUMNS,
  {
    ...{ key: 'value', header: 'value', type: 'real', width: 20, doc: 'in the unit' },
    value: ({ row }) => exactValue(row, row.value, vendor).value,
  },
  {
    ...{ key: 'unit', header: 'unit', type: 'str', width: 8, doc: 'unit' },
    value: ({ row }) => exactValue(row, row.value, vendor).unit,
  },
  {
    ...{ key: 'why', header: 'why', type: 'str', width: 0, doc: 'why a value is unknown, or differs' },
    value: ({ row }) => noteOf(row, check),
  },
  ...(check ? CHECK_COLUMNS(vendor) : []),
];

const CHECK_COLUMNS = (vendor: boolean): Column<MetricLine>[] => [
  {
    ...{ key: 'reported', header: 'reported', type: 'real', width: 20, doc: "value of the vendor's tool" },
    value: ({ row }) => exactValue(row, row.check?.reported ?? null, vendor).value,
  },
  {
    ...{ key: 'difference', header: 'difference', type: 'real', width: 22, doc: 'how far apart both are' },
    value: ({ row }) => row.check?.difference ?? null,
  },
];
