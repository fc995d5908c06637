/**
 * PyTorch traces (Kineto's Chrome trace JSON) of 2021 to today, NVIDIA and AMD.
 * Source: libkineto/src/output_json.cpp and torch/csrc/profiler/collection.cpp of these years, and traces of them.
 */
import { emit } from '../../capture/emit.js';
import type { Probe, Reader } from '../../reader.js';
import { headContains, textStart } from '../../files.js';
import { isAutogradTrace } from '../../unreadable/unreadable.js';
import { KinetoCapture } from './kineto-capture.js';

export const kineto: Reader = {
  id: 'kineto',
  title: 'PyTorch trace, JSON or gzip (torch.profiler, *.pt.trace.json)',
  reads: 'text',
  // Source: `tensorboard_trace_handler` of torch/profiler/profiler.py.
  fileNames: /\.pt\.trace\.json(?:\.(?:gz|zip|zst|xz|bz2))?$/,
  sniff: (probe) => isTrace(probe),
  read: ({ path, file }, options) => emit(new KinetoCapture(path, file, kineto.id), options),
};

/** Bytes searched for the key of the events, which metadata may precede. */
const SEARCHED = 16 * 1024 * 1024;
const EVENTS = '"traceEvents"';

function isTrace({ path, head }: Probe): boolean {
  const start = textStart(head);
  if (start.startsWith('{"type":"profile"')) return false;
  if (start.startsWith('[')) return start.includes('"ph"') && !isAutogradTrace(start);
  if (!start.startsWith('{')) return false;
  return start.includes(EVENTS) || headContains(path, [EVENTS], SEARCHED);
}
