/** The answers of the commands as functions: each returns what its command has in `answer` with `-f json`. */
import { Adviser, MIN_SHARE, type AdviceLine } from '../prof/advise/adviser.js';
import { RULES, rulesNamed } from '../prof/advise/rules.js';
import { memoryDocument, CURVE_POINTS, Memory, type MemoryDocument } from '../prof/memory/memory-report.js';
import { MetricAnalysis } from '../prof/neuron/metric-analysis.js';
import { RanksAnalysis, ranksDocument, type RanksDocument } from '../prof/ranks/ranks-document.js';
import { Annotator } from '../prof/report/report.js';
import { checkDocument, Checker, type CheckDocument } from '../prof/check/profile-check.js';
import { CriticalPaths, pathDocuments, type PathDocument } from '../prof/critical-path/critical-path.js';
import { WhatIf } from '../prof/critical-path/what-if.js';
import { Overlap, overlapDocument, type OverlapDocument } from '../prof/overlap/overlap.js';
import { parseWhere } from '../prof/query/kernel-query.js';
import { Queues } from '../prof/queues/queues.js';
import { LONGEST, SHORTEST } from '../prof/sequences/repeated-sequences.js';
import { MOST_SEQUENCES, Sequences } from '../prof/sequences/sequences.js';
import { REGION_KEYS, Regions } from '../prof/steps/regions.js';
import { Steps } from '../prof/steps/steps.js';
import { SummaryDetails, summaryDocuments, type SummaryDocument } from '../prof/summary/details.js';
import { SummaryAnalysis } from '../prof/summary/summary-analysis.js';
import { type Answer, KERNEL_TYPES } from '../prof/analysis.js';
import { requireName, UserError } from '../record/errors.js';
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

/** Options of `steps`. */
export interface StepsOptions extends DeviceOptions {
  /** Adds up over the passes of regions: a kind that `dprof steps --help` lists, such as `range`. By default one element per step. */
  readonly by?: string;
}

/**
 * How the time of each training or serving step was spent: one element for each device and step, with `-` for work
 * outside of steps and `all` for the total; or with `by` one element for each device and region. The keys are those of
 * `dprof steps --help`; times in ns, unknown values null.
 * @throws UserError for profiles without any work that has a time, or without regions; UsageError for an unknown kind of region
 */
export async function steps(input: AnswerInput, options: StepsOptions = {}): Promise<readonly RowObject[]> {
  const { by } = options;
  if (by === undefined) return rowsOf(await answer(input, new Steps(), options));
  const regions = new Regions(requireName('kind of region', by, Object.keys(REGION_KEYS)));
  return rowsOf(await answer(input, regions, options, new Annotator(peaksFor(options))));
}

const rowsOf = ({ table }: Answer<unknown>): RowObject[] => (table === undefined ? [] : rowObjects(table));

/**
 * Whether each profile is complete and its figures can be trusted, with the reasons why not: one element for each profile.
 * @throws UserError for an input that cannot be read
 */
export async function check(input: AnswerInput, options: DeviceOptions = {}): Promise<readonly CheckDocument[]> {
  const { facts } = await answer(input, new Checker(), options, new Annotator(peaksFor(options)));
  return facts.map(checkDocument);
}

/** Options of `criticalPath`. */
export interface CriticalPathOptions extends ReadingOptions {
  /** Numbers of the steps to explain; all by default. */
  readonly steps?: readonly number[];
  /** Changes as for `--what-if`, such as `communication: 0` or `op==mm: roof`, whose effect is predicted. */
  readonly whatIf?: readonly string[];
}

/**
 * What determined how long each step took: one element for each step. Times in ns.
 * @throws UserError for profiles without anything that has a time; UsageError for an invalid change
 */
export async function criticalPath(
  input: AnswerInput,
  { steps: chosen, whatIf = [], ...options }: CriticalPathOptions = {},
): Promise<readonly PathDocument[]> {
  const choice = {
    steps: chosen === undefined ? undefined : new Set(chosen),
    whatIf: whatIf.length === 0 ? undefined : new WhatIf(whatIf),
  };
  const annotator = new Annotator(null, choice.whatIf?.needsWork === true);
  const { facts } = await answer(input, new CriticalPaths(choice), options, annotator);
  return facts.flatMap((paths) => pathDocuments(paths));
}

/** Options of `sequences`. */
export interface SequencesOptions extends ReadingOptions {
  /** Columns that must be equal for kernels to count as the same; `kernel` by default. */
  readonly by?: readonly string[];
  /** Number of kernels of a sequence, from 2 to 8; any of these by default. */
  readonly kernels?: number;
  /** Selects kernels, as `dprof --where` does; a kernel that is left out ends a sequence. */
  readonly where?: string;
  /** Maximum number of sequences; 50 by default. */
  readonly top?: number;
}

/**
 * Sequences of kernels that recur on a stream, which one fused kernel could replace: those first that could save the most
 * time. The keys are those of `dprof sequences -f json`; times in ns.
 * @throws UserError for profiles without kernels that could be fused; UsageError for an unknown column
 */
export async function sequences(input: AnswerInput, options: SequencesOptions = {}): Promise<readonly RowObject[]> {
  const { by = ['kernel'], kernels: length = null, where, top = MOST_SEQUENCES, ...others } = options;
  if (length !== null) requireCount('kernels', length, SHORTEST, LONGEST);
  requireCount('top', top, 1);
  const filter = where === undefined ? {} : { where: parseWhere(where) };
  const found = new Sequences({ keys: by.map(requireColumn), length, most: top, ...filter });
  return rowsOf(await answer(input, found, others, new Annotator(null, false)));
}

/** Options of `overlap`. */
export interface OverlapOptions extends ReadingOptions {
  /** Column by which work is divided into kinds: `stream` by default, `category`, `op` ... */
  readonly by?: string;
}

/**
 * How long work of two kinds runs at once: one element for each device. Times in ns.
 * @throws UserError for profiles without device work that has a time; UsageError for an unknown column
 */
export async function overlap(
  input: AnswerInput,
  { by = 'stream', ...options }: OverlapOptions = {},
): Promise<readonly OverlapDocument[]> {
  const { facts } = await answer(input, new Overlap(requireColumn(by)), options, new Annotator(null, false));
  return facts.map((device) => overlapDocument(device));
}

/** Options of `queues`. */
export interface QueuesOptions extends ReadingOptions {
  /** Maximum number of points for each device: the answer is then the mean length over time. By default one element per stream. */
  readonly points?: number;
}

/**
 * How much launched work waits on each stream, and how long a full queue blocked launch calls. The keys are those of
 * `dprof queues -f json`; times in ns, unknown values null.
 * @throws UserError for profiles without known launches
 */
export async function queues(
  input: AnswerInput,
  { points, ...options }: QueuesOptions = {},
): Promise<readonly RowObject[]> {
  if (points !== undefined) requireCount('points', points, 1);
  return rowsOf(await answer(input, new Queues(points ?? 1, points !== undefined), options));
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
  /** Maximum number of findings; all by default. */
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
  const { top, minShare = MIN_SHARE, all = false } = options;
  if (top !== undefined) requireCount('top', top, 1);
  requireShare('minShare', minShare);
  const rules = options.rules === undefined ? RULES : rulesNamed(options.rules);
  const adviser = new Adviser({ rules, minShare, ...(top === undefined ? {} : { top }) });
  await answer(input, adviser, options, new Annotator(peaksFor(options)));
  return adviser.lines(all);
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
  return facts.map((report) => memoryDocument(report));
}
