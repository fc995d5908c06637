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

/**
 * The kernels of an input, annotated: op and layer, FLOPs and bytes, use of the matrix unit, place under the roofline; in
 * the order of their records. What `COLUMNS` show comes from them, what `parseWhere` makes chooses among them.
 * @throws UserError for what cannot be read
 */
export async function* kernels(input: AnswerInput, options: DeviceOptions = {}): AsyncGenerator<Annotated, void> {
  const annotator = new Annotator(peaksFor(options));
  const source = await sourceOf(input, { types: KERNEL_TYPES }, options);
  try {
    for await (const batch of source.batches) for (const record of batch) yield* annotator.take(record);
    // Kernels that waited for others of their op call.
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
  /** Kernels that are listed; 50 when not given. */
  readonly top?: number;
}

/**
 * What each profile adds up to: an element a profile. Times in ns, sizes in bytes, rates in FLOP/s and bytes/s, shares as
 * fractions of 1, unknown as null.
 * @throws UserError for profiles without any work, and for those that have nothing but metrics of a vendor
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
  throw new UserError('nothing but metrics of a vendor', { where: nameOf(input), hint });
}

const NO_CHOICE = { check: false, vendor: false, metrics: null, explain: undefined, warningsAsNotes: false } as const;

/**
 * Where the time of each step of training or serving went: an element a device and step, with `-` for work outside of
 * steps and `all` for everything. Keys are those of `dprof steps --help`; times in ns, unknown as null.
 * @throws UserError for profiles without any work that has a time
 */
export async function steps(input: AnswerInput, options: ReadingOptions = {}): Promise<readonly RowObject[]> {
  const { table } = await answer(input, new Steps(), options);
  return table === undefined ? [] : rowObjects(table);
}

/**
 * The ranks of one job against each other: collectives matched, clocks aligned, who waits, who is late and why. Times in
 * ns, rates in bytes/s, unknown as null.
 * @throws UserError for profiles without any work of a device
 */
export async function ranks(input: AnswerInput, options: ReadingOptions = {}): Promise<RanksDocument> {
  const { facts, doubts } = await answer(input, new RanksAnalysis(), options, new Annotator());
  return ranksDocument(facts, doubts);
}

/** Options of `advise`. */
export interface AdviseOptions extends DeviceOptions {
  /** Findings that are listed; 10 when not given. */
  readonly top?: number;
  /** Names of the rules that are asked; all of them, and verdicts, when not given. */
  readonly rules?: readonly string[];
  /** Least share of a device's time, from 0 to 1, that a finding may gain or is about; 0.01 when not given. */
  readonly minShare?: number;
  /** Whether rules without a finding are listed, with the reason. */
  readonly all?: boolean;
}

/**
 * What is worth doing: verdicts (with `verdict`), findings (with `what`), most time at stake first, and with `all` rules
 * without one (with `why`). Times in ns; `FILE` in a command stands for the input.
 * @throws UserError for profiles without any work of a device that has a time
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
  /** Points of a curve at most, 4 at least; 1,000 when not given. */
  readonly points?: number;
}

/**
 * Memory in use over time: an element a device and host. Times in ns, sizes in bytes, unknown as null.
 * @throws UserError for profiles without samples of memory
 */
export async function memory(input: AnswerInput, options: MemoryOptions = {}): Promise<readonly MemoryDocument[]> {
  const { points = CURVE_POINTS } = options;
  requireCount('points', points, 4);
  const { facts } = await answer(input, new Memory(points), options);
  return facts.map(memoryDocument);
}
