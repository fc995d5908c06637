/** The tables of `dprof ranks` by name. */
import type { AnyTable } from '../../../table/table.js';
import type { JobReport } from '../job-report.js';
import { CLASS_COLUMNS } from './class-table.js';
import { GROUP_COLUMNS } from './group-table.js';
import { RANK_COLUMNS, rankRows } from './rank-table.js';
import { STEP_OF_RANK_COLUMNS, stepRows } from './step-table.js';
import { REASON_COLUMNS, reasonRows } from './straggler-table.js';

export type RankTableName = 'ranks' | 'steps' | 'collectives' | 'groups' | 'late';

interface RankTable {
  readonly doc: string;
  readonly of: (report: JobReport) => AnyTable;
}

export const RANK_TABLES: Readonly<Record<RankTableName, RankTable>> = {
  ranks: {
    doc: 'a row a rank: its clock, its steps, its waits',
    of: (report) => ({ columns: RANK_COLUMNS, rows: rankRows(report) }),
  },
  steps: {
    doc: 'a row a step of a rank: time, computing, exposed communication, idle, FLOPs, tokens, memory',
    of: (report) => ({ columns: STEP_OF_RANK_COLUMNS, rows: stepRows(report) }),
  },
  collectives: {
    doc: 'a row a kind of operation, kind of group and size: waiting, transfer, bandwidth',
    of: ({ classes }) => ({ columns: CLASS_COLUMNS, rows: classes }),
  },
  groups: {
    doc: 'a row a group: its ranks, matched and unmatched operations, bandwidth',
    of: ({ groups }) => ({ columns: GROUP_COLUMNS, rows: groups }),
  },
  late: {
    doc: 'a row a thing that a straggler spends more time on than its peers',
    of: (report) => ({ columns: REASON_COLUMNS, rows: reasonRows(report) }),
  },
};
