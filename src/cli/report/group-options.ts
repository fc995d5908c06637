/** Options of `dprof --by`: a row a group of kernels. */
import { AGGREGATES } from '../../prof/by/aggregates.js';
import { COLUMNS } from '../../prof/columns/columns.js';
import { parseGrouping, type Grouping } from '../../prof/by/grouping.js';
import { UsageError } from '../../record/errors.js';
import { integer, type Arguments, type Option } from '../arguments.js';

export const BY_OPTIONS: readonly Option[] = [
  {
    name: 'by',
    takes: 'KEYS',
    help: 'a row for all kernels equal in KEYS; see --by KEYS --columns',
    values: COLUMNS.map(({ key }) => key),
    list: true,
  },
  { name: 'tree', help: '--by: lists as levels, with subtotals (of layers: --no-tree)' },
  { name: 'depth', takes: 'N', help: '--by: only the first N entries of lists, as of layers' },
];

/** The columns of groups, for `--by KEYS --columns`. */
export const aggregatesText = (): string =>
  AGGREGATES.map(
    ({ key, header, unit, doc }) => `${key.padEnd(10)} ${header.padEnd(11)} ${(unit ?? '').padEnd(7)} ${doc}\n`,
  ).join('');

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
  if (given.text('explain') !== undefined) throw new UsageError('--by and --explain exclude each other', 'choose one');
  return parseGrouping({ by, columns: given.text('cols'), sort: given.text('sort'), top, depth, tree });
}
