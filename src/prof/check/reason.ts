/** A reason to doubt a profile, and the verdict that follows from all reasons. Plain data, in the form of the JSON output. */
import { column, knownColumn, int, str, type Column } from '../../table/column.js';

/**
 * What a reason means. `loss`: data is missing, so figures are incomplete. `doubt`: data is there but may be wrong.
 * `limit`: nothing is wrong, but some questions have no answer because the profiler did not record enough.
 */
export const LEVELS = ['loss', 'doubt', 'limit'] as const;
export type Level = (typeof LEVELS)[number];

/** A reason to doubt a profile. */
export interface Reason {
  /** Name of the check, or of the diagnostic that a reader counted. */
  readonly check: string;
  readonly level: Level;
  /** Number of rows, kernels or steps that it is about; null where nothing is counted. */
  readonly count: number | null;
  /** One line: what was found, with its figures. */
  readonly what: string;
  /** Which figures are wrong or unknown for this reason. */
  readonly affects: string;
  /** How to record or read the profile better; null where nothing helps. */
  readonly remedy: string | null;
}

/** Verdicts, from the best to the worst: the worst level among the reasons decides. */
export const VERDICTS = ['complete', 'doubtful', 'incomplete'] as const;
/** Verdict on a profile: complete, doubtful or incomplete. */
export type CheckVerdict = (typeof VERDICTS)[number];

/** Limits do not change the verdict: what was recorded is right. */
export function verdictOf(reasons: readonly Reason[]): CheckVerdict {
  if (reasons.some(({ level }) => level === 'loss')) return 'incomplete';
  return reasons.some(({ level }) => level === 'doubt') ? 'doubtful' : 'complete';
}

export interface ReasonRow {
  readonly profile: number;
  readonly file: string | null;
  readonly rank: number | null;
  readonly reason: Reason;
}

export const REASON_COLUMNS: readonly Column<ReasonRow>[] = [
  knownColumn('profile', 'profile', int(7), 'number of the input, from 0', ({ profile }) => profile),
  column('file', 'file', str(20), "the profile's file", ({ file }) => file),
  column('rank', 'rank', int(4), 'rank of the process', ({ rank }) => rank),
  knownColumn('level', 'level', str(5), 'loss, doubt or limit', ({ reason }) => reason.level, { vocabulary: true }),
  knownColumn('check', 'check', str(24), 'name of the check or diagnostic', ({ reason }) => reason.check, {
    vocabulary: true,
  }),
  column('count', 'count', int(9), 'number of affected rows, kernels or steps', ({ reason }) => reason.count),
  knownColumn('what', 'what', str(0), 'what was found', ({ reason }) => reason.what),
  knownColumn(
    'affects',
    'affects',
    str(0),
    'figures that are wrong or unknown because of it',
    ({ reason }) => reason.affects,
  ),
  column('remedy', 'remedy', str(0), 'how to record the profile better', ({ reason }) => reason.remedy),
];
