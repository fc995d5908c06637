/**
 * The tables of a job: its ranks, matched operations, and the wait of each rank in them, with the terms of `dprof ranks`.
 */
import { elementAt } from '../../../containers/element.js';
import { jobReport, type JobReport } from '../../ranks/job-report.js';
import type { MatchedGroup } from '../../ranks/matching/match-group.js';
import type { RankCollector } from '../../ranks/part/rank-collector.js';
import type { RankPart } from '../../ranks/part/rank-part.js';
import { groupName } from '../../ranks/tables/group-table.js';
import { RANK_COLUMNS, rankRows, type RankRow } from '../../ranks/tables/rank-table.js';
import { waitsOf, type OperationWaits } from '../../ranks/waits.js';
import { ofColumn, type SqlColumn, type SqlTable } from './sql-types.js';

type Profiles = ReadonlyMap<RankPart, number>;

interface RankOfJob extends RankRow {
  readonly profile: number | null;
}

/** A matched operation. */
interface JobOperation {
  readonly number: number;
  readonly waits: OperationWaits;
  readonly matched: MatchedGroup;
  readonly group: JobReport['groups'][number];
  readonly report: JobReport;
  readonly profiles: Profiles;
}

/** One rank in a matched operation. */
interface RankInOperation extends JobOperation {
  readonly index: number;
}

const partOf = ({ waits, report, index }: RankInOperation): RankPart =>
  elementAt(report.parts, elementAt(waits.parts, index));

/** Index of the operation in the columns of a part. */
function placeOf({ matched, waits }: JobOperation, part: number): number {
  const column = matched.group.members.findIndex((member) => member.part === part);
  return elementAt(waits.operation.at, column);
}

const placeIn = (row: RankInOperation): number => placeOf(row, elementAt(row.waits.parts, row.index));

const int = <Row>(name: string, doc: string, value: (row: Row) => number | null): SqlColumn<Row> => ({
  ...{ name, doc, kind: 'int' },
  value: (row) => {
    const number = value(row);
    return number === null ? null : Math.round(number);
  },
});

const text = <Row>(name: string, doc: string, value: (row: Row) => string | null): SqlColumn<Row> => ({
  ...{ name, doc, kind: 'text', value },
});

const NUMBER: SqlColumn<JobOperation> = int('operation', 'number of the operation in the job', ({ number }) => number);

export const RANK_TABLE: SqlTable<RankOfJob> = {
  name: 'rank',
  columns: [int('profile', 'number of its profile', ({ profile }) => profile), ...RANK_COLUMNS.map((column) => ofColumn<RankOfJob>(column))], // prettier-ignore
};

export const OPERATION_TABLE: SqlTable<JobOperation> = {
  name: 'operation',
  columns: [
    NUMBER,
    text('kind', 'kind of the operation', ({ waits }) => waits.operation.signature.kind),
    text('group', 'name of the group; for messages sender>receiver', ({ group }) => groupName(group)),
    text('group_kind', 'purpose of the group', ({ group }) => group.kind),
    int('size', 'ranks of the group', ({ group }) => group.size),
    int('captured', 'ranks that took part and have a profile', ({ waits }) => waits.parts.length),
    int('bytes', 'size of the message', ({ waits }) => waits.operation.signature.bytes),
    text('dtype', 'type of its elements', ({ waits }) => waits.operation.signature.dtype),
    int('step', 'step of the rank that joined last', (row) => {
      const { operations } = elementAt(row.report.parts, row.waits.last);
      return operations.step[placeOf(row, row.waits.last)] ?? null;
    }),
    int('first', "when the first rank joined, on the job's clock", ({ waits }) => waits.first),
    int('joined', 'when the last rank joined', ({ waits }) => waits.joined),
    int('end', 'end of the transfer', ({ waits }) => waits.end),
    int('skew', 'time from the first rank joining to the last', ({ waits }) => waits.skew),
    int('transfer', 'time from the last rank joining to the end', ({ waits }) => waits.transfer),
    int('last_rank', 'rank that joined last', ({ waits, report }) => elementAt(report.parts, waits.last).rank),
    int('waited', 'sum of the waits of its ranks', ({ waits }) => waits.waits.reduce((sum, wait) => sum + wait, 0)),
  ],
};

export const WAIT_TABLE: SqlTable<RankInOperation> = {
  name: 'wait',
  columns: [
    NUMBER,
    int('profile', 'number of the profile', (row) => row.profiles.get(partOf(row)) ?? null),
    int('rank', 'rank of the process', (row) => partOf(row).rank),
    int('device', 'device', (row) => partOf(row).device),
    int('step', 'step of the rank', (row) => partOf(row).operations.step[placeIn(row)] ?? null),
    int('start', "start of the rank's kernel, on the profile's clock, as in table kernel", (row) =>
      elementAt(partOf(row).operations.start, placeIn(row)),
    ),
    int('joined', "when the rank joined, on the job's clock", ({ waits, index }) => elementAt(waits.starts, index)),
    int('end', "end of the rank's kernel, on the job's clock", ({ waits, index }) => elementAt(waits.ends, index)),
    int('wait', 'time that it waited for others', ({ waits, index }) => elementAt(waits.waits, index)),
    int(
      'last_rank',
      'rank that this rank waited for: the last one that joined before its part ended',
      ({ waits, index, report }) => elementAt(report.parts, elementAt(waits.causes, index)).rank,
    ),
  ],
};

export const JOB_TABLES = [RANK_TABLE, OPERATION_TABLE, WAIT_TABLE] as const;

/** Rows of all three tables, from the collected data of the ranks. */
export class JobRows {
  readonly #profiles: Profiles;
  readonly #report: JobReport;

  constructor(collector: RankCollector) {
    const { withoutWork } = collector;
    const worked = [...collector.partsByProfile].flatMap(([profile, parts]) =>
      parts.map((part) => [part, profile] as const),
    );
    this.#profiles = new Map([...worked, ...withoutWork.map(({ part, profile }) => [part, profile] as const)]);
    this.#report = jobReport(
      worked.map(([part]) => part),
      withoutWork,
    );
  }

  ranks(): RankOfJob[] {
    return rankRows(this.#report).map((row) => ({ ...row, profile: this.#profiles.get(row.part) ?? null }));
  }

  *operations(): Generator<JobOperation> {
    const { matched: groups, parts, ranks } = this.#report;
    const clocks = ranks.map(({ clock }) => clock);
    let number = 0;
    for (const [index, matched] of groups.entries()) {
      const common = {
        matched,
        group: elementAt(this.#report.groups, index),
        report: this.#report,
        profiles: this.#profiles,
      };
      for (const waits of waitsOf(matched, parts, clocks)) yield { ...common, number: number++, waits };
    }
  }

  *waits(): Generator<RankInOperation> {
    for (const operation of this.operations())
      for (const index of operation.waits.parts.keys()) yield { ...operation, index };
  }
}
