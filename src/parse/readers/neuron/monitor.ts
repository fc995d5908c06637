/**
 * Reports of neuron-monitor, one JSON object a line: from a file here, from a live pipe by `MonitorReports` itself.
 * Source: the Neuron Monitor user guides, and reports of a trn1.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { Diagnostics } from '../../../record/diagnostics.js';
import type { ProfileLine } from '../../../record/record.js';
import type { Probe, Reader, ReadOptions } from '../../reader.js';
import { ByteLines } from './monitor/byte-lines.js';
import { MonitorReports } from './monitor/monitor-reports.js';
import { REPORT_KEYS } from './monitor/value-paths.js';
import { isMonitorStream } from './monitor/recognise.js';

export const neuronMonitor: Reader = {
  id: 'neuron-monitor',
  title: 'AWS neuron-monitor reports, JSON lines',
  reads: 'text',
  sniff: ({ head }) => isMonitor(head),
  read: (probe, options) => read(probe, options),
};

const PIECE = 1024 * 1024;

/** A line that begins as a report does, wherever it stands: messages may stand before it. */
const REPORT_LINE = new RegExp(`^\\s*\\{\\s*"(?:${REPORT_KEYS.join('|')})"\\s*:\\s*[[{n]`, 'm');

function isMonitor(head: Buffer): boolean {
  const text = head.toString('utf8');
  return isMonitorStream(text) === 'yes' || REPORT_LINE.test(text);
}

function* read({ path, file: input }: Probe, { profile, file, rank }: ReadOptions): Generator<ProfileLine> {
  const diagnostics = new Diagnostics();
  const reports = new MonitorReports({ profile, format: neuronMonitor.id, input, file, rank }, diagnostics);
  const lines = new ByteLines();
  const piece = Buffer.allocUnsafe(PIECE);
  const descriptor = openSync(path, 'r');
  try {
    for (let n: number; (n = readSync(descriptor, piece, 0, PIECE, null)) > 0;) {
      for (const line of lines.take(piece.subarray(0, n))) yield* reports.take(line);
    }
    const rest = lines.rest();
    diagnostics.count('malformed-event', lines.tooLong);
    yield* reports.end(rest);
  } finally {
    closeSync(descriptor);
  }
}
