/**
 * Reader of databases of the Ascend PyTorch Profiler (`ascend_pytorch_profiler_*.db`) and of msprof (`msprof_*.db`, without
 * the framework's events), schema 1.0 to 1.2.
 */
import { emit } from '../../trace/emit.js';
import { databaseOf, type Reader, type OutputFolder } from '../../reader.js';
import type { SqliteFile } from '../../sqlite/sqlite.js';
import { AscendTrace } from './database/database-trace.js';
import { isCopied, ASCEND_INFO, ascendSidecars } from './ascend-files.js';
import { basename, dirname } from 'node:path';

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

const ID = 'ascend-db';

/** Every profile has at least one of these tables, and the table of strings. */
const EVENTS = ['TASK', 'PYTORCH_API', 'COMPUTE_TASK_INFO', 'CANN_API', 'MSTX_EVENTS'];

export const ascendDatabase: Reader = {
  id: ID,
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
    const place = { format: ID, folder: probe.folder, file: basename(probe.file) };
    return emit(new AscendTrace(databaseOf(probe), place), options);
  },
};

const isProfile = (database: SqliteFile): boolean =>
  database.has('STRING_IDS') && EVENTS.some((table) => database.has(table));
