/** The analysis of `dprof ranks`: records of all ranks → the report of their job. */
import type { UserError } from '../../record/errors.js';
import { countNotes, withoutDevice, type Analysis, type Answer, type Item } from '../analysis.js';
import { jobReport, type JobReport } from './job-report.js';
import { namesOfSeveral, namesWithoutWork } from './membership.js';
import { RANK_AND_PART_TYPES, RankParts } from './part/rank-parts.js';
import { RANK_TABLES, type RankTableName } from './tables/tables.js';

export class RanksAnalysis implements Analysis<JobReport> {
  readonly types = RANK_AND_PART_TYPES;
  readonly skipUnreadable = true;
  readonly #parts = new RankParts();

  /**
   * @param table the one of the table formats
   * @param keys of its columns; all of them without
   */
  constructor(
    private readonly table: RankTableName = 'ranks',
    private readonly keys?: readonly string[],
  ) {}

  take(item: Item): void {
    this.#parts.take(item);
  }

  /** @throws UserError without work of any device */
  finish(): Answer<JobReport> {
    const { all: parts, withoutWork } = this.#parts;
    if (parts.length === 0) throw withoutDevice(namesOfSeveral(withoutWork.map(({ part }) => part)));
    const report = jobReport(parts, withoutWork);
    const { of, missing } = RANK_TABLES[this.table];
    const lacking = missing(report);
    const notes = [...notesOf(report), ...(lacking === null ? [] : [lacking])];
    return { table: of(report, this.keys), facts: report, notes };
  }
}

function notesOf({ parts, withoutWork, membership }: JobReport): (string | UserError)[] {
  const leftOut = (of: 'operations' | 'steps' | 'names'): number =>
    parts.reduce((sum, part) => sum + part.leftOut[of], 0);
  const { worldSizes, doubled } = membership;
  return [
    ...countNotes(
      [leftOut('operations'), 'operation', ' without a time, or beyond 500000 of a rank, left out'],
      [leftOut('steps'), 'record', ' of steps beyond 1000 of a rank left out'],
      [leftOut('names'), 'layer, op or kernel name', ' of the least time of a rank not compared with others'],
      [
        withoutWork.length,
        'profile',
        ` without work on a device: ${namesWithoutWork(withoutWork.map(({ part }) => part))}`,
      ],
      [doubled.length, 'rank', ' with several profiles: are they of one run?'],
    ),
    ...(worldSizes.length === 0
      ? []
      : [`profiles state jobs of ${worldSizes.join(' and ')} ranks: are they of one job?`]),
  ];
}
