/** `dprof summary --vendor-metrics`: records → the metrics of the vendor's profiler, computed anew. */
import { METRIC_TEXTS } from '../../../prof/neuron/metrics.js';
import type { Row, Summaries, Summary } from '../../../prof/neuron/metric-summary.js';
import type { RecordTypes } from '../../../prof/input/records.js';
import { nearest, UsageError, UserError } from '../../../record/errors.js';
import { csvHead, explanation, summaryCsv, summaryJson, summaryText, vendorJson, type Shown } from './summary-metrics-text.js'; // prettier-ignore

export const METRIC_TYPES: RecordTypes = new Set(
  ['profile', 'kernel', 'copy', 'sample', 'tensor', 'notice', 'end'] as const, // prettier-ignore
);

export interface MetricsRequest extends Shown {
  readonly explain: string | undefined;
}

type MetricsFormat = 'text' | 'json' | 'csv';

/** Nothing in particular is asked for. */
export const allMetrics = (quiet: boolean): MetricsRequest => ({
  ...{ check: false, vendor: false, quiet, explain: undefined, metrics: null },
});

/** Patterns of a comma-separated list. */
export const patternsOf = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Whether a name matches one of the patterns, in which * and ? stand for others. */
const matcher = (patterns: readonly string[]): ((name: string) => boolean) => {
  const tests = patterns.map((pattern) => {
    const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i');
  });
  return (name) => tests.some((test) => test.test(name));
};

/**
 * The text of what is asked for.
 * @throws UserError when no profile has such metrics, UsageError when it has none of that name
 */
export function metricsText(summaries: Summaries, format: MetricsFormat, request: MetricsRequest): string {
  const { all } = summaries;
  if (all.length === 0) throw noMetrics(summaries);
  return shown(chosen(all, request), format, request);
}

/** Warnings for stderr: the vendor's own form has no place for them. */
export function metricsNotes(summaries: Summaries, format: MetricsFormat, request: MetricsRequest): string[] {
  if (!isVendorJson(format, request)) return [];
  return summaries.all.flatMap(({ warnings, profile }) =>
    warnings.map(({ rule, text }) => new UserError(`${rule}: ${text}`, { where: `profile ${profile}` }).line),
  );
}

export const monitorReports = (): UserError =>
  new UserError('reports of neuron-monitor are no profile', { hint: 'dprof monitor FILE' });

function noMetrics({ others }: Summaries): UserError {
  const formats = [...new Set(others)];
  if (formats.includes('neuron-monitor')) return monitorReports();
  const what = formats.filter((format) => format !== 'na').join(', ');
  return new UserError(`no metrics of a vendor in ${what === '' ? 'these records' : `a profile of ${what}`}`, {
    hint: 'known so far: AWS Neuron (ntff, neff, neuron-json, neuron-summary)',
  });
}

const isVendorJson = (format: MetricsFormat, { vendor, check }: MetricsRequest): boolean =>
  format === 'json' && vendor && !check;

/** The summaries with the metrics that are asked for. */
function chosen(summaries: readonly Summary[], { metrics, explain, vendor }: MetricsRequest): Summary[] {
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

function shown(summaries: readonly Summary[], format: MetricsFormat, request: MetricsRequest): string {
  if (request.explain !== undefined) {
    return summaries.flatMap((summary) => summary.rows.map((row) => explanation(summary, row, request))).join('\n');
  }
  if (isVendorJson(format, request)) return vendorJson(summaries);
  if (format === 'json') return summaries.map((summary) => summaryJson(summary, request)).join('');
  if (format === 'csv') return csvHead(request) + summaries.map((summary) => summaryCsv(summary, request)).join('');
  return summaries.map((summary) => summaryText(summary, request)).join('\n');
}
