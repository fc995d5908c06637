/**
 * Reader for PyTorch traces (Kineto's Chrome trace JSON) from 2021 to today: NVIDIA, AMD, Intel and MTIA. Source:
 * libkineto/src/output_json.cpp and torch/csrc/profiler/collection.cpp of these years, and traces of them.
 */
import { emit } from '../../trace/emit.js';
import type { Probe, Reader } from '../../reader.js';
import { headContains, textStart, firstBytes, refuseUtf16 } from '../../files.js';
import { isAutogradTrace, isRocprofTrace } from '../../unreadable/unreadable.js';
import { KinetoTrace } from './kineto-trace.js';
import type { Diagnostics } from '../../../record/diagnostics.js';
import { UserError } from '../../../record/errors.js';
import type { CapturedGraph, OtherCaptures } from '../../trace/graphs/captured-graph.js';
import { joinLaunches } from '../../trace/launches.js';
import { readAnnotations, type CaptureFile, type CaptureFiles } from '../../captures.js';

/** The graphs in traces of captures, for the profile that replays them. */
export const capturesIn = ({ traces, annotations, unreadable }: CaptureFiles): OtherCaptures => ({
  given: traces.filter(({ isGiven }) => isGiven).length,
  graphs: (rank, diagnostics) => {
    diagnostics.count('companion-file-not-read', unreadable);
    return traces.flatMap((file) => graphsOf(file, rank, diagnostics));
  },
  annotations: (rank, diagnostics) => readAnnotations(annotations, rank, diagnostics),
});

function graphsOf(file: CaptureFile, rank: number | null, diagnostics: Diagnostics): readonly CapturedGraph[] {
  const trace = openTrace(file, diagnostics);
  if (trace === null) return [];
  const rankOfTrace = trace.header.rank ?? file.rank;
  if (rank !== null && rankOfTrace !== null && rankOfTrace !== rank && !file.isGiven) {
    diagnostics.count('capture-of-another-rank');
    return [];
  }
  diagnostics.count('capture-truncated', trace.diagnostics.get('truncated-input'));
  const launches = joinLaunches(trace.hostCalls, trace.activities, trace.threads, trace.diagnostics);
  const graphs = trace.capturedGraphs(launches);
  if (graphs.length === 0 && file.isGiven) {
    const isCut = trace.diagnostics.get('truncated-input') > 0;
    const what = isCut ? 'is cut off before any graph capture' : 'contains no graph capture';
    throw new UserError(what, { where: file.name, hint: isCut ? 'copy it again' : 'give the trace of the capture' });
  }
  return graphs.map((graph) => ({ ...graph, batch: graph.batch ?? file.batch, mode: graph.mode ?? file.mode }));
}

/**
 * Opens a trace; null when a file found next to the profile is not a trace.
 * @throws UserError when the user named the file, or it is in UTF-16
 */
function openTrace(file: CaptureFile, diagnostics: Diagnostics): KinetoTrace | null {
  refuseUtf16(firstBytes(file.path, 4), file.name);
  try {
    return new KinetoTrace(file.path, file.name, 'kineto');
  } catch (error) {
    if (file.isGiven || !(error instanceof UserError)) throw error;
    diagnostics.count('companion-file-not-read');
    return null;
  }
}

export const kineto: Reader = {
  id: 'kineto',
  title: 'PyTorch trace, JSON or gzip (torch.profiler, *.pt.trace.json)',
  reads: 'text',
  // Source: `tensorboard_trace_handler` of torch/profiler/profiler.py.
  fileNames: /\.pt\.trace\.json(?:\.(?:gz|zip|zst|xz|bz2))?$/,
  docs: {
    profiler: 'PyTorch (Kineto), NVIDIA, AMD, Intel and MTIA',
    input: 'Chrome trace JSON, 2021 to today, also gzip',
    made: [
      '`torch.profiler.profile(record_shapes=True, with_stack=True, with_modules=True, profile_memory=True)` and `export_chrome_trace("net.pt.trace.json.gz")`, or its `tensorboard_trace_handler`',
      '`proton.start("net", data="trace")` of Triton\'s Proton, which writes `net.chrome_trace`: kernels with their streams and scopes',
    ],
    read: [
      'Kernels, copies, memsets, synchronisations; ops with the shapes, types and values of their arguments; autograd nodes and the forward op of each; Python frames and modules; annotations and steps; collectives with their ordinal in the group and the peer rank of messages; devices; rank, world size and process groups; the start in Unix time.',
      'Traces from 2021 on, of NVIDIA, AMD, Intel (`xpu`) and MTIA devices. They are read as a stream, so the file may be larger than memory. Times are exact to the nanosecond. A truncated trace is read up to the cut.',
      'A kernel belongs to the ops around its launch. If times are rounded to microseconds or the launch is missing, it belongs to the op with its external id. A backward kernel belongs to the forward op with the sequence number and thread of its autograd node, and has its layer and call stack. Work that a checkpoint recomputes inside a node is forward work in its own modules, if the trace has modules or frames.',
      "Code of torch.compile is forward work, backward in `CompiledFunctionBackward` and in a region of compiled autograd. Its ranges do not count as ops; if there are no modules, its graph is the layer. Column `fused` lists the ops in the kernel's name, and so does `op` if no op is around the launch; `--explain` names the generated source.",
      'With `record_shapes` the report has FLOPs, bytes and parameters; with `with_stack` the call stack, with `with_modules` the layers. A frame names the line where its function begins, as PyTorch records it. Traces before 2023 have the shapes and types of arguments but not their values: figures that need values (stride, dimensions) are derived from the gradient or unknown.',
      "Kernels of a CUDA or HIP graph have the context of the graph's launch; field `graph` marks them.",
      'With `profile_memory` every allocation and release is a sample of `memory_allocated` and `memory_reserved`, with the kind of device as `component` (`CUDA`, `HIP`; `CPU` is the host, whose `device` is null). Every allocation is also a sample of `op_memory`, with the innermost range of its thread and the time until the memory was released (null: not released in the trace). The host total lacks memory that PyTorch allocated before profiling began. Traces from 2021 have only sizes: `memory_allocated_since_first` is their sum since the first event, and how long an op held its memory is unknown.',
      'The host comes from a file name by `tensorboard_trace_handler` (`HOST_PID.TIME.pt.trace.json`), if that process is in the trace. Older traces do not record the collective of a kernel; the report then takes operation and sizes from the call that launched it.',
      'Top-level keys other than `traceEvents` are not copied: they may hold environment variables.',
    ],
  },
  sniff: (probe) => isTrace(probe),
  read: ({ path, file }, options) => emit(new KinetoTrace(path, file, kineto.id, options.isBusy), options),
};

/** Bytes searched for the key of the list of events, because metadata may precede it. */
const SEARCHED = 16 * 1024 * 1024;
const EVENTS = '"traceEvents"';

function isTrace({ path, head }: Probe): boolean {
  const start = textStart(head);
  if (start.startsWith('{"type":"profile"')) return false;
  if (start.startsWith('[')) return start.includes('"ph"') && !isAutogradTrace(start);
  if (!start.startsWith('{') || isRocprofTrace(start)) return false;
  return start.includes(EVENTS) || headContains(path, [EVENTS], SEARCHED);
}
