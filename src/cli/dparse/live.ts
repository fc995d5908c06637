/**
 * A live pipe: reports of neuron-monitor on standard input are written as they come, and nothing waits for the end of
 * the stream, which may be days away. Every other input takes the usual way, complete with the bytes looked at here.
 */
import { ByteLines } from '../../parse/readers/neuron/monitor/byte-lines.js';
import { MonitorReports } from '../../parse/readers/neuron/monitor/monitor-reports.js';
import { isMonitorStream, type Verdict } from '../../parse/readers/neuron/monitor/recognise.js';
import { neuronMonitor } from '../../parse/readers/neuron/monitor.js';
import { isGzip } from '../../parse/source.js';
import { Diagnostics } from '../../record/diagnostics.js';
import { encodeLine } from '../../record/jsonl.js';
import type { ProfileLine } from '../../record/record.js';
import { outcomeOf, type Counted } from './one.js';
import type { Flush, Write } from '../output.js';

/** A stream whose first bytes were looked at: they come again. */
export interface Peeked {
  readonly isLive: boolean;
  readonly bytes: AsyncIterable<Buffer>;
}

/** Bytes in which a report tells what it is. */
const SEARCHED = 64 * 1024;

/**
 * Looks at the begin of a stream.
 * @param format format that the user named
 */
export async function peek(stream: AsyncIterable<Buffer>, format: string | undefined): Promise<Peeked> {
  const pieces = stream[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let verdict: Verdict = 'more';
  while (verdict === 'more' && head.length < SEARCHED) {
    const piece = await pieces.next();
    if (piece.done === true) break;
    head = Buffer.concat([head, piece.value]);
    verdict = verdictOn(head, format);
  }
  return { isLive: verdict === 'yes', bytes: rejoined(head, pieces) };
}

function verdictOn(head: Buffer, format: string | undefined): Verdict {
  if (format === undefined) return isMonitorStream(head.toString('utf8'));
  if (format !== neuronMonitor.id) return 'no';
  if (head.length < 2) return 'more';
  return isGzip(head) ? 'no' : 'yes';
}

async function* rejoined(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void> {
  try {
    if (head.length > 0) yield head;
    for (let piece; (piece = await rest.next()).done !== true;) yield piece.value;
  } finally {
    await rest.return?.();
  }
}

/**
 * Writes the records of reports as they come.
 * @throws UserError when the stream ends without any report
 */
export async function parseLive(bytes: AsyncIterable<Buffer>, write: Write, flush: Flush): Promise<Counted> {
  const diagnostics = new Diagnostics();
  const stream = { profile: 0, format: neuronMonitor.id, input: '-', file: '-', rank: null };
  const reports = new MonitorReports(stream, diagnostics);
  const lines = new ByteLines();
  const pass = async (records: readonly ProfileLine[]): Promise<void> => {
    for (const record of records) await write(encodeLine(record));
    if (records.length > 0) await flush();
  };
  for await (const piece of bytes) {
    for (const line of lines.take(piece)) await pass(reports.take(line));
  }
  const rest = lines.rest();
  diagnostics.count('malformed-event', lines.tooLong);
  const last = reports.end(rest);
  await pass(last);
  return outcomeOf(last.at(-1));
}
