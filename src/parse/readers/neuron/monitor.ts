/**
 * Reports of neuron-monitor, one JSON object a line, from a file or a live pipe.
 * Source: the Neuron Monitor user guides, and reports of a trn1.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { Diagnostics } from '../../../record/diagnostics.js';
import type { ProfileLine } from '../../../record/record.js';
import type { LiveOptions, LiveStream, Probe, Reader, ReadOptions } from '../../reader.js';
import { ByteLines } from './monitor/byte-lines.js';
import { MonitorReports } from './monitor/monitor-reports.js';
import { REPORT_KEYS } from './monitor/value-paths.js';
import { isMonitorStream } from './monitor/monitor-sniff.js';

export const neuronMonitor: Reader = {
  id: 'neuron-monitor',
  title: 'AWS neuron-monitor reports, JSON lines',
  reads: 'text',
  live: {
    sniff: (head) => isMonitorStream(head.toString('utf8')),
    open: (options) => new MonitorStream(options),
  },
  sniff: ({ head }) => isMonitor(head),
  read: (probe, options) => read(probe, options),
};

const CHUNK_BYTES = 1024 * 1024;

/** Beginning of a report on any line: messages may precede it. */
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
    this.#reports = new MonitorReports({ ...options, format: neuronMonitor.id }, this.#diagnostics);
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

function* read({ path, file: input }: Probe, { profile, file, rank }: ReadOptions): Generator<ProfileLine> {
  const stream = new MonitorStream({ profile, input, file, rank });
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
