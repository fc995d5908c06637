/** What `dprof summary` can be asked: one table for the parser and the help. */
import { UsageError } from '../record/errors.js';
import { optionLines, parseArguments, type Option, type Tool } from './arguments.js';

export const SUMMARY_FORMATS = ['text', 'json', 'csv'] as const;
export type SummaryFormat = (typeof SUMMARY_FORMATS)[number];

const OPTIONS: readonly Option[] = [
  { name: 'format', short: 'f', takes: 'F', help: `${SUMMARY_FORMATS.join(', ')} (text)` },
  { name: 'metric', short: 'm', takes: 'NAMES', help: 'only these metrics, comma-separated; * and ? stand for others' },
  { name: 'check', help: "beside each value what the vendor's tool reported, and why they differ" },
  { name: 'vendor-names', help: "the vendor's metrics alone, in its units; with -f json as its summary-json" },
  { name: 'explain', takes: 'METRIC', help: 'where the number of one metric comes from' },
  { name: 'output', short: 'o', takes: 'OUT', help: 'write to OUT, which appears when it is complete' },
  { name: 'quiet', short: 'q', help: 'no warnings and no progress' },
  { name: 'help', short: 'h', help: 'this text' },
];

export const SUMMARY: Tool = { name: 'dprof summary', usage: 'dprof summary [OPTION...] [FILE]', options: OPTIONS };

export const summaryHelp = (): string =>
  [
    `Usage: ${SUMMARY.usage}`,
    'What a profile adds up to, in the metrics of its profiler, computed anew from the records.',
    '',
    'FILE: records of dparse (also .gz), or a profile. Default: stdin. Knows AWS Neuron so far.',
    '',
    'Options:',
    ...optionLines(OPTIONS),
    '',
    'Units: text has scaled ones, in the column beside the value; json and csv have ns, bytes, FLOP and percent',
    "(0 to 100). The vendor's metrics called percent are fractions (0 to 1), its times seconds: --vendor-names.",
    'Shares in `bound` and `warnings` of json are fractions. Unknown is na (json: null) with the reason, never 0.',
    "Records of a device trace (NTFF) have picoseconds: times equal the vendor's. Its JSON has whole ns: 0.5 % less.",
    'Memory: at most 250 MB.',
    '',
    'Examples:',
    '  dprof summary profile.ntff',
    "  dparse --neff file.neff profile.ntff | dprof summary -m '*_active_time*'",
    '  dprof summary --check ntff.json',
    '  dprof summary --vendor-names -f json profile.ntff > summary.json',
    '',
  ].join('\n');

export interface SummaryRequest {
  readonly help: boolean;
  readonly file: string | undefined;
  readonly output: string | undefined;
  readonly quiet: boolean;
  readonly format: SummaryFormat;
  readonly check: boolean;
  readonly vendor: boolean;
  readonly explain: string | undefined;
  /** Patterns of metric names; null for all. */
  readonly metrics: readonly string[] | null;
}

/**
 * Reads the arguments.
 * @throws UsageError for anything that cannot be meant
 */
export function readSummaryArguments(args: readonly string[]): SummaryRequest {
  const given = parseArguments(SUMMARY, args);
  const [file, ...others] = given.operands;
  if (others.length > 0) {
    throw new UsageError(`one FILE, not ${others.length + 1}`, 'dparse takes several and makes one stream of them');
  }
  return {
    help: given.on('help'),
    file,
    output: given.text('output'),
    quiet: given.on('quiet'),
    format: chooseFormat(given.text('format') ?? 'text'),
    check: given.on('check'),
    vendor: given.on('vendor-names'),
    explain: given.text('explain'),
    metrics:
      given.read('metric', (text) =>
        text
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== ''),
      ) ?? null,
  };
}

function chooseFormat(id: string): SummaryFormat {
  const found = SUMMARY_FORMATS.find((format) => format === id);
  if (found === undefined) throw new UsageError(`unknown format '${id}'`, `known: ${SUMMARY_FORMATS.join(', ')}`);
  return found;
}

/** Whether a name matches one of the patterns, in which * and ? stand for others. */
export const matcher = (patterns: readonly string[]): ((name: string) => boolean) => {
  const tests = patterns.map((pattern) => {
    const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i');
  });
  return (name) => tests.some((test) => test.test(name));
};
