/** The tables of `dprof ranks` by name. */
import { requireColumnOf, type Column, type ColumnShape, type AnyTable } from '../../../table/column.js';
import type { JobReport } from '../job-report.js';
import { CLASS_COLUMNS, CLASS_SCREEN, GROUP_COLUMNS, GROUP_SCREEN } from './group-table.js';
import {
  DELAY_COLUMNS,
  DELAY_SCREEN,
  delayRows,
  REASON_COLUMNS,
  REASON_SCREEN,
  reasonRows,
} from './straggler-table.js';
import {
  EXPERT_COLUMNS,
  EXPERT_SCREEN,
  expertRows,
  expertsMissing,
  STAGE_COLUMNS,
  STAGE_SCREEN,
  stageRows,
  stagesMissing,
} from './parallelism-tables.js';
import { RANK_COLUMNS, RANK_SCREEN, rankRows } from './rank-table.js';
import { STEP_OF_RANK_COLUMNS, STEP_OF_RANK_SCREEN, stepRows } from './step-table.js';

export type RankTableName = 'ranks' | 'steps' | 'collectives' | 'groups' | 'late' | 'delays' | 'stages' | 'experts';

export interface RankTable {
  readonly doc: string;
  readonly columns: readonly ColumnShape[];
  /** Keys of the columns that a screen of 100 characters has room for. */
  readonly screen: readonly string[];
  /** @param keys of the columns; all of them without @throws UsageError for a key that there is none of */
  readonly of: (report: JobReport, keys?: readonly string[]) => AnyTable;
  /** What is missing for it; null where nothing is, and of tables that jobs always have. */
  readonly missing: (report: JobReport) => string | null;
}

const tableOf = <Row>(
  doc: string,
  columns: readonly Column<Row>[],
  screen: readonly string[],
  rowsOf: (report: JobReport) => readonly Row[],
  missing: RankTable['missing'] = () => null,
): RankTable => ({
  ...{ doc, columns, screen, missing },
  of: (report, keys) => ({
    columns: keys?.map((key) => requireColumnOf(columns, key)) ?? columns,
    rows: rowsOf(report),
  }),
});

export const RANK_TABLES: Readonly<Record<RankTableName, RankTable>> = {
  ranks: tableOf('a row a rank: its clock, its steps, its waits', RANK_COLUMNS, RANK_SCREEN, rankRows),
  steps: tableOf(
    'a row a step of a rank: time, computing, exposed communication, idle, FLOPs, tokens, memory',
    STEP_OF_RANK_COLUMNS,
    STEP_OF_RANK_SCREEN,
    stepRows,
  ),
  collectives: tableOf(
    'a row a kind of operation, kind of group and size: waiting, transfer, bandwidth',
    CLASS_COLUMNS,
    CLASS_SCREEN,
    ({ classes }) => classes,
  ),
  groups: tableOf(
    'a row a group: its ranks, matched and unmatched operations, bandwidth',
    GROUP_COLUMNS,
    GROUP_SCREEN,
    ({ groups }) => groups,
  ),
  late: tableOf(
    'a row a thing that a straggler spends more time on than its peers',
    REASON_COLUMNS,
    REASON_SCREEN,
    reasonRows,
  ),
  delays: tableOf(
    'a row a step in which a rank was far later than it otherwise is: by how much, and who waited',
    DELAY_COLUMNS,
    DELAY_SCREEN,
    delayRows,
  ),
  stages: tableOf(
    'a row a pipeline stage: computing, waiting for messages and other stages, idle, bubble',
    STAGE_COLUMNS,
    STAGE_SCREEN,
    stageRows,
    stagesMissing,
  ),
  experts: tableOf(
    'a row a group of experts: how uneven the sizes of its all-to-alls are',
    EXPERT_COLUMNS,
    EXPERT_SCREEN,
    expertRows,
    expertsMissing,
  ),
};
