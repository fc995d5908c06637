/** Text output of the Ascend PyTorch Profiler: trace_view.json and CSV files, or kernel_details.csv without a trace. */
import { emit } from '../../capture/emit.js';
import type { Reader, Probe } from '../../reader.js';
import { DetailsCapture } from './text/details-capture.js';
import { TraceCapture } from './text/trace-capture.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { headContains, textStart } from '../../files.js';
import { hasDatabase } from './database-copies.js';
import { ASCEND_FILES, ASCEND_OUTPUT } from '../../files-beside.js';
import { isKernelDetailsHeader } from './text/kernel-details.js';

export const ascendText: Reader = {
  id: 'ascend-text',
  title: 'Ascend PyTorch Profiler trace (trace_view.json with its CSV files; kernel_details.csv; op_summary_*.csv)',
  reads: 'text',
  fileNames: /^(?:trace_view\.json|kernel_details\.csv|op_summary_\w+\.csv)(?:\.gz)?$/,
  sniff: (probe) => isAscendTrace(probe) || isKernelDetails(probe),
  isCovered: (probe) => isCovered(probe),
  read: (probe, options) => {
    const Captured = isKernelDetails(probe) ? DetailsCapture : TraceCapture;
    return emit(new Captured(probe.path, probe.file, probe.folder, ascendText.id), options);
  },
};

/** Bytes that are searched: metadata and device events follow the host events, which may be many. */
const SEARCHED = 16 * 1024 * 1024;

/** Texts that no other program writes; those of host events first. */
const MARKS = ['"async_npu"', 'torch_to_npu', '"Ascend Hardware"', 'Node@launch', '"Physic Stream Id"', 'AscendCL@'];

/** Quoted times and shapes are unique to this profiler; a truncated trace may have no other mark. */
const QUOTED_TIME = /"ts"\s*:\s*"\d{1,19}(\.\d+)?"/;
const QUOTED_SHAPES = /"Input Dims"\s*:\s*"/;
const HOST_EVENT = /"cat"\s*:\s*"(cpu_op|python_function|enqueue|dequeue)"|"event_type"\s*:/;

/** Unlike PyTorch's traces of other devices, the trace is a list of events at the top level. */
function isAscendTrace({ path, head }: Probe): boolean {
  const start = textStart(head);
  if (!start.startsWith('[') || !start.includes('"ph"')) return false;
  if (QUOTED_SHAPES.test(start) || (QUOTED_TIME.test(start) && HOST_EVENT.test(start))) return true;
  return headContains(path, MARKS, SEARCHED);
}

function isKernelDetails({ head }: Probe): boolean {
  const text = head.toString('utf8').replace(/^\ufeff/, '');
  const [line = ''] = text.split(/\r?\n/, 1);
  return isKernelDetailsHeader(line);
}

/** A folder with both the database and the text of one run is read from its database. */
function isCovered(probe: Probe): boolean {
  const { folder } = probe;
  if (folder === null) return false;
  if (!isKernelDetails(probe)) return hasDatabase(folder);
  // PROF_*/mindstudio_profiler_output/op_summary_*.csv: of a run of PyTorch the output folder beside PROF_* has it all.
  const whole = join(folder, '..', '..', ASCEND_OUTPUT);
  return existsSync(join(folder, ASCEND_FILES.trace)) || hasDatabase(folder) || existsSync(whole);
}
