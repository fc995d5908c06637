/**
 * The job in the form of `dprof ranks -f json`: the facts on the screen, and all tables in full. Times in ns, rates in
 * bytes/s.
 */
import { elementAt } from '../../containers/element.js';
import { rowObjects, type RowObject } from '../../table/column.js';
import type { Doubt } from '../input/losses.js';
import { jobReport, type JobReport } from './job-report.js';
import { hostOf, namesOfSeveral, namesWithoutWork, type Membership } from './membership.js';
import type { Straggler } from './stragglers/stragglers.js';
import { RANK_TABLES, type RankTableName } from './tables/tables.js';
import type { SlowTransfers } from './slow-groups.js';
import { withoutDevice, type Analysis, type Answer, type Item } from '../analysis.js';
import { countNotes, limit, type Limits } from '../limits.js';
import { RANK_AND_PART_TYPES, RankParts } from './part/rank-parts.js';

/** The analysis of `dprof ranks`, which turns records of all ranks into the report of their job. */
export class RanksAnalysis implements Analysis<JobReport> {
  readonly types = RANK_AND_PART_TYPES;
  readonly skipUnreadable = true;
  readonly #parts = new RankParts();

  /**
   * @param table the table for table formats
   * @param keys the keys of its columns; all columns when absent
   */
  constructor(
    private readonly table: RankTableName = 'ranks',
    private readonly keys?: readonly string[],
  ) {}

  take(item: Item): void {
    this.#parts.take(item);
  }

  /** @throws UserError when no device worked */
  finish(): Answer<JobReport> {
    const { all: parts, withoutWork } = this.#parts;
    if (parts.length === 0) throw withoutDevice(namesOfSeveral(withoutWork.map(({ part }) => part)));
    const report = jobReport(parts, withoutWork);
    const { of: tableOf, missing } = RANK_TABLES[this.table];
    const lacking = missing(report);
    const notes = [
      ...notesOf(report),
      ...(lacking === null ? [] : [limit(`the table ${this.table}`, lacking, { line: lacking })]),
    ];
    return { table: tableOf(report, this.keys), facts: report, notes };
  }
}

function notesOf({ parts, withoutWork, membership }: JobReport): Limits[] {
  const leftOut = (kind: 'operations' | 'steps' | 'names'): number =>
    parts.reduce((sum, part) => sum + part.leftOut[kind], 0);
  const { worldSizes, doubled } = membership;
  return [
    ...countNotes(
      [leftOut('operations'), 'operation', ' left out', 'no time, or more than 500000 per rank'],
      [leftOut('steps'), 'record', ' left out', 'more than 1000 steps per rank'],
      [leftOut('names'), 'layer, op or kernel name', ' not compared between ranks', 'too little time'],
      [
        withoutWork.length,
        'profile',
        ' not compared',
        `no work on a device in ${namesWithoutWork(withoutWork.map(({ part }) => part))}`,
      ],
      [doubled.length, 'rank', ' with several profiles', 'they may be from different runs'],
    ),
    ...(worldSizes.length === 0
      ? []
      : [limit('the ranks may be of different jobs', `profiles state jobs of ${worldSizes.join(' and ')} ranks`)]),
  ];
}

/** A profile of the job. */
export interface RankFile {
  /** Null when it has no rank number. */
  readonly rank: number | null;
  readonly file: string;
}

/** A rank, machine or group that is late. */
export interface StragglerDocument extends RankFile, Omit<Straggler, 'part' | 'members'> {
  /** Null if unknown. */
  readonly machine: string | null;
  /** Ranks of the machine or group. */
  readonly members: readonly (number | null)[];
}

/** The ranks of a job; tables by name, with rows by the keys of `dprof ranks -t TABLE --columns`. */
export interface RanksDocument
  extends Omit<Membership, 'nodes'>, Readonly<Record<RankTableName, readonly RowObject[]>> {
  /** Parts of the profiles that readers could not read; figures are computed from the rest. */
  readonly doubts: readonly Doubt[];
  /** Profiles that are left out because each is a copy of another. */
  readonly copies: readonly (RankFile & { readonly of: RankFile })[];
  /** Profiles without device work, and the reason if the profiler recorded it. */
  readonly withoutWork: readonly (RankFile & { readonly machine: string | null; readonly reason: string | null })[];
  /** Rank whose clock is the job's; null when it has no number. */
  readonly reference: number | null;
  /**
   * Profiles that begin first and last, and the time between in ns, if it exceeds the duration of a step; null otherwise.
   */
  readonly apart: { readonly first: RankFile; readonly last: RankFile; readonly time: number } | null;
  /** Profiles whose times fit no clock. */
  readonly refuted: readonly (RankFile & {
    readonly backwards: boolean;
    readonly drift: number | null;
    readonly residual: number | null;
  })[];
  /** How many ranks have enough steps in common with others to be found late. */
  readonly tested: number;
  readonly untested: readonly (RankFile & { readonly why: string })[];
  readonly stragglers: readonly StragglerDocument[];
  /** The latest rank, if none is late more often than by chance; null otherwise. */
  readonly latest: StragglerDocument | null;
  /** Groups whose transfers are slower than those of others, by name; null for a group without a name. */
  readonly slowGroups: readonly (Omit<SlowTransfers, 'group'> & { readonly group: string | null })[];
}

const TABLE_NAMES = Object.keys(RANK_TABLES) as RankTableName[];

export function ranksDocument(report: JobReport, doubts: readonly Doubt[]): RanksDocument {
  const { membership, copies, withoutWork, misfits, parts, lateness, slowGroups, groups, apart } = report;
  const { worldSize, worldSizes, missing, doubled, unranked, nodesInferred } = membership;
  const fileOf = (part: number): RankFile => fileOfPart(elementAt(parts, part));
  return {
    ...{ worldSize, worldSizes, missing, doubled, unranked, nodesInferred },
    doubts,
    copies: copies.map(({ part, of: original }) => ({ ...fileOfPart(part), of: fileOfPart(original) })),
    withoutWork: withoutWork.map(({ part, reason }) => ({
      ...fileOfPart(part),
      ...{ machine: hostOf(part), reason: reason?.what ?? null },
    })),
    reference: referenceOf(report),
    apart: apart === null ? null : { ...apart, first: fileOf(apart.first), last: fileOf(apart.last) },
    refuted: misfits.map(({ part, isBackwards: backwards, drift, residual }) => ({
      ...fileOf(part),
      ...{ backwards, drift, residual },
    })),
    tested: lateness.tested,
    untested: lateness.untested.map(({ part, why }) => ({ ...fileOf(part), why })),
    stragglers: lateness.stragglers.map((straggler) => stragglerDocument(report, straggler)),
    latest: lateness.latest === null ? null : stragglerDocument(report, lateness.latest),
    slowGroups: slowGroups.map(({ group, ...slow }) => ({ ...slow, group: elementAt(groups, group).name })),
    ...tablesOf(report),
  };
}

/** The document without the rows of the other tables. */
export const withOnlyTable = (document: RanksDocument, table: RankTableName): Partial<RanksDocument> =>
  Object.fromEntries(Object.entries(document).filter(([key]) => key === table || !Object.hasOwn(RANK_TABLES, key)));

/** The document with at most a number of rows in each table; all rows when absent. */
export const withFirstRows = (document: RanksDocument, most = Infinity): RanksDocument => ({
  ...document,
  ...Object.fromEntries(TABLE_NAMES.map((name) => [name, document[name].slice(0, most)])),
});

const fileOfPart = ({ rank, file }: RankFile): RankFile => ({ rank, file });

const tablesOf = (report: JobReport): Record<RankTableName, RowObject[]> =>
  Object.fromEntries(
    Object.entries(RANK_TABLES).map(([name, { of: tableOf }]) => [name, rowObjects(tableOf(report))]),
  ) as Record<RankTableName, RowObject[]>;

const stragglerDocument = (
  { parts, ranks }: JobReport,
  { part, members, reasons, ...straggler }: Straggler,
): StragglerDocument => ({
  ...fileOfPart(elementAt(parts, part)),
  machine: elementAt(ranks, part).node,
  ...straggler,
  members: members.map((member) => elementAt(parts, member).rank),
  reasons,
});

/** Rank whose clock is the job's; null when it has no number. */
function referenceOf({ parts, ranks }: JobReport): number | null {
  const found = ranks.find(({ clock }) => clock.source === 'reference');
  return found === undefined ? null : elementAt(parts, found.part).rank;
}
