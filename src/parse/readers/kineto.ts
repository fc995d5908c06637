/**
 * PyTorch traces (Kineto's Chrome trace JSON) of 2021 to today, NVIDIA and AMD.
 * Source: libkineto/src/output_json.cpp and torch/csrc/profiler/collection.cpp of these years, and traces of them.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { ProfileLine } from '../../record/record.js';
import { emit } from '../emit.js';
import type { Probe, Reader, ReadOptions } from '../reader.js';
import { KinetoCapture } from './kineto/capture.js';

export const kineto: Reader = {
  id: 'kineto',
  title: 'PyTorch trace, JSON or gzip (torch.profiler, *.pt.trace.json)',
  reads: 'text',
  sniff: (probe) => isTrace(probe),
  read: (probe, options) => read(probe, options),
};

function* read({ path, file }: Probe, options: ReadOptions): Generator<ProfileLine> {
  yield* emit(new KinetoCapture(path, file, kineto.id), options);
}

/** Metadata may come before the events: this much of it. */
const SEARCHED = 16 * 1024 * 1024;
const EVENTS = '"traceEvents"';

function isTrace({ path, head }: Probe): boolean {
  const start = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (start.startsWith('{"type":"profile"')) return false;
  if (start.startsWith('[')) return start.includes('"ph"');
  if (!start.startsWith('{')) return false;
  return start.includes(EVENTS) || contains(path, EVENTS);
}

/** Whether the first part of a file holds a text. */
function contains(path: string, text: string): boolean {
  const piece = Buffer.alloc(1024 * 1024);
  const file = openSync(path, 'r');
  try {
    let kept = 0;
    for (let read = 0; read < SEARCHED;) {
      const n = readSync(file, piece, kept, piece.length - kept, null);
      if (n === 0) return false;
      if (piece.subarray(0, kept + n).includes(text)) return true;
      read += n;
      // The text may stand across two pieces.
      const end = kept + n;
      kept = Math.min(end, text.length);
      piece.copy(piece, 0, end - kept, end);
    }
    return false;
  } finally {
    closeSync(file);
  }
}
