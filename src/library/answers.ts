/** The answers of the commands as functions: each returns what its command prints with `-f json`. */
import { Adviser, MIN_SHARE, TOP, type AdviceLine } from '../prof/advise/adviser.js';
import { RULES, rulesNamed } from '../prof/advise/rules.js';
import { memoryDocument, CURVE_POINTS, Memory, type MemoryDocument } from '../prof/memory/memory-report.js';
import { MetricAnalysis } from '../prof/neuron/metric-analysis.js';
import { RanksAnalysis, ranksDocument, type RanksDocument } from '../prof/ranks/ranks-document.js';
import { Annotator } from '../prof/report/report.js';
import { Steps } from '../prof/steps/steps.js';
import { SummaryDetails, summaryDocuments, type SummaryDocument } from '../prof/summary/details.js';
import { SummaryAnalysis } from '../prof/summary/summary-analysis.js';
import { UserError } from '../record/errors.js';
import { rowObjects, type RowObject } from '../table/column.js';
import {
  peaksFor,
  requireCount,
  requireShare,
  type DeviceOptions,
  type AnswerInput,
  type ReadingOptions,
} from './options.js';
import { answer, nameOf, ofSource, reportEndings, sourceOf } from './reading.js';
import { KERNEL_TYPES } from '../prof/input/record-types.js';
import type { Annotated } from '../prof/annotate.js';
import { requireColumn } from '../prof/columns/columns.js';
import { troublesOf } from '../prof/diff/compared-input.js';
import { Comparison, DEFAULT_BY, diffTypes } from '../prof/diff/comparison.js';
import { diffDocuments, type DiffDocument } from '../prof/diff/diff-documents.js';
import { diffReport } from '../prof/diff/diff-report.js';
import { parseCondition } from '../prof/diff/fail-if.js';
import type { Which } from '../prof/diff/input-facts.js';
import { DEFAULTS, type Settings } from '../prof/diff/verdict.js';
import { takeCompared } from '../sources/pass.js';

/** Options of `diff`. */
export interface DiffOptions extends DeviceOptions, Partial<Settings> {
  /** Columns whose values form a row, op and layer by default; or `tree` for all layers, ops and calls. */
  readonly by?: readonly string[] | 'tree';
  /** Conditions as for `--fail-if`, which the answer judges. */
  readonly failIf?: readonly string[];
  /** Maximum number of rows; all by default. */
  readonly top?: number;
}

/**
 * Compares two inputs: returns the comparison, the totals, the rows (the largest changes first), and a line for each
 * condition of `failIf`; the field `row` distinguishes them. A condition is met, not met, or null when it cannot be judged;
 * the answer then says why, even for an input that cannot be read, which throws no error in this case. Times in ns, unknown
 * values null.
 * @throws UserError for an input that cannot be read, when there are no conditions; UsageError for an unknown column or an
 * invalid condition
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
  const isTree = by === 'tree';
  const columns = (isTree ? DEFAULT_BY : by).map(requireColumn);
  const comparison = new Comparison({ by: columns, isTree, conditions, settings, device });
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

/**
 * The kernels of an input with derived values: op and layer, FLOPs and bytes, use of the matrix unit, position under
 * the roofline; in record order. The columns in `COLUMNS` read these values, and filters made by `parseWhere` select
 * kernels.
 * @throws UserError for an input that cannot be read
 */
export async function* kernels(input: AnswerInput, options: DeviceOptions = {}): AsyncGenerator<Annotated, void> {
  const annotator = new Annotator(peaksFor(options));
  const source = await sourceOf(input, { types: KERNEL_TYPES }, options);
  try {
    for await (const batch of source.batches) for (const record of batch) yield* annotator.take(record);
    // Kernels that waited for other kernels of their op call.
    yield* annotator.rest();
    reportEndings(source, options);
  } catch (error) {
    throw ofSource(error, source);
  } finally {
    source.close();
  }
}

/** Options of `summary`. */
export interface SummaryOptions extends DeviceOptions {
  /** Maximum number of kernels to list; 50 by default. */
  readonly top?: number;
}

/**
 * Summarises each profile: one element for each. Times in ns, sizes in bytes, rates in FLOP/s and bytes/s, shares as
 * fractions of 1, unknown values null.
 * @throws UserError for profiles without any work, and for those that contain only a vendor's metrics
 */
export async function summary(input: AnswerInput, options: SummaryOptions = {}): Promise<readonly SummaryDocument[]> {
  const { top } = options;
  if (top !== undefined) requireCount('top', top, 1);
  const device = peaksFor(options);
  const details = new SummaryDetails();
  const metrics = new MetricAnalysis(NO_CHOICE);
  const analysis = new SummaryAnalysis(top, metrics, details, device, false);
  const { facts } = await answer(input, analysis, options, new Annotator(device));
  if (facts.profiles !== null) return summaryDocuments(facts.profiles, details);
  const hint = 'dprof summary -f json has them';
  throw new UserError('only vendor metrics, no activities', { where: nameOf(input), hint });
}

const NO_CHOICE = { check: false, vendor: false, metrics: null, explain: undefined, warningsAsNotes: false } as const;

/**
 * How the time of each training or serving step was spent: one element for each device and step, with `-` for work
 * outside of steps and `all` for the total. The keys are those of `dprof steps --help`; times in ns, unknown values
 * null.
 * @throws UserError for profiles without any work that has a time
 */
export async function steps(input: AnswerInput, options: ReadingOptions = {}): Promise<readonly RowObject[]> {
  const { table } = await answer(input, new Steps(), options);
  return table === undefined ? [] : rowObjects(table);
}

/**
 * Compares the ranks of a job: matches collectives, aligns clocks, and finds who waits, who is late and why. Times in ns,
 * rates in bytes/s, unknown values null.
 * @throws UserError for profiles without any device work
 */
export async function ranks(input: AnswerInput, options: ReadingOptions = {}): Promise<RanksDocument> {
  const { facts, doubts } = await answer(input, new RanksAnalysis(), options, new Annotator());
  return ranksDocument(facts, doubts);
}

/** Options of `advise`. */
export interface AdviseOptions extends DeviceOptions {
  /** Maximum number of findings; 10 by default. */
  readonly top?: number;
  /** Names of the rules to apply; by default all rules, and verdicts. */
  readonly rules?: readonly string[];
  /** Minimum share of a device's time, from 0 to 1, that a finding concerns or may save; 0.01 by default. */
  readonly minShare?: number;
  /** Whether to list rules without a finding too, with the reason. */
  readonly all?: boolean;
}

/**
 * What is worth changing: verdicts (with `verdict`), findings (with `what`; the most time at stake first), and, with `all`,
 * rules without a finding (with `why`). Times in ns; `FILE` in a command stands for the input.
 * @throws UserError for profiles without any device work that has a time
 */
export async function advise(input: AnswerInput, options: AdviseOptions = {}): Promise<readonly AdviceLine[]> {
  const { top = TOP, minShare = MIN_SHARE, all = false } = options;
  requireCount('top', top, 1);
  requireShare('minShare', minShare);
  const rules = options.rules === undefined ? RULES : rulesNamed(options.rules);
  const adviser = new Adviser({ rules, minShare, top });
  await answer(input, adviser, options, new Annotator(peaksFor(options)));
  return adviser.lines(top, all);
}

/** Options of `memory`. */
export interface MemoryOptions extends ReadingOptions {
  /** Maximum points of a curve, at least 4; 1,000 by default. */
  readonly points?: number;
}

/**
 * Memory in use over time: one element for each device and for the host. Times in ns, sizes in bytes, unknown values null.
 * @throws UserError for profiles without memory samples
 */
export async function memory(input: AnswerInput, options: MemoryOptions = {}): Promise<readonly MemoryDocument[]> {
  const { points = CURVE_POINTS } = options;
  requireCount('points', points, 4);
  const { facts } = await answer(input, new Memory(points), options);
  return facts.map(memoryDocument);
}
