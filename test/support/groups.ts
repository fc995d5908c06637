/** Groups of kernels as a test wants them: from records, as rows of raw values. */
import { type CellValue, type Column } from '../../src/table/column.js';
import { KernelGroups } from '../../src/prof/by/groups.js';
import { parseGrouping, type GroupingText } from '../../src/prof/by/grouping.js';
import type { GroupRow } from '../../src/prof/by/group-rows.js';
import type { ProfileLine } from '../../src/record/record.js';
import { annotate } from './rows.js';

export interface Grouped {
  readonly columns: readonly Column<GroupRow>[];
  readonly rows: readonly GroupRow[];
  readonly untimed: number;
}

/** The rows of `dprof --by`. */
export function groupsOf(
  records: Iterable<ProfileLine>,
  text: Partial<GroupingText> & { readonly by: string },
): Grouped {
  const { keys, columns, depth, hostKind, arrangement } = parseGrouping({
    ...{ columns: undefined, sort: undefined, top: undefined, depth: undefined, tree: undefined },
    ...text,
  });
  const groups = new KernelGroups({ keys, depth, amounts: true, hostKind, arrangement });
  const all = [...records];
  for (const record of all) if (record.type === 'range') groups.addRange(record);
  for (const row of annotate(all)) groups.add(row);
  return { columns, rows: [...groups.rows()], untimed: groups.untimed };
}

/** Values of the columns, by key. */
export const valuesOf = ({ columns, rows }: Grouped): Readonly<Record<string, CellValue>>[] =>
  rows.map((row) => Object.fromEntries(columns.map((column) => [column.key, column.value(row)])));
