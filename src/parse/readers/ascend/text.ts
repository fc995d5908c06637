/**
 * Reader of text output of the Ascend PyTorch Profiler: trace_view.json and CSV files, or kernel_details.csv without a
 * trace.
 */
import { emit } from '../../trace/emit.js';
import type { Reader, Probe } from '../../reader.js';
import { DetailsTrace } from './text/details-trace.js';
import { TextTrace } from './text/text-trace.js';
import { traceSource } from './text/trace-source.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { headContains, namesIn, textStart } from '../../files.js';
import { hasDatabase, ASCEND_FILES, ASCEND_OUTPUT, ascendSidecars, MSPROF } from './ascend-files.js';
import { tableOf } from './text/sidecar-files.js';
import { isKernelDetailsHeader, isTaskTimeHeader } from './text/kernel-details.js';

export const ascendText: Reader = {
  id: 'ascend-text',
  title:
    'Ascend PyTorch Profiler and msprof text (trace_view.json, msprof_*.json with their CSV files; kernel_details.csv; op_summary_*.csv; task_time_*.csv)',
  reads: 'text',
  fileNames: /^(?:trace_view\.json|kernel_details\.csv|(?:op_summary|task_time)_\w+\.csv)(?:\.gz)?$/,
  docs: {
    profiler: 'Huawei Ascend PyTorch Profiler, msprof',
    input: 'text output',
    made: [
      'Ascend PyTorch Profiler with `ExportType.Text`: `ASCEND_PROFILER_OUTPUT/trace_view.json` and the csv files of the same folder',
    ],
    read: [
      'The trace alone gives full records and is streamed, whatever its size; `kernel_details.csv` in the same folder adds operands, core class and counters, `l2_cache.csv` rates of the cache, `communication.json` groups, links and times of collectives, `profiler_metadata.json` process groups and ranks of the job, the memory files samples. `kernel_details.csv` alone gives kernels without ops.',
      'Times are exact to the nanosecond. Counters of CSV files have the names and units of their header (µs); those of a database are in ns.',
    ],
  },
  sidecars: ascendSidecars,
  sniff: (probe) => isAscendTrace(probe) || isKernelDetails(probe),
  isCovered: (probe) => isCovered(probe),
  read: (probe, options) => {
    const place = [probe.path, probe.file, probe.folder] as const;
    const { id } = ascendText;
    return emit(
      isKernelDetails(probe) ? new DetailsTrace(...place, id) : new TextTrace(id, traceSource(...place)),
      options,
    );
  },
};

/** Number of bytes that are searched. It is large, because metadata and device events come after the host events. */
const SEARCHED = 16 * 1024 * 1024;

/** Texts that only this profiler writes; those of host events come first. */
const MARKS = ['"async_npu"', 'torch_to_npu', '"Ascend Hardware"', 'Node@launch', '"Physic Stream Id"', 'AscendCL@'];

/** Only this profiler quotes times and shapes. A truncated trace may have no other sign of its format. */
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

const headerOf = ({ head }: Probe): string =>
  head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split(/\r?\n/, 1)[0] ?? '';

const isKernelDetails = (probe: Probe): boolean => isKernelDetailsHeader(headerOf(probe));

/**
 * Whether another file covers this one. A folder with both the database and the text of a run is read from its
 * database. The text that msprof exported to `PROF_…/mindstudio_profiler_output` in a run of PyTorch is also in the
 * output folder next to `PROF_…`, together with ops. Among msprof's text files, the trace has the most data, and
 * op_summary_*.csv is read with it. task_time_*.csv has the least. Slices of a table are read with its first slice.
 */
function isCovered(probe: Probe): boolean {
  const { folder } = probe;
  if (folder === null) return false;
  const isOfRun = existsSync(join(folder, '..', '..', ASCEND_OUTPUT));
  if (isOfRun || hasDatabase(folder)) return true;
  if (!isKernelDetails(probe)) return false;
  const [first] = tableOf(probe.path) ?? [];
  if (first !== undefined && first.path !== probe.path) return true;
  const isTasks = isTaskTimeHeader(headerOf(probe));
  const richer = [MSPROF.trace, ...(isTasks ? [MSPROF.summary] : [])];
  return existsSync(join(folder, ASCEND_FILES.trace)) || richer.some((names) => namesIn(folder, names).length > 0);
}
