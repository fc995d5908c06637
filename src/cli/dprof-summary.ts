/** `dprof summary`: records → what each profile adds up to. */
import { METRIC_TEXTS } from '../prof/neuron/metrics.js';
import { Summaries, type Row, type Summary } from '../prof/neuron/summary.js';
import type { RecordTypes } from '../prof/records.js';
import { nearest, UsageError, UserError } from '../record/errors.js';
import type { Command } from './dprof-commands.js';
import { openSource, type Source } from './dprof-input.js';
import { matcher, readSummaryArguments, SUMMARY, summaryHelp, type SummaryRequest } from './dprof-summary-options.js';
import { csvHead, explanation, summaryCsv, summaryJson, summaryText, vendorJson } from './dprof-summary-text.js';
import { withOutput } from './output.js';
import { progress } from './progress.js';

const TYPES: RecordTypes = new Set(['profile', 'kernel', 'copy', 'sample', 'tensor', 'notice', 'end'] as const);

async function run(args: readonly string[]): Promise<void> {
  const request = readSummaryArguments(args);
  if (request.help) return withOutput(undefined, [], async (write) => write(summaryHelp()));
  const meter = progress('dprof', !request.quiet);
  const source = await openSource(request.file, meter, TYPES);
  try {
    const summaries = await read(source);
    meter.clear();
    const inputs = request.file === undefined || request.file === '-' ? [] : [request.file];
    const text = shown(chosen(summaries, request), request);
    await withOutput(request.output, inputs, async (write) => write(text));
    if (!request.quiet && isVendorJson(request)) note(summaries);
  } finally {
    meter.clear();
    source.close();
  }
}

async function read(source: Source): Promise<Summary[]> {
  const summaries = new Summaries();
  for await (const batch of source.batches) for (const record of batch) summaries.take(record);
  const all = summaries.all;
  if (all.length > 0) return all;
  const formats = [...new Set(summaries.others)];
  if (formats.includes('neuron-monitor')) {
    throw new UserError('reports of neuron-monitor are no profile', { where: source.name, hint: 'dprof monitor FILE' });
  }
  const what = formats.filter((format) => format !== 'na').join(', ');
  throw new UserError(`no summary of ${what === '' ? 'these records' : `a profile of ${what}`}`, {
    where: source.name,
    hint: 'known so far: AWS Neuron (ntff, neff, neuron-json, neuron-summary)',
  });
}

const isVendorJson = ({ format, vendor, check }: SummaryRequest): boolean => format === 'json' && vendor && !check;

/** The summaries with the metrics that are asked for. */
function chosen(summaries: readonly Summary[], { metrics, explain, vendor }: SummaryRequest): Summary[] {
  const wanted = explain === undefined ? metrics : [explain];
  const matches = wanted === null ? () => true : matcher(wanted);
  const isShown = (row: Row): boolean => matches(row.name) && (explain !== undefined || !(vendor && row.own));
  const kept = summaries.map((summary) => ({ ...summary, rows: summary.rows.filter(isShown) }));
  if (wanted !== null && kept.every(({ rows }) => rows.length === 0)) throw unknownMetric(wanted, summaries);
  return kept;
}

function unknownMetric(wanted: readonly string[], summaries: readonly Summary[]): UsageError {
  const names = summaries.flatMap(({ rows }) => rows.map(({ name }) => name));
  const known = [...new Set([...names, ...METRIC_TEXTS.map(({ name }) => name)])];
  const near = nearest(wanted[0] ?? '', known);
  return new UsageError(
    `no metric '${wanted.join(',')}' in this input`,
    near === null || near === wanted[0] ? 'dprof terms lists them' : `did you mean ${near}?`,
  );
}

function shown(summaries: readonly Summary[], request: SummaryRequest): string {
  const { format, explain } = request;
  if (explain !== undefined) {
    return summaries.flatMap((summary) => summary.rows.map((row) => explanation(summary, row, request))).join('\n');
  }
  if (isVendorJson(request)) return vendorJson(summaries);
  if (format === 'json') return summaries.map((summary) => summaryJson(summary, request)).join('');
  if (format === 'csv') return csvHead(request) + summaries.map((summary) => summaryCsv(summary, request)).join('');
  return summaries.map((summary) => summaryText(summary, request)).join('\n');
}

/** The vendor's own form has no place for warnings. */
function note(summaries: readonly Summary[]): void {
  for (const { warnings, profile } of summaries) {
    for (const { rule, text } of warnings) {
      process.stderr.write(`${new UserError(`profile ${profile}: ${rule}: ${text}`, { where: 'dprof' }).line}\n`);
    }
  }
}

export const summary: Command = {
  tool: SUMMARY,
  helpText: summaryHelp,
  run,
};
