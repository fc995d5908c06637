/**
 * `dprof monitor`: neuron-monitor reports, each written as soon as it is read.
 *
 * It does not use `runAnalysis`, for three reasons: its input lines are the monitor's and not records; each report must
 * be flushed before the next one arrives; and --last replaces OUT each time.
 */
import { Readable } from 'node:stream';
import { isPacked } from '../../../record/lines/packed.js';
import { lineBatches, openFile, openStream, type Input } from '../../../prof/input/lines.js';
import { MONITOR_COLUMNS, type MonitorLine } from '../../../prof/neuron/monitor/monitor-columns.js';
import { parseMonitorConfig, type PeriodOf } from '../../../prof/neuron/monitor/monitor-config.js';
import type { MonitorReport, MonitorRow } from '../../../prof/neuron/monitor/monitor-report.js';
import { statColumnOf, type StatRow } from '../../../prof/neuron/monitor/monitor-stats.js';
import { reportOf, type ReportSamples } from '../../../prof/neuron/monitor/report-samples.js';
import { Resampler } from '../../../prof/neuron/monitor/resampler.js';
import { UsageError } from '../../../record/errors.js';
import { requireColumnOf } from '../../../table/column.js';
import type { Arguments } from '../../arguments.js';
import type { Command } from '../../command.js';
import { rejoined } from '../../../parse/live.js';
import { printList } from '../../output.js';
import { readSmallFile } from '../../peaks-option.js';
import { MonitorLines, MonitorNotes } from './monitor-lines.js';
import {
  columnsText,
  isStdin,
  metricsText,
  MONITOR,
  readMonitorArguments,
  type MonitorRequest,
} from './monitor-options.js';
import { writeAll, writeLast, writeStats, serve, Threshold, type MonitorReading } from './monitor-output.js';

export const monitor: Command = { tool: MONITOR, run };

const TEXTS = { columns: columnsText, metrics: metricsText };

async function run(given: Arguments): Promise<void> {
  const request = readMonitorArguments(given);
  if (request.show !== 'reports') {
    return printList(TEXTS[request.show]());
  }
  const { failIf, metrics } = request;
  const ofStats = failIf === undefined || metrics === null ? null : statThreshold(failIf);
  const ofRows = failIf === undefined || metrics !== null ? null : rowThreshold(failIf);
  const notes = new MonitorNotes(request);
  const pipeline = { request, notes, periodOf: configOf(request), threshold: ofRows };
  if (request.listen !== null) await serve(request, request.listen, () => start(pipeline), notes);
  else await write(await start(pipeline), pipeline, ofStats);
  notes.end();
  (ofRows ?? ofStats)?.end();
}

async function start(pipeline: Pipeline): Promise<MonitorReading> {
  const input = await open(pipeline.request.file);
  return { batches: reportBatches(input, pipeline), close: () => input.close() };
}

async function write(
  { batches, close }: MonitorReading,
  { request, notes }: Pipeline,
  ofStats: Threshold<StatRow> | null,
): Promise<void> {
  const { metrics, last } = request;
  try {
    if (metrics === null) await (last ? writeLast(request, batches) : writeAll(request, batches));
    else if (!(await writeStats(request, metrics, batches, ofStats))) notes.tooLong();
  } finally {
    close();
  }
}

/** Name of a row: `device 3`, `core 0 of train`, `runtime of train`. */
function nameOf({ scope, tag, device, core, name }: MonitorRow): string {
  const place = core !== null ? `core ${core}` : device !== null ? `device ${device}` : scope;
  return `${place}${name === null ? '' : ` ${name}`}${tag === null ? '' : ` of ${tag}`}`;
}

const rowThreshold = (text: string): Threshold<MonitorLine> =>
  new Threshold(
    text,
    (key) => requireColumnOf(MONITOR_COLUMNS, key),
    ({ row, report }) => `${nameOf(row)} in report ${report.number ?? '?'}`,
  );

const statThreshold = (text: string): Threshold<StatRow> =>
  new Threshold(text, statColumnOf, ({ row, metric }) => `${metric.key} of ${nameOf(row)}`);

/** The periods in which groups are reported; null to report them as they come. */
function configOf({ config, period, output }: MonitorRequest): PeriodOf | null {
  if (config === undefined) return period === undefined ? null : () => period;
  const text = readSmallFile(config, 'a configuration', '--config takes a configuration of neuron-monitor', output);
  const periodOf = parseMonitorConfig(text, config);
  return period === undefined ? periodOf : (group, tag) => (periodOf(group, tag) === null ? null : period);
}

/** Opens a file, or standard input from its first byte on, because each report is printed as soon as its line arrives. */
async function open(file: string | undefined): Promise<Input> {
  if (!isStdin(file)) return openFile(file);
  const { stdin } = process;
  if (stdin.isTTY) throw new UsageError('no FILE given, and stdin is a terminal', `usage: ${MONITOR.usage}`);
  const pieces = (stdin as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const first = await pieces.next();
  const head = first.done === true ? Buffer.alloc(0) : first.value;
  const chunks = rejoined(head, pieces);
  if (isPacked(head)) return openStream(Readable.from(chunks, { objectMode: false }), 'stdin');
  const close = (): void => void stdin.destroy();
  return { name: 'stdin', head, chunks, close };
}

/** The processing steps for each report. */
interface Pipeline {
  readonly request: MonitorRequest;
  readonly notes: MonitorNotes;
  readonly periodOf: PeriodOf | null;
  readonly threshold: Threshold<MonitorLine> | null;
}

/** @throws UserError for an input without reports */
async function* reportBatches(input: Input, pipeline: Pipeline): AsyncGenerator<MonitorReport[]> {
  const { request, notes, periodOf, threshold } = pipeline;
  const lines = new MonitorLines(
    input.name,
    (line) => notes.broken(line),
    (end) => notes.lost(input.name, end),
  );
  const resampler = periodOf === null ? null : new Resampler(periodOf);
  const resampled = (samples: ReportSamples): ReportSamples | null =>
    resampler === null ? samples : resampler.take(samples);
  const reports = (found: readonly (ReportSamples | null)[]): MonitorReport[] =>
    found.flatMap((samples) => {
      if (samples === null) return [];
      const report = timed(samples, request);
      notes.report(report);
      threshold?.take(report.rows.map((row) => ({ row, report })));
      return [report];
    });
  for await (const batch of lineBatches(input)) {
    yield reports(batch.lines.flatMap((line, i) => lines.take(line, batch.first + i)).map(resampled));
  }
  if (lines.isCut) notes.cut(input.name);
  yield reports([...lines.end().map(resampled), resampler?.end() ?? null]);
}

function timed(samples: ReportSamples, { time, wanted }: MonitorRequest): MonitorReport {
  if (time === 'now') return { ...reportOf(samples, wanted), unixMs: Date.now() };
  return reportOf(time === undefined ? samples : { ...samples, ...time }, wanted);
}
