/** Options and help of `dprof summary`. */
import { METRIC_TEXTS } from '../../../prof/neuron/metrics/metrics.js';
import type { MetricOptions } from '../../../prof/neuron/metric-analysis.js';
import { VENDOR_TABLES } from '../../../prof/neuron/tables/vendor-tables.js';
import type { Peaks } from '../../../prof/roofline/peaks.js';
import { UsageError, requireName } from '../../../record/errors.js';
import { integer, type Arguments, type Tool } from '../../arguments.js';
import { CHOICE_OPTIONS } from '../../choice-options.js';
import { unfit } from '../../shared-options.js';
import { PEAKS_OPTION, readPeaks } from '../../peaks-option.js';
import type { RecordsRequest } from '../../records-command.js';

const METRIC_NAMES = METRIC_TEXTS.map(({ name }) => name);
/** Rows of each list of kernels in text. */
const TOP = 5;

export const SUMMARY: Tool = {
  name: 'dprof summary',
  usage: 'dprof summary [OPTION...] [FILE...]',
  // The vendor's JSON has the vendor's keys, and an explanation is text.
  schemaOf: (given) =>
    (given.on('vendor-names') && !given.on('check')) || given.text('explain') !== undefined ? null : 'summary',
  about: [
    'A profile on one screen: where the time of each device went, its longest kernels, their precision and unit, data',
    'movement, unknowns, and what to do next.',
  ],
  operands: [
    'FILE: dparse records (also .gz), a PyProf net.dict, a profile, or output of dprof partial. Default: stdin.',
  ],
  options: [
    { name: 'all', help: 'text: every section, each with the command that shows more' },
    { name: 'top', takes: 'N', help: `kernels listed (${TOP}; in formats other than text and markdown 50)` },
    PEAKS_OPTION,
    ...CHOICE_OPTIONS,
    { name: 'vendor-metrics', help: "AWS Neuron: the metrics of the vendor's profiler instead, recomputed" },
    {
      name: 'metric',
      short: 'm',
      takes: 'NAMES',
      help: '--vendor-metrics: only these, comma-separated; * and ? are wildcards',
      values: METRIC_NAMES,
      list: true,
    },
    { name: 'check', help: "--vendor-metrics: compare with the vendor tool's values and explain differences" },
    {
      name: 'vendor-names',
      help: "--vendor-metrics: use the vendor's units; with -f json, the format of the vendor tool's summary-json",
    },
    {
      name: 'tables',
      takes: 'NAMES',
      help: "with --vendor-names -f json: write the tool's complete JSON with these tables; NAMES may be all",
      values: ['all', ...VENDOR_TABLES],
      list: true,
    },
    {
      name: 'explain',
      takes: 'METRIC',
      help: 'with --vendor-metrics: show how METRIC is computed',
      values: METRIC_NAMES,
    },
  ],
  unfit: {
    ...unfit(['where'], 'its shares refer to all work; to filter, use dprof --by op --where EXPR'),
    ...unfit(['cols', 'c', 'sort'], 'its rows are figures; for ops, use dprof --by op -c COLS --sort COLS'),
  },
  notes: [
    [
      'Device times count overlapping work once. Busy: any work runs. Idle: nothing runs, between the first start and the last',
      'end. Communication: kernels of NCCL, RCCL or a process group, and collective operations. Exposed communication: no',
      'compute runs meanwhile. Graph launches traced as a whole count as compute.',
      'Idle time is divided by the work that ended each gap: launched after the device became idle (host), launched before (queue),',
      'launch unknown. Shares of kernels are shares of their summed durations. Unknown values are na, never 0.',
      'MFU: time that the known FLOPs would take at the peak of their type and unit, over the span. Unknown FLOPs count as 0, so',
      'MFU is a lower bound. The coverage is shown next to each figure: docs/guide/key-figures.md.',
    ],
    [
      "Without activities, e.g. in a vendor's summary, --vendor-metrics is implied. Its percentages are 0 to 100; with",
      "--vendor-names they are fractions (0 to 1) and times are seconds, as in the vendor's tool. Records of a device trace",
      "(NTFF) keep picoseconds: times equal the vendor's. Its JSON keeps whole ns: up to 0.5 % less.",
    ],
    [
      'json writes one object per profile: ns, bytes, FLOP, shares as fractions of 1, null for unknown. columns, csv,',
      'space and table write one row per figure.',
      'json also has utilisation over time, launch latencies, and times of annotations and CPU ops.',
      'Memory: at most 300 MB, for 50,000 kernel names and 20,000 steps; json: 450 MB.',
    ],
  ],
  examples: [
    'dprof summary trace.json.gz',
    'dparse ranks/*.json.gz | dprof summary',
    "dprof summary -f json net.sqlite | jq '.answer[].devices[] | [.device, .idle / .span]'",
    'dprof summary -f markdown net.sqlite >> "$GITHUB_STEP_SUMMARY"',
    "dprof summary --vendor-metrics -m '*_active_time*' profile.ntff",
    'dprof summary --vendor-names -f json profile.ntff > summary.json',
    'dprof summary --vendor-names --tables all -f json profile.ntff > profile.json',
  ],
};

export interface SummaryRequest extends RecordsRequest {
  /** Maximum kernels in each list. */
  readonly top: number | undefined;
  /** Whether to print the vendor's metrics instead of the summary for all vendors. */
  readonly isVendor: boolean;
  /** Whether the text has every section, with the command that shows more of it. */
  readonly isWhole: boolean;
  readonly metrics: MetricOptions;
  /** Tables of the vendor's complete JSON to write, in its order; null for only the summary. */
  readonly tables: readonly string[] | null;
  /** Peak rates for all devices of the input; null to use their own. */
  readonly device: Peaks | null;
}

/** @throws UsageError for invalid options */
export function summaryRequest(given: Arguments, request: RecordsRequest): SummaryRequest {
  const { format } = request;
  const top = given.read('top', (text) => integer('--top', text, 1));
  const metrics = metricsOf(given, format);
  const { check, vendor, explain } = metrics;
  const isVendor = given.on('vendor-metrics') || check || vendor || explain !== undefined || metrics.metrics !== null;
  if (isVendor && top !== undefined) {
    throw new UsageError('--vendor-metrics cannot be combined with --top', 'choose metrics with -m');
  }
  if (isVendor && request.choice !== undefined) {
    throw new UsageError(
      '--vendor-metrics cover the whole profile',
      'without --rank, --device, --stream, --step, --range, --from and --to',
    );
  }
  const tables = given.read('tables', tablesOf) ?? null;
  if (tables !== null && (!vendor || check || format !== 'json')) {
    throw new UsageError('--tables needs --vendor-names -f json', 'and cannot be combined with --check');
  }
  const usual = format === 'text' || format === 'markdown' ? TOP : undefined;
  return {
    ...request,
    top: top ?? usual,
    isVendor,
    isWhole: given.on('all'),
    metrics,
    tables,
    device: readPeaks(given),
  };
}

function metricsOf(given: Arguments, format: string): MetricOptions {
  const [check, vendor] = [given.on('check'), given.on('vendor-names')];
  return {
    check,
    vendor,
    explain: given.text('explain'),
    metrics: given.read('metric', patternsOf) ?? null,
    warningsAsNotes: format === 'json' && vendor && !check,
  };
}

/** @throws UsageError for a table that the vendor's tool does not have */
function tablesOf(text: string): readonly string[] {
  const names = text.split(',').map((name) => requireName('table', name.trim(), ['all', ...VENDOR_TABLES]));
  return names.includes('all') ? VENDOR_TABLES : VENDOR_TABLES.filter((name) => names.includes(name));
}

const patternsOf = (text: string): string[] =>
  text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
