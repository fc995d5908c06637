/** What an answer lacks or has only in part, and the notes that say so. */
import { shownPath, type UserError } from '../record/errors.js';
import { counted } from '../record/plural.js';

/** Something that an answer lacks or has only in part, for programs. */
export interface Limit {
  /** What is not answered, or answered only in part. */
  readonly what: string;
  /** The reason. */
  readonly why: string;
  /** What the user can do; null where nothing is known. */
  readonly wayOut: string | null;
  /** The input concerned; null for all inputs. */
  readonly input: string | null;
}

/** Some limits, and one line about them for stderr. */
export class Limits {
  constructor(
    readonly line: string,
    readonly limits: readonly Limit[],
  ) {}
}

/** A line about an answer, for stderr; a UserError is printed with the input's name in front. */
export type Note = UserError | Limits;

interface LimitText {
  readonly wayOut?: string;
  /** The line for stderr; made of the parts by default. */
  readonly line?: string;
}

/** A note about one limit of an answer. */
export function limit(what: string, why: string, { wayOut, line }: LimitText = {}): Limits {
  const text = `${what}: ${why}${wayOut === undefined ? '' : ` (${wayOut})`}`;
  return new Limits(line ?? text, [{ what, why, wayOut: wayOut ?? null, input: null }]);
}

/** A note without limits for programs: it states none, or its answer is never a document. */
export const lineOnly = (line: string): Limits => new Limits(line, []);

/** What a note says about a number of things. */
export type CountNote = readonly [count: number, noun: string, effect: string, why: string, text?: LimitText];

/** Notes on what was counted, as `3 records left out: no time`; counts of 0 get no note. */
export const countNotes = (...counts: readonly CountNote[]): Limits[] =>
  counts
    .filter(([count]) => count > 0)
    .map(([count, noun, effect, why, text]) => limit(`${counted(count, noun)}${effect}`, why, text));

/**
 * The limits that a note states, or an error that ends a run.
 * @param answer what the run should have answered
 */
export function limitsOf(note: Note, answer: string): readonly Limit[] {
  if (note instanceof Limits) return note.limits;
  const { about = answer, hint = null, where = null } = note.detail;
  return [{ what: about, why: note.statement, wayOut: hint, input: where === null ? null : shownPath(where) }];
}
