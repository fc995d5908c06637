/**
 * Files that readers open besides an input: its database's log, and what profilers write into its folder. Readers take
 * their names from here, and no output is written onto one of them.
 */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { firstBytes, namesIn } from './files.js';
import { HEADER_BYTES, parseHeader } from './readers/neuron/neff/neff-header.js';

/** Names of the Ascend profiler's tables. */
export const ASCEND_FILES = {
  trace: 'trace_view.json',
  details: 'kernel_details.csv',
  cache: 'l2_cache.csv',
  steps: 'step_trace_time.csv',
  communication: 'communication.json',
  allocators: 'memory_record.csv',
  operators: 'operator_memory.csv',
  modules: 'npu_module_mem.csv',
} as const;

/** The Ascend profiler's databases, the folder that it writes them into, and its settings there or one above. */
export const ASCEND_DATABASE = /^ascend_pytorch_profiler(_\d+)?\.db$/;
export const ASCEND_OUTPUT = 'ASCEND_PROFILER_OUTPUT';
export const ASCEND_INFO = /^profiler_info(?:_\d{1,6})?\.json$/;
/** What the program added to the profile, there too. */
export const ASCEND_METADATA = 'profiler_metadata.json';

/** What msprof writes: a folder of tables and traces, and beside that folder a database, each with the time in its name. */
export const MSPROF = {
  output: 'mindstudio_profiler_output',
  database: /^msprof_\d+\.db$/,
  trace: /^msprof_(?:slice_\d+_)?\d[\d_]*\.json$/,
  /** Ids of the device and the model may follow the table's name; a table above a million rows is split into slices. */
  table:
    /^(?<table>(?:op_summary|task_time|l2_cache|memory_record|operator_memory|npu_module_mem)(?:_\d+)*?)(?:_slice_(?<slice>\d{1,6}))?_(?<time>\d+)\.csv$/,
  summary: /^op_summary_\w+\.csv$/,
} as const;

/** Folder beside a trace with the traces of the captures of its graphs, and the table of these. */
export const CAPTURE_TRACES = { folder: 'capture_traces', table: 'execution_details.json' } as const;

/** What PyTorch writes of the nodes of captured graphs, into the folder of a trace or the one above. */
export const KERNEL_ANNOTATIONS = /^kernel_annotations_rank(\d{1,6})_.*\.json$/;

const ASCEND_NAMES: ReadonlySet<string> = new Set([...Object.values(ASCEND_FILES), ASCEND_METADATA]);

const NAMED: readonly (readonly [place: string, isRead: (name: string) => boolean])[] = [
  [
    '.',
    (name) =>
      [KERNEL_ANNOTATIONS, ASCEND_DATABASE, ASCEND_INFO, MSPROF.table].some((names) => names.test(name)) ||
      ASCEND_NAMES.has(name),
  ],
  [
    '..',
    (name) =>
      [KERNEL_ANNOTATIONS, ASCEND_INFO, MSPROF.database].some((names) => names.test(name)) || name === ASCEND_METADATA,
  ],
  [CAPTURE_TRACES.folder, (name) => /\.json(?:\.gz)?$/.test(name)],
  [join('..', ASCEND_OUTPUT), (name) => ASCEND_DATABASE.test(name)],
  [join('..', '..', ASCEND_OUTPUT), (name) => ASCEND_DATABASE.test(name)],
];

/** What SQLite appends to a database's name. */
const LOGS = ['-wal', '-journal', '-shm'];

/** Paths that may be read with a file: there need not be one of each. */
export const logsOf = (path: string): string[] => LOGS.map((ending) => realpathSync(path) + ending);

/**
 * Files that may be read with any file of a folder.
 * @param candidate the only file that matters: a program is found by its content, so any name may be one's
 */
export function filesBeside(folder: string, candidate: string): string[] {
  const named = NAMED.flatMap(([place, isRead]) => pathsIn(join(folder, place)).filter(([name]) => isRead(name)));
  const programs = isProgram(candidate) ? pathsIn(folder) : [];
  return [...named, ...programs, ...rawFiles(folder)].map(([, path]) => path);
}

/** Folders of Ascend's raw data, which is read by the `info.json` of one: beside it, and the framework's one above. */
export const ASCEND_RAW = {
  info: /^info\.json(?:\.\d+)?$/,
  part: /^(?:host|device_\d+)$/,
  framework: 'FRAMEWORK',
} as const;

function rawFiles(folder: string): (readonly [name: string, path: string])[] {
  if (namesIn(folder, ASCEND_RAW.info).length === 0) return [];
  const parts = namesIn(join(folder, '..'), ASCEND_RAW.part).map((part) => join(folder, '..', part));
  const places = parts.flatMap((part) => [part, join(part, 'data')]);
  return [...places, join(folder, '..', '..', ASCEND_RAW.framework)].flatMap(pathsIn);
}

const pathsIn = (folder: string): (readonly [name: string, path: string])[] =>
  namesIn(folder, /^/).map((name) => [name, join(folder, name)] as const);

const isProgram = (path: string): boolean => parseHeader(firstBytes(path, HEADER_BYTES)) !== null;
