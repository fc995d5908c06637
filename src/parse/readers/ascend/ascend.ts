/** Readers of the profilers of Ascend, one for each form of their output: text, raw data, databases. */
import { emit } from '../../trace/emit.js';
import { type Reader, type Probe, databaseOf, type OutputFolder } from '../../reader.js';
import { DetailsTrace } from './text/details-trace.js';
import { TextTrace } from './text/text-trace.js';
import { traceSource } from './text/trace-source.js';
import { existsSync } from 'node:fs';
import { join, dirname, basename } from 'node:path';
import { headContains, namesIn, textStart } from '../../files.js';
import {
  hasDatabase,
  ASCEND_FILES,
  ASCEND_OUTPUT,
  ascendSidecars,
  MSPROF,
  ASCEND_DATABASE,
  rawSidecars,
  isCopied,
  ASCEND_INFO,
} from './ascend-files.js';
import { tableOf } from './text/sidecar-files.js';
import { isKernelDetailsHeader, isTaskTimeHeader } from './text/kernel-details.js';
import { isRawInfo } from './raw/raw-folder.js';
import { rawSource } from './raw/raw-source.js';
import type { SqliteFile } from '../../sqlite/sqlite.js';
import { AscendTrace } from './database/database-trace.js';

/**
 * Reader for text output of the Ascend PyTorch Profiler: trace_view.json and CSV files, or kernel_details.csv without a
 * trace.
 */
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

/** Strings that only this profiler writes; those of host events come first. */
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

const RAW = 'ascend-raw';

/**
 * Reader for raw data of torch_npu and msprof: `PROF_*` with `FRAMEWORK` next to it, found by the `info.json` of the host.
 */
export const ascendRaw: Reader = {
  id: RAW,
  title: 'raw data of the Ascend profilers (PROF_*/host/info.json with the folders next to it and FRAMEWORK)',
  reads: 'binary',
  docs: {
    profiler: 'Huawei Ascend PyTorch Profiler, msprof',
    input: 'raw data',
    made: [
      'Ascend PyTorch Profiler if `analyse` has not run yet, or by `msprof` before export: `FRAMEWORK` and `PROF_*/host/data`, `PROF_*/device_N/data`',
    ],
    read: [
      'Device tasks with their operators, shapes, types, cycles and launches, copies with sizes, collectives with their messages; from torch_npu: ops, modules, call stacks, the task queue, garbage collection and allocator memory. A folder is found by the `info.json` of its host.',
      "If the vendor's tool has parsed the folder, its output is read instead. Truncated structures, and files and structures of unread kinds, are counted.",
      'The layouts come from public sources and have not been checked against a real capture. Details: docs/ascend-raw.md.',
    ],
  },
  sidecars: rawSidecars,
  sniff: ({ path, folder, head }) =>
    folder !== null &&
    isRawInfo(path, folder) &&
    /^\s*\{[^]*"(?:platform_version|DeviceInfo|CPU|drvVersion|pid)"/.test(textStart(head)),
  isCovered: ({ folder }) => folder !== null && isParsed(dirname(folder)),
  read: ({ path, folder, file }, options) =>
    emit(new TextTrace(RAW, rawSource(dirname(folder ?? dirname(path)), file)), options),
};

/** Whether the vendor's tool has already parsed a folder, so that its output is read instead. */
function isParsed(folder: string): boolean {
  const output = join(folder, '..', ASCEND_OUTPUT);
  const text = join(folder, MSPROF.output);
  return (
    [ASCEND_FILES.trace, ASCEND_FILES.details].some((name) => existsSync(join(output, name))) ||
    namesIn(output, ASCEND_DATABASE).length > 0 ||
    namesIn(folder, MSPROF.database).length > 0 ||
    [MSPROF.trace, MSPROF.summary].some((names) => namesIn(text, names).length > 0)
  );
}

const SUFFIX = '_ascend_pt';

/** Output folders of the profiler, one for each rank: `{worker}_{time}_ascend_pt`, with a profiler_info.json. */
const ascendFolder: OutputFolder = {
  title: 'a folder of the Ascend profiler without a database, trace_view.json or kernel_details.csv',
  hint: 'run the analysis first: torch_npu.profiler.profiler.analyse(FOLDER)',
  among: (paths) => new Set(paths.flatMap((path) => folderOf(path) ?? [])),
  fixedNames: /^(?:ASCEND_PROFILER_OUTPUT|mindstudio_profiler_output|FRAMEWORK|PROF_\d+_\d+_\w+)$/,
};

/** The output folder that contains a file; null when there is none. */
function folderOf(path: string): string | null {
  if (ASCEND_INFO.test(basename(path))) return dirname(path);
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (folder.endsWith(SUFFIX)) return folder;
  }
  return null;
}

const DATABASE = 'ascend-db';

/** Every profile has at least one of these tables, and the table of strings. */
const EVENTS = ['TASK', 'PYTORCH_API', 'COMPUTE_TASK_INFO', 'CANN_API', 'MSTX_EVENTS'];

/**
 * Reader for databases of the Ascend PyTorch Profiler (`ascend_pytorch_profiler_*.db`) and of msprof (`msprof_*.db`,
 * without the framework's events), schema 1.0 to 1.2.
 */
export const ascendDatabase: Reader = {
  id: DATABASE,
  title: 'Ascend PyTorch Profiler database (ascend_pytorch_profiler_*.db, msprof_*.db)',
  reads: 'database',
  fileNames: /^(?:ascend_(?:pytorch|mindspore)_profiler|msprof)_\d+\.db(?:\.gz)?$/,
  // Rows are read only as numbers: a larger young generation gains nothing in measurements.
  youngGenerationMb: 48,
  tableNames: ['COMPUTE_TASK_INFO', 'PYTORCH_API', 'CANN_API'],
  outputFolder: ascendFolder,
  docs: {
    profiler: 'Huawei Ascend PyTorch Profiler, msprof',
    input: 'database',
    made: [
      '`torch_npu.profiler.profile(…, experimental_config=_ExperimentalConfig(export_type=ExportType.Db))`; with `record_shapes`, `with_stack` and `with_modules` for shapes, call stacks and layers; Level1 or Level2 for operands and counters of kernels',
    ],
    read: [
      'Kernels with their operands, core class and counters; the calls, modules, frames and steps around each, and the forward op of backward kernels; collectives as operations, with their ordinal in the group, process groups, host; copies and events; frequencies, memory and bandwidths as samples; MSTX ranges.',
      'Schemas 1.0 to 1.2, and files that MindStudio Insight has altered: columns are read by name, and swapped columns of types and shapes are identified by content. A task that only wraps a kernel or a collective is counted once.',
      'A folder gives one profile per rank: the database, else the text files. Locked or corrupt databases are reported and skipped. `ENV_VARIABLES` is never read into records. Details: docs/ascend.md.',
    ],
  },
  sidecars: ascendSidecars,
  sniff: ({ database }) => database !== null && isProfile(database),
  isCovered: (probe) => isCopied(probe),
  read: (probe, options) => {
    const place = { format: DATABASE, folder: probe.folder, file: basename(probe.file) };
    return emit(new AscendTrace(databaseOf(probe), place), options);
  },
};

const isProfile = (database: SqliteFile): boolean =>
  database.has('STRING_IDS') && EVENTS.some((table) => database.has(table));
