/** What becomes of the reports: each written as it comes, the last alone, or statistics of all. */
import type { MonitorReport } from '../../../prof/neuron/monitor/monitor-report.js';
import { MonitorStats, statsTable, type StatRow } from '../../../prof/neuron/monitor/monitor-stats.js';
import type { MonitorColumn } from '../../../prof/neuron/monitor/monitor-columns.js';
import { FORMATS } from '../../../write/formats.js';
import { requireNamed } from '../../../record/names.js';
import { tableText } from '../../../write/write-table.js';
import { withOutput } from '../../output.js';
import { linesOf } from './monitor-formats.js';
import type { MonitorRequest } from './monitor-options.js';
import type { Threshold } from './monitor-threshold.js';

/** The reports that each piece of the input completes. */
export type ReportBatches = AsyncIterable<Iterable<MonitorReport>>;

/** An input whose reports are being read. */
export interface MonitorReading {
  readonly batches: ReportBatches;
  readonly close: () => void;
}

/** What a run reads, which nothing is written onto. */
const inputsOf = ({ file, config }: MonitorRequest): string[] => [
  file ?? '-',
  ...(config === undefined ? [] : [config]),
];

/** Each report in one write, on its way before the next is read. */
export async function writeAll(request: MonitorRequest, batches: ReportBatches): Promise<void> {
  const sheet = request.format.open(request);
  let { head } = sheet;
  await withOutput(request.output, inputsOf(request), async (write, flush) => {
    for await (const batch of batches) {
      for (const report of batch) {
        await write(head + sheet.report(report));
        await flush();
        head = '';
      }
    }
  });
}

/** The last report alone. A file holds the last one so far at any time, and is never seen half-written. */
export async function writeLast(request: MonitorRequest, batches: ReportBatches): Promise<void> {
  const sheet = request.format.open(request);
  const isFile = request.output !== undefined && request.output !== '-';
  let last: string | null = null;
  const write = async (): Promise<void> => {
    const text = last;
    last = null;
    if (text !== null) await withOutput(request.output, inputsOf(request), async (out) => out(text));
  };
  for await (const batch of batches) {
    for (const report of batch) last = sheet.head + sheet.report(report);
    if (isFile) await write();
  }
  await write();
}

/** @returns whether the run was short enough for percentiles */
export async function writeStats(
  request: MonitorRequest,
  metrics: readonly MonitorColumn[],
  batches: ReportBatches,
  threshold: Threshold<StatRow> | null,
): Promise<boolean> {
  const stats = new MonitorStats(metrics);
  const format = requireNamed('format', request.format.id, FORMATS, ({ id }) => id);
  await withOutput(request.output, inputsOf(request), async (write) => {
    for await (const batch of batches) for (const report of batch) stats.take(linesOf(request, report));
    const table = statsTable(stats);
    threshold?.take(table.rows);
    for (const piece of tableText(format, table, request)) await write(piece);
  });
  return !stats.isTooLong;
}
