/** What the columns of tables mean, for `dprof terms`: the texts of their help. */
import { entryOf } from '../../containers/map-entry.js';
import type { ColumnShape } from '../../table/column.js';
import { FINDING_COLUMNS } from '../advise/finding.js';
import { AGGREGATES } from '../by/aggregates.js';
import { HOST_COLUMNS } from '../by/host/host-table-columns.js';
import { REASON_COLUMNS as CHECK_COLUMNS } from '../check/reason.js';
import { PATH_COLUMNS } from '../critical-path/path-columns.js';
import { DIFF_COLUMNS } from '../diff/diff-columns.js';
import { OVERLAP_COLUMNS } from '../overlap/overlap.js';
import { QUEUE_COLUMNS } from '../queues/queues.js';
import { GROUP_COLUMNS } from '../ranks/tables/group-table.js';
import { RANK_COLUMNS } from '../ranks/tables/rank-table.js';
import { DELAY_COLUMNS, REASON_COLUMNS } from '../ranks/tables/straggler-table.js';
import { SEQUENCE_COLUMNS } from '../sequences/sequences.js';
import { STACK_COLUMNS } from '../stacks/stack-sums.js';
import { REGION_COLUMNS } from '../steps/region-columns.js';
import { SERVING_STEP_COLUMNS, STEP_COLUMNS } from '../steps/step-columns.js';
import { COLUMNS } from './columns.js';

/** Columns by the command that has them, in the order of the list of commands. */
const TABLES: readonly (readonly [command: string, columns: readonly ColumnShape[]])[] = [
  ['dprof advise', FINDING_COLUMNS],
  ['dprof check', CHECK_COLUMNS],
  ['dprof', COLUMNS],
  ['dprof --by', AGGREGATES],
  ['dprof --by range', HOST_COLUMNS],
  ['dprof critical-path', PATH_COLUMNS],
  ['dprof sequences', SEQUENCE_COLUMNS],
  ['dprof overlap', OVERLAP_COLUMNS],
  ['dprof queues', QUEUE_COLUMNS],
  ['dprof steps', [...STEP_COLUMNS, ...SERVING_STEP_COLUMNS]],
  ['dprof steps --by', REGION_COLUMNS],
  ['dprof stacks', STACK_COLUMNS],
  ['dprof ranks', RANK_COLUMNS],
  ['dprof ranks -t groups', GROUP_COLUMNS],
  ['dprof ranks -t stragglers', [...REASON_COLUMNS, ...DELAY_COLUMNS]],
  ['dprof diff', DIFF_COLUMNS],
];

export interface ColumnTerm {
  readonly term: string;
  readonly unit: string | null;
  readonly meaning: string;
}

/** All columns, in the order of the tables; one that several tables have with the same meaning is one term. */
export function columnTerms(): ColumnTerm[] {
  const found = new Map<string, { readonly column: ColumnShape; readonly commands: string[] }>();
  for (const [command, columns] of TABLES)
    for (const column of columns)
      entryOf(found, `${column.key} ${column.doc}`, () => ({ column, commands: [] })).commands.push(command);
  return [...found.values()].map(({ column: { key, unit = null, doc }, commands }) => ({
    ...{ term: key, unit },
    meaning: `${doc} (column of ${[...new Set(commands)].join(', ')})`,
  }));
}
