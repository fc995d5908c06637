/** `diff`: what `dprof diff -f json` prints. */
import { requireColumn } from '../prof/columns/columns.js';
import { troublesOf } from '../prof/diff/compared-input.js';
import { Comparison, DEFAULT_BY, diffTypes } from '../prof/diff/comparison.js';
import { diffDocuments, type DiffDocument } from '../prof/diff/diff-documents.js';
import { diffReport } from '../prof/diff/diff-report.js';
import { parseCondition } from '../prof/diff/fail-if.js';
import type { Which } from '../prof/diff/input-facts.js';
import { DEFAULTS, type Settings } from '../prof/diff/verdict.js';
import { takeCompared } from '../sources/compared.js';
import { peaksFor, requireCount, requireShare, type DeviceOptions } from './choices.js';
import type { AnswerInput } from './options.js';
import { nameOf, reportEndings, sourceOf } from './reading.js';

/** Options of `diff`. */
export interface DiffOptions extends DeviceOptions, Partial<Settings> {
  /** Columns that make a row; op and layer when not given. */
  readonly by?: readonly string[];
  /** Conditions as of `--fail-if`, which the answer judges. */
  readonly failIf?: readonly string[];
  /** Rows at most; all when not given. */
  readonly top?: number;
}

/**
 * What changed from one input to another: the comparison, the totals, the rows that changed most first, and a line for each
 * condition of `failIf`, told apart by `row`. A condition is met, not met, or null where it cannot be judged; then the
 * answer says why, also for an input that cannot be read, which is no error then. Times in ns, unknown as null.
 * @throws UserError for an input that cannot be read, where there are no conditions; UsageError for an unknown column or
 * a condition that cannot be understood
 */
export async function diff(
  base: AnswerInput,
  next: AnswerInput,
  options: DiffOptions = {},
): Promise<readonly DiffDocument[]> {
  const { by = DEFAULT_BY, failIf = [], top = Infinity, ...others } = options;
  const device = peaksFor(options);
  const conditions = failIf.map(parseCondition);
  const settings = settingsOf(others);
  const comparison = new Comparison({ by: by.map(requireColumn), conditions, settings, device });
  const isGate = conditions.length > 0;
  const take = (which: Which, input: AnswerInput) => {
    const open = () => sourceOf(input, { types: diffTypes(device), isOne: true }, options);
    return takeCompared(nameOf(input), open, which, comparison, isGate);
  };
  const taken = { base: await take('base', base), new: await take('new', next) };
  const troubles = isGate ? troublesOf(taken) : [];
  const report = diffReport(comparison, taken, troubles, { top, isOnConditions: isGate });
  const endings = [...taken.base.endings, ...taken.new.endings];
  if (!isGate) reportEndings({ endings }, options);
  return diffDocuments(report);
}

function settingsOf(given: Partial<Settings>): Settings {
  const { rate, minEffect, minSamples, asIs } = { ...DEFAULTS, ...given };
  requireShare('rate', rate);
  requireShare('minEffect', minEffect);
  requireCount('minSamples', minSamples, 1);
  return { rate, minEffect, minSamples, asIs };
}
