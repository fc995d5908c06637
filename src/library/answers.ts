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
import { rowObjects, type RowObject } from '../table/table.js';
import { peaksFor, requireCount, requireShare, type DeviceOptions } from './choices.js';
import type { AnswerInput, ReadingOptions } from './options.js';
import { answer, nameOf } from './reading.js';

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
