/** `dprof --by`: records → a row a group of kernels. */
import type { Annotated } from '../../prof/annotate.js';
import { AGGREGATES } from '../../prof/by/aggregates.js';
import { KernelGroups } from '../../prof/by/groups.js';
import { parseGrouping, type Grouping } from '../../prof/by/grouping.js';
import { report } from '../../prof/report.js';
import type { ReportTally } from '../../prof/report-tally.js';
import { UsageError } from '../../record/errors.js';
import type { Packed } from '../../write/format.js';
import { integer, type Arguments, type Option } from '../arguments.js';
import type { Source } from '../input.js';
import type { Request } from './report-options.js';
import type { Write } from '../output.js';

export const BY_OPTIONS: readonly Option[] = [
  { name: 'by', takes: 'KEYS', help: 'a row for all kernels equal in KEYS; see --by KEYS --columns' },
  { name: 'tree', help: '--by: lists as levels, with subtotals (of layers: --no-tree)' },
  { name: 'depth', takes: 'N', help: '--by: only the first N entries of lists, as of layers' },
];

/** What is told of groups, for `--by KEYS --columns`. */
export const aggregatesText = (): string =>
  AGGREGATES.map(
    ({ key, header, unit, doc }) => `${key.padEnd(10)} ${header.padEnd(11)} ${(unit ?? '').padEnd(7)} ${doc}\n`,
  ).join('');

/**
 * What --by asks for; undefined without it.
 * @throws UsageError for anything that cannot be meant
 */
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

/** Whether a report of groups shows or sorts by anything derived of ops, and rates that may be impossible. */
export function usedBy({ keys, columns, arrangement }: Grouping): {
  derived: boolean;
  rates: boolean;
  amounts: boolean;
} {
  const shown = [...columns, ...arrangement.sort.map(({ column }) => column)];
  const told = shown.filter((column) => AGGREGATES.includes(column));
  const amounts = told.some((column) => column.derived === true);
  return {
    amounts,
    derived: amounts || keys.some((column) => column.derived === true),
    rates: told.some((column) => column.impossible !== undefined),
  };
}

const ROWS_AT_ONCE = 1000;

/** One pass over the records, then the rows of the groups. */
export async function writeGroups(
  request: Request,
  grouping: Grouping,
  source: Source,
  write: Write,
  tally: ReportTally,
): Promise<void> {
  const { columns, keys, depth, arrangement } = grouping;
  const { header, width, where, device } = request;
  const { amounts, derived } = usedBy(grouping);
  const sheet = request.format.open({ columns, header, width });
  const groups = new KernelGroups({ keys, depth, amounts, arrangement });
  const options = { pack: (row: Annotated) => row, where, tally, device, derived: derived || where !== undefined };
  for await (const batch of report(source.batches, options)) for (const row of batch) groups.add(row);
  tally.untimed = groups.untimed;
  await write(sheet.head());
  let packed: Packed[] = [];
  for (const row of groups.rows()) {
    if (packed.push(sheet.pack(row)) < ROWS_AT_ONCE) continue;
    await write(sheet.rows(packed));
    packed = [];
  }
  await write(sheet.rows(packed));
  for (const piece of sheet.end()) await write(piece);
}
