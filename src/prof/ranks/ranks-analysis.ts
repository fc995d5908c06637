/** The analysis of `dprof ranks`: records of all ranks → the report of their job. */
import { append } from '../../containers/lists.js';
import type { UserError } from '../../record/errors.js';
import type { ProfileLine } from '../../record/record.js';
import { countNotes, withoutDevice, type Analysis, type Answer } from '../analysis.js';
import type { Annotated } from '../annotate.js';
import { jobReport, type JobReport } from './job-report.js';
import type { RecordTypes } from '../input/records.js';
import { RANK_TYPES, RankCollector } from './part/rank-collector.js';
import type { RankPart } from './part/rank-part.js';
import { RANK_TABLES, type RankTableName } from './tables/tables.js';

export class RanksAnalysis implements Analysis<JobReport> {
  readonly types: RecordTypes = new Set([...RANK_TYPES, 'part-ranks' as const]);
  readonly many = true;
  readonly #collector = new RankCollector();
  /** Of partial answers. */
  readonly #parts: RankPart[] = [];

  /** @param table the one of the table formats */
  constructor(private readonly table: RankTableName) {}

  take(record: ProfileLine, rows: readonly Annotated[]): void {
    if (record.type === 'part-ranks') append(this.#parts, record.data as readonly RankPart[]);
    else this.#collector.take(record, rows);
  }

  /** @throws UserError without work of any device */
  finish(rows: readonly Annotated[]): Answer<JobReport> {
    this.#collector.addKernels(rows);
    const parts = [...this.#collector.parts, ...this.#parts];
    if (parts.length === 0) throw withoutDevice();
    const report = jobReport(parts);
    return { table: RANK_TABLES[this.table].of(report), facts: report, notes: notesOf(report) };
  }
}

function notesOf({ parts, membership }: JobReport): (string | UserError)[] {
  const leftOut = (of: 'operations' | 'steps' | 'names'): number =>
    parts.reduce((sum, part) => sum + part.leftOut[of], 0);
  const { worldSizes, doubled } = membership;
  return [
    ...countNotes(
      [leftOut('operations'), 'operation', ' without a time, or beyond 500000 of a rank, left out'],
      [leftOut('steps'), 'record', ' of steps beyond 1000 of a rank left out'],
      [doubled.length, 'rank', ' with several profiles: are they of one run?'],
    ),
    ...(worldSizes.length === 0
      ? []
      : [`profiles state jobs of ${worldSizes.join(' and ')} ranks: are they of one job?`]),
  ];
}
