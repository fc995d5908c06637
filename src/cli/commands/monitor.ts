/**
 * `dprof monitor`: reports of neuron-monitor, each written as soon as it is read.
 *
 * It reads by itself rather than by `runAnalysis`: the input has lines of the monitor where that has records, a report
 * is complete with its line and has to be flushed before the next arrives, and with --last OUT is replaced each time.
 */
import { say } from '../message.js';
import { Readable } from 'node:stream';
import { isGzip } from '../../parse/input/unpack.js';
import { lineBatches, openFile, openStream, type Input } from '../../prof/input/lines.js';
import type { MonitorReport } from '../../prof/monitor/monitor-report.js';
import { reportOf, type ReportSamples } from '../../prof/monitor/report-samples.js';
import { UsageError, UserError } from '../../record/errors.js';
import { helpOf } from '../arguments.js';
import type { Command } from '../command.js';
import { MonitorLines } from './monitor/monitor-lines.js';
import {
  columnList,
  metricList,
  MONITOR,
  readMonitorArguments,
  type MonitorRequest,
} from './monitor/monitor-options.js';
import { rejoined } from '../dparse/live.js';
import { printText, withOutput } from '../output.js';

export const monitor: Command = { tool: MONITOR, run };

const TEXTS = { help: () => helpOf(MONITOR), columns: columnList, metrics: metricList };

async function run(args: readonly string[]): Promise<void> {
  const request = readMonitorArguments(args);
  if (request.show !== 'reports') {
    return printText(TEXTS[request.show]());
  }
  const input = await open(request.file);
  const notes = new Notes(request);
  try {
    const batches = reportBatches(input, request, notes);
    await (request.last ? writeLast(request, batches) : writeAll(request, batches));
  } finally {
    input.close();
  }
  notes.end();
}

const isStdin = (file: string | undefined): file is undefined | '-' => file === undefined || file === '-';

/** A file, or standard input from its first byte on: a report is worth its line, however short. */
async function open(file: string | undefined): Promise<Input> {
  if (!isStdin(file)) return openFile(file);
  const { stdin } = process;
  if (stdin.isTTY) throw new UsageError('no FILE, and stdin is a terminal', `usage: ${MONITOR.usage}`);
  const pieces = (stdin as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const first = await pieces.next();
  const head = first.done === true ? Buffer.alloc(0) : first.value;
  const chunks = rejoined(head, pieces);
  if (isGzip(head)) return openStream(Readable.from(chunks, { objectMode: false }), 'stdin');
  const close = (): void => void stdin.destroy();
  return { name: 'stdin', head, chunks, close };
}

/** The reports that each piece of the input completes. */
type ReportBatches = AsyncIterable<Iterable<MonitorReport>>;

/** @throws UserError for an input without any report */
async function* reportBatches(input: Input, request: MonitorRequest, notes: Notes): AsyncGenerator<MonitorReport[]> {
  const lines = new MonitorLines(input.name, (line) => notes.broken(line));
  const reports = (found: readonly ReportSamples[]): MonitorReport[] =>
    found.map((samples) => {
      const report = timed(samples, request);
      notes.report(report);
      return report;
    });
  for await (const batch of lineBatches(input)) {
    yield reports(batch.lines.flatMap((line, i) => lines.take(line, batch.first + i)));
  }
  yield reports(lines.end());
}

function timed(samples: ReportSamples, { time, wanted }: MonitorRequest): MonitorReport {
  if (time === 'now') return { ...reportOf(samples, wanted), unixMs: Date.now() };
  return reportOf(time === undefined ? samples : { ...samples, ...time }, wanted);
}

const inputsOf = ({ file }: MonitorRequest): string[] => [file ?? '-'];

/** Each report in one write, on its way before the next is read. */
async function writeAll(request: MonitorRequest, batches: ReportBatches): Promise<void> {
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
async function writeLast(request: MonitorRequest, batches: ReportBatches): Promise<void> {
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

/** Distinct errors that are kept; a monitor may run for months. */
const MOST_ERRORS = 1000;

class Notes {
  readonly #errors = new Set<string>();
  #broken = 0;
  #firstBroken = 0;
  #withoutTime = false;

  constructor(private readonly request: MonitorRequest) {}

  broken(line: number): void {
    if (this.#broken++ === 0) this.#firstBroken = line;
  }

  /** Each error of the monitor is reported once. */
  report({ errors, unixMs }: MonitorReport): void {
    for (const { where, text } of errors) {
      const { line } = new UserError(text, { where });
      if (this.#errors.has(line) || this.#errors.size >= MOST_ERRORS) continue;
      this.#errors.add(line);
      this.#say(`neuron-monitor: ${line}`);
    }
    if (this.request.format.id !== 'emf' || unixMs !== null || this.#withoutTime) return;
    this.#withoutTime = true;
    this.#say('the reports have no time, which CloudWatch requires: Timestamp is left out (see --timestamp)');
  }

  end(): void {
    if (this.#broken === 0) return;
    const lines = this.#broken === 1 ? '1 line that is' : `${this.#broken} lines that are`;
    this.#say(`passed over ${lines} no report (first: line ${this.#firstBroken})`);
  }

  #say(text: string): void {
    if (!this.request.quiet) say('dprof', text);
  }
}
