/** Names of the files that Ascend's profilers write, and those of them that are read with an input. */
import { join } from 'node:path';
import { namesIn, pathsIn } from '../../files.js';

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

/** Folders of Ascend's raw data, which is read by the `info.json` of one: beside it, and the framework's one above. */
export const ASCEND_RAW = {
  info: /^info\.json(?:\.\d+)?$/,
  part: /^(?:host|device_\d+)$/,
  framework: 'FRAMEWORK',
} as const;

const NAMES: ReadonlySet<string> = new Set([...Object.values(ASCEND_FILES), ASCEND_METADATA]);

/** By the folder that they are in, seen from that of the input. */
const SIDECARS: readonly (readonly [place: string, isRead: (name: string) => boolean])[] = [
  ['.', (name) => [ASCEND_DATABASE, ASCEND_INFO, MSPROF.table].some((names) => names.test(name)) || NAMES.has(name)],
  ['..', (name) => [ASCEND_INFO, MSPROF.database].some((names) => names.test(name)) || name === ASCEND_METADATA],
  [join('..', ASCEND_OUTPUT), (name) => ASCEND_DATABASE.test(name)],
  [join('..', '..', ASCEND_OUTPUT), (name) => ASCEND_DATABASE.test(name)],
];

/** Files that databases and text are read with. */
export const ascendSidecars = (folder: string): string[] =>
  SIDECARS.flatMap(([place, isRead]) => pathsIn(join(folder, place), isRead));

/** Files that raw data is read with. */
export function rawSidecars(folder: string): string[] {
  if (namesIn(folder, ASCEND_RAW.info).length === 0) return [];
  const parts = namesIn(join(folder, '..'), ASCEND_RAW.part).map((part) => join(folder, '..', part));
  const places = parts.flatMap((part) => [part, join(part, 'data')]);
  return [...places, join(folder, '..', '..', ASCEND_RAW.framework)].flatMap((place) => pathsIn(place));
}
