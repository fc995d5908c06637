/** Reports of neuron-monitor, made up: what the monitor writes, and what we make of it. */
import { MonitorReports } from '../../src/parse/readers/neuron/monitor/monitor-reports.js';
import type { ReportFilter } from '../../src/prof/neuron/monitor/monitor-config.js';
import type { MonitorReport } from '../../src/prof/neuron/monitor/monitor-report.js';
import { reportOf, ReportSplitter, type ReportSamples } from '../../src/prof/neuron/monitor/report-samples.js';
import { Diagnostics } from '../../src/record/diagnostics.js';

type Fields = Readonly<Record<string, unknown>>;

export const group = (fields: Fields, error = ''): Fields => ({ period: 1, error, ...fields });

export const runtime = (pid: number, tag: string, report: Fields, error = ''): Fields => ({
  pid,
  neuron_runtime_tag: tag,
  error,
  report,
});

/** Groups of one process. */
export const executions = (completed: number, errors = 0): Fields =>
  group({
    execution_summary: { completed, timed_out: 0 },
    error_summary: { generic: errors },
    latency_stats: { total_latency: null, device_latency: null },
  });

export const cores = (inUse: Fields): Fields => group({ neuroncores_in_use: inUse });

/** A whole report as the monitor's JSON. */
export const report = (runtimes: readonly Fields[], system: Fields = {}, more: Fields = {}): Fields => ({
  neuron_runtime_data: runtimes,
  system_data: system,
  instance_info: { instance_id: 'i-1', instance_type: 'trn2.48xlarge', error: '' },
  neuron_hardware_info: { neuron_device_count: 16, neuroncore_per_device_count: 4, error: '' },
  ...more,
});

export const lines = (...reports: readonly Fields[]): string =>
  reports.map((one) => `${JSON.stringify(one)}\n`).join('');

/** The samples of each report of a text of the monitor's lines. */
export function samplesOf(text: string): ReportSamples[] {
  const stream = { profile: 0, format: 'neuron-monitor', input: 'm', file: 'm', rank: null };
  const raw = new MonitorReports(stream, new Diagnostics());
  const splitter = new ReportSplitter();
  const found = text.split('\n').flatMap((line) => raw.take(line).map((record) => splitter.take(record)));
  return [...found, splitter.end()].flatMap((samples) => (samples === null ? [] : [samples]));
}

/** What a text of the monitor's lines says. */
export const reportsOf = (text: string, wanted: ReportFilter = {}): MonitorReport[] =>
  samplesOf(text).map((samples) => reportOf(samples, wanted));
