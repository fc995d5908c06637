/** A comparison with the texts around its table. */
import type { Comparison, DiffResult } from './comparison.js';
import { leftOpenBy, type Taken, type Trouble } from './compared-input.js';
import { diffLines, type DiffLine } from './diff-columns.js';
import { commonLine, inputLines, methodLine, notesOf, unequalRunsLine } from './diff-heading.js';
import { lossesOf, type Doubt } from '../input/losses.js';
import { NAMES, type Pair } from './input-facts.js';
import type { Judged } from './judging.js';

/** A comparison with the texts around its table. */
export interface DiffReport {
  readonly result: DiffResult;
  /** Keys of the columns that make a row. */
  readonly by: readonly string[];
  /** The totals and rows to write; none where an input cannot be read. The result may have more. */
  readonly lines: readonly DiffLine[];
  readonly conditions: readonly Judged[];
  /** Whether conditions were given: the rows are tests where not. */
  readonly isOnConditions: boolean;
  /** By input, why it cannot be judged. */
  readonly troubles: readonly { readonly input: string; readonly text: string }[];
  /** The inputs, what readers lost of them, then the method. */
  readonly heading: readonly string[];
  readonly notes: readonly string[];
  /** What readers lost of the inputs. */
  readonly doubts: Pair<readonly Doubt[]>;
}

/** @param top rows at most @param isOnConditions whether conditions were given, not those of a report of tests */
export function diffReport(
  comparison: Comparison,
  taken: Pair<Taken>,
  troubles: readonly Trouble[],
  { top, isOnConditions }: { readonly top: number; readonly isOnConditions: boolean },
): DiffReport {
  const { result, settings } = comparison;
  const by = comparison.by.map(({ key }) => key);
  const isRead = taken.base.failure === null && taken.new.failure === null;
  const method = [...unequalRunsLine(result), methodLine(result, settings), ...commonLine(result, settings)];
  return {
    result,
    by,
    lines: isRead ? diffLines(result.total, result.rows.slice(0, top), by) : [],
    heading: [...inputLines(comparison, taken), ...lossLines(taken), ...(isRead ? method : [])],
    doubts: { base: lossesOf(taken.base.endings).doubts, new: lossesOf(taken.new.endings).doubts },
    notes: isRead ? notesOf(comparison, result) : [],
    conditions: leftOpenBy(troubles, result.conditions),
    isOnConditions,
    troubles: troubles.map(({ which, error }) => ({ input: NAMES[which], text: error.line })),
  };
}

const lossLines = (taken: Pair<Taken>): string[] =>
  (['base', 'new'] as const).flatMap((which) => {
    const { line } = lossesOf(taken[which].endings);
    return line === null ? [] : [`${NAMES[which]}: ${line}`];
  });

/** Those that were given. */
export const givenOf = ({ conditions, isOnConditions }: DiffReport): readonly Judged[] =>
  isOnConditions ? conditions : [];

export const troubleText = ({ input, text }: DiffReport['troubles'][number]): string =>
  `${input} cannot be judged: ${text}`;
