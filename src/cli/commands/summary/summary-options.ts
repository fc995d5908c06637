/** What `dprof summary` can be asked: one table for the parser and the help. */
import { UsageError } from '../../../record/errors.js';
import { integer, optionLines, parseArguments, type Arguments, type Option, type Tool } from '../../arguments.js';
import { patternsOf, type MetricsRequest } from './summary-metrics.js';
import { readInputs, type CommonRequest } from '../../run-analysis.js';

export const SUMMARY_FORMATS = ['text', 'json', 'markdown', 'csv'] as const;
export type SummaryFormat = (typeof SUMMARY_FORMATS)[number];

/** Rows of each list of kernels in text. */
const TOP = 5;

const OPTIONS: readonly Option[] = [
  { name: 'format', short: 'f', takes: 'F', help: 'text, json, markdown; of --vendor-metrics text, json, csv (text)' },
  { name: 'top', takes: 'N', help: `kernels that are listed (${TOP}; json: 50)` },
  { name: 'vendor-metrics', help: "AWS Neuron: the metrics of the vendor's profiler instead, computed anew" },
  {
    name: 'metric',
    short: 'm',
    takes: 'NAMES',
    help: '--vendor-metrics: only these, comma-separated; * and ? stand for others',
  },
  { name: 'check', help: "--vendor-metrics: beside each what the vendor's tool reported, and why they differ" },
  {
    name: 'vendor-names',
    help: "--vendor-metrics: the vendor's alone, in its units; with -f json as its summary-json",
  },
  { name: 'explain', takes: 'METRIC', help: '--vendor-metrics: where the number of one metric comes from' },
  { name: 'output', short: 'o', takes: 'OUT', help: 'write to OUT, which appears when it is complete' },
  { name: 'quiet', short: 'q', help: 'no warnings and no progress' },
  { name: 'help', short: 'h', help: 'this text' },
];

export const SUMMARY: Tool = { name: 'dprof summary', usage: 'dprof summary [OPTION...] [FILE...]', options: OPTIONS };

export const summaryHelp = (): string =>
  [
    `Usage: ${SUMMARY.usage}`,
    'What a profile adds up to, on one screen: where the time of each device went, which kernels took it, in which',
    'precision, on which unit, what moved data, what is not known; after each part the command that shows more.',
    '',
    'FILE: records of dparse (also .gz), a net.dict of PyProf, or a profile. Default: stdin.',
    '',
    'Options:',
    ...optionLines(OPTIONS),
    '',
    'Times of a device are lengths of unions: what runs at the same time counts once. Busy is all work, idle the rest of',
    'the time from the first start to the last end. Communication: kernels of NCCL, RCCL or a process group, and',
    'collective operations; exposed is what of it nothing else hides. Graph launches traced as a whole count as compute.',
    'Idle is told by what ended each gap: work whose launch began after the device had run dry (host), work launched',
    'before (queue), work of unknown launch. Shares of kernels are of their durations added up. Unknown is na, never 0.',
    '',
    "Without an activity, as in a vendor's summary alone, --vendor-metrics is implied. There percents are 0 to 100; the",
    "vendor's metrics called percent are fractions (0 to 1), its times seconds: --vendor-names. Records of a device trace",
    "(NTFF) have picoseconds: times equal the vendor's. Its JSON has whole ns: 0.5 % less.",
    '',
    'json has an object a line and profile: ns, bytes, FLOP, shares as fractions of 1, null for unknown.',
    'Memory: at most 250 MB, for 50,000 names of kernels and 20,000 steps.',
    '',
    'Examples:',
    '  dprof summary trace.json.gz',
    '  dparse ranks/*.json.gz | dprof summary',
    "  dprof summary -f json net.sqlite | jq '.devices[] | [.device, .idle / .span]'",
    '  dprof summary -f markdown net.sqlite >> "$GITHUB_STEP_SUMMARY"',
    "  dprof summary --vendor-metrics -m '*_active_time*' profile.ntff",
    '  dprof summary --vendor-names -f json profile.ntff > summary.json',
    '',
  ].join('\n');

export interface SummaryRequest extends CommonRequest<SummaryFormat> {
  /** Kernels in each list. */
  readonly top: number | undefined;
  /** What is asked for of the vendor's metrics; null for the summary of any vendor. */
  readonly metrics: MetricsRequest | null;
}

/**
 * Reads the arguments.
 * @throws UsageError for anything that cannot be meant
 */
export function readSummaryArguments(args: readonly string[]): SummaryRequest {
  const given = parseArguments(SUMMARY, args);
  const format = chooseFormat(given.text('format') ?? 'text');
  const top = given.read('top', (text) => integer('--top', text, 1));
  const asked = metricsOf(given);
  const isAsked = asked.check || asked.vendor || asked.explain !== undefined || asked.metrics !== null;
  const metrics = isAsked || given.on('vendor-metrics') ? asked : null;
  if (metrics !== null && format === 'markdown')
    throw new UsageError('--vendor-metrics are not written as markdown', 'known: text, json, csv');
  if (metrics !== null && top !== undefined)
    throw new UsageError('--vendor-metrics and --top exclude each other', 'choose metrics with -m');
  return {
    help: given.on('help'),
    ...readInputs(given),
    output: given.text('output'),
    quiet: given.on('quiet'),
    format,
    top: top ?? (format === 'json' ? undefined : TOP),
    metrics,
  };
}

const metricsOf = (given: Arguments): MetricsRequest => ({
  check: given.on('check'),
  vendor: given.on('vendor-names'),
  quiet: given.on('quiet'),
  explain: given.text('explain'),
  metrics: given.read('metric', patternsOf) ?? null,
});

function chooseFormat(id: string): SummaryFormat {
  const found = SUMMARY_FORMATS.find((format) => format === id);
  if (found === undefined) throw new UsageError(`unknown format '${id}'`, `known: ${SUMMARY_FORMATS.join(', ')}`);
  return found;
}
