/** Options of `dprof --by`: a row a group of kernels. */
import { AGGREGATES } from '../../prof/by/aggregates.js';
import { COLUMNS } from '../../prof/columns/columns.js';
import { parseGrouping, type Grouping } from '../../prof/by/grouping.js';
import { UsageError } from '../../record/errors.js';
import { HOST_COLUMNS, parseHostGrouping, type HostGrouping } from '../../prof/by/host/host-table-columns.js';
import { HOST_TABLES } from '../../prof/by/host/host-table.js';
import type { ColumnShape } from '../../table/column.js';
import { integer, type Arguments, type Option } from '../arguments.js';

export const BY_OPTIONS: readonly Option[] = [
  {
    name: 'by',
    takes: 'KEYS',
    help: 'kernels equal in KEYS as a row; of the host: range, hostop, api',
    conflicts: ['explain'],
    values: [...COLUMNS.map(({ key }) => key), ...Object.keys(HOST_TABLES).filter((name) => name !== 'api')],
    list: true,
  },
  { name: 'tree', help: '--by: lists as levels, with subtotals (of layers: --no-tree)' },
  { name: 'depth', takes: 'N', help: '--by: only the first N entries of lists, as of layers' },
];

const columnsText = (columns: readonly ColumnShape[]): string =>
  columns
    .map(({ key, header, unit, doc }) => `${key.padEnd(10)} ${header.padEnd(12)} ${(unit ?? '').padEnd(7)} ${doc}\n`)
    .join('');

/** The columns of groups, for `--by KEYS --columns`. */
export const aggregatesText = (): string => columnsText(AGGREGATES);

/** Those of what the host did. */
export const hostColumnsText = (): string => columnsText(HOST_COLUMNS);

/** A table of what the host did; undefined where --by names keys of kernels. @throws UsageError likewise */
export function readHostGrouping(given: Arguments, top: number | undefined): HostGrouping | undefined {
  const by = given.text('by');
  const grouping =
    by === undefined ? null : parseHostGrouping({ by, columns: given.text('cols'), sort: given.text('sort'), top });
  if (grouping === null) return undefined;
  const stray = ['where', 'tree', 'depth'].find(
    (name) => given.text(name) !== undefined || given.switched(name) !== undefined,
  );
  if (stray === undefined) return grouping;
  throw new UsageError(`--${stray} is about kernels: --by ${by ?? ''} lists what the host did`);
}

/** Undefined without --by. @throws UsageError for anything that cannot be meant */
export function readGrouping(given: Arguments, top: number | undefined): Grouping | undefined {
  const by = given.text('by');
  const tree = given.switched('tree');
  const depth = given.read('depth', (text) => integer('--depth', text, 1));
  if (by === undefined) {
    const stray = tree !== undefined ? 'tree' : depth !== undefined ? 'depth' : null;
    if (stray !== null) throw new UsageError(`--${stray} goes with --by`);
    return undefined;
  }
  return parseGrouping({ by, columns: given.text('cols'), sort: given.text('sort'), top, depth, tree });
}
