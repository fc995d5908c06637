/** Reports of neuron-monitor, one JSON object per line. Source: the Neuron Monitor user guides, and reports of a trn1. */
import { closeSync, openSync, readSync } from 'node:fs';
import { Diagnostics } from '../../../record/diagnostics.js';
import type { ProfileLine } from '../../../record/record.js';
import type { LiveOptions, LiveStream, Probe, Reader, ReadOptions, SniffResult } from '../../reader.js';
import { MonitorReports } from './monitor/monitor-reports.js';
import { REPORT_KEYS } from './monitor/value-paths.js';
import { LONGEST_LINE } from '../../../record/jsonl.js';

const LINE_FEED = 0x0a;

/** Splits chunks of bytes into lines of text. Lines longer than any report are dropped, to keep memory bounded. */
export class ByteLines {
  #parts: Buffer[] = [];
  #size = 0;
  #tooLong = 0;

  constructor(private readonly longest = LONGEST_LINE) {}

  /** Number of lines that were dropped because of their length. */
  get tooLong(): number {
    return this.#tooLong;
  }

  /** The lines that end in a chunk; the chunk's memory may be reused afterwards. */
  *take(chunk: Buffer): Generator<string> {
    let from = 0;
    for (let at: number; (at = chunk.indexOf(LINE_FEED, from)) !== -1; from = at + 1) {
      this.#add(chunk.subarray(from, at));
      const line = this.rest();
      if (line !== null) yield line;
    }
    // Copied, because the caller reads the next chunk into the same memory.
    if (from < chunk.length) this.#add(Buffer.from(chunk.subarray(from)));
  }

  /** The text after the last line feed; null when it is too long. */
  rest(): string | null {
    const isTooLong = this.#size > this.longest;
    if (isTooLong) this.#tooLong++;
    const line = isTooLong ? null : Buffer.concat(this.#parts, this.#size).toString('utf8');
    this.#parts = [];
    this.#size = 0;
    return line;
  }

  #add(part: Buffer): void {
    this.#size += part.length;
    if (this.#size <= this.longest) this.#parts.push(part);
    else this.#parts = [];
  }
}

export const neuronMonitor: Reader = {
  id: 'neuron-monitor',
  title: 'AWS neuron-monitor reports, JSON lines',
  reads: 'text',
  live: {
    sniff: (head) => isMonitorStream(head.toString('utf8')),
    open: (options) => new MonitorStream(options),
  },
  docs: {
    profiler: 'AWS Neuron',
    input: 'neuron-monitor reports',
    made: ['`neuron-monitor | tee monitor.jsonl`; live: `neuron-monitor | dparse - | dprof monitor`'],
    read: [
      'Every value of every group as a sample: utilisation and FLOP/s of cores, memory by kind, latencies, errors, ECC, processors. Reports have no timestamps: they are numbered and placed by their periods.',
      'From a pipe, records are written as each report arrives.',
    ],
  },
  sniff: ({ head }) => isMonitor(head),
  read: (probe, options) => read(probe, options),
};

const CHUNK_BYTES = 1024 * 1024;

/** Beginning of a report on any line, because messages may come before it. */
const REPORT_LINE = new RegExp(`^\\s*\\{\\s*"(?:${REPORT_KEYS.join('|')})"\\s*:\\s*[[{n]`, 'm');

function isMonitor(head: Buffer): boolean {
  const text = head.toString('utf8');
  return isMonitorStream(text) === 'yes' || REPORT_LINE.test(text);
}

/** Converts the bytes of a file or a pipe to the records of each report, as soon as its line is complete. */
class MonitorStream implements LiveStream {
  readonly #diagnostics = new Diagnostics();
  readonly #lines = new ByteLines();
  readonly #reports: MonitorReports;

  constructor(options: LiveOptions) {
    this.#reports = new MonitorReports({ ...options, format: neuronMonitor.id }, this.#diagnostics, options.allFields);
  }

  *take(chunk: Buffer): Generator<readonly ProfileLine[]> {
    for (const line of this.#lines.take(chunk)) yield this.#reports.take(line);
  }

  end(): readonly ProfileLine[] {
    const rest = this.#lines.rest();
    this.#diagnostics.count('malformed-event', this.#lines.tooLong);
    return this.#reports.end(rest);
  }
}

function* read({ path, file: input }: Probe, options: ReadOptions): Generator<ProfileLine> {
  const stream = new MonitorStream({ ...options, input });
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const descriptor = openSync(path, 'r');
  try {
    for (let n: number; (n = readSync(descriptor, chunk, 0, CHUNK_BYTES, null)) > 0;) {
      for (const records of stream.take(chunk.subarray(0, n))) yield* records;
    }
    yield* stream.end();
  } finally {
    closeSync(descriptor);
  }
}

/** Known top-level members with the types of value that they have. */
const BEGINS = REPORT_KEYS.map(
  (key) => new RegExp(`^"${key}"\\s*:\\s*(?:${key.endsWith('runtime_data') ? '\\[' : '\\{'}|null)`),
);

/** Decides from the top-level members of the object in the first line. */
export function isMonitorStream(text: string): SniffResult {
  const start = text.replace(/^\ufeff/, '').trimStart();
  if (start === '') return 'more';
  if (!start.startsWith('{')) return 'no';
  const feed = start.indexOf('\n');
  const line = feed === -1 ? start : start.slice(0, feed);
  if (membersOf(line).some(isKnown)) return 'yes';
  return feed === -1 ? 'more' : 'no';
}

const isKnown = (member: string): boolean => BEGINS.some((begin) => begin.test(member));

/** The text of each top-level member, starting at its name. */
function membersOf(line: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let isName = false;
  for (let at = 0; at < line.length; at++) {
    const character = line[at];
    if (character === '"') {
      if (depth === 1 && isName) found.push(line.slice(at, at + 80));
      isName = false;
      for (at++; at < line.length && line[at] !== '"'; at++) if (line[at] === '\\') at++;
    } else if (character === '{' || character === '[') {
      depth++;
      isName = character === '{';
    } else if (character === '}' || character === ']') depth--;
    else if (character === ',') isName = true;
  }
  return found;
}
