/** The readers in order of priority. `--formats`, the help and the docs are generated from this table. */
import { basename, dirname, resolve } from 'node:path';
import { nearest, UsageError, UserError } from '../record/errors.js';
import { capturesBeside } from './captures.js';
import { fileNameOf, UnreadableInput } from './files.js';
import type { OutputFolder, Probe, Reader } from './reader.js';
import { ascendDatabase, ascendRaw, ascendText } from './readers/ascend/ascend.js';
import { kineto } from './readers/kineto/kineto.js';
import { ntff, neff } from './readers/neuron/ntff.js';
import { neuronJson } from './readers/neuron/tool-json.js';
import { neuronMonitor } from './readers/neuron/monitor.js';
import { neuronSummary } from './readers/neuron/summary.js';
import { ncu } from './readers/ncu/ncu.js';
import { nsight } from './readers/nsight/nsight.js';
import { nvprof } from './readers/nvprof/nvprof.js';
import { perfetto } from './readers/perfetto/perfetto.js';
import { rocprofv1, rocprofv1Table } from './readers/rocprofv1/rocprofv1.js';
import { rocprofv3 } from './readers/rocprofv3/rocprofv3.js';
import { rocprofv3Json } from './readers/rocprofv3/results-json.js';
import { rocpd } from './readers/rocpd/rocpd.js';
import { rpd } from './readers/rpd/rpd.js';
import { tensorBoardTrace } from './readers/xplane/trace-json.js';
import { xplane } from './readers/xplane/xplane.js';
import { torchMemory } from './readers/torch-memory/torch-memory.js';
import { UNREADABLE_DATABASES, UNREADABLE } from './unreadable/unreadable.js';

/** An input is read by the first reader that recognises it. */
export const READERS: readonly Reader[] = [
  nsight,
  nvprof,
  rocpd,
  rpd,
  rocprofv3,
  rocprofv3Json,
  rocprofv1,
  rocprofv1Table,
  ascendDatabase,
  ascendText,
  ascendRaw,
  tensorBoardTrace,
  kineto,
  ntff,
  neff,
  neuronJson,
  neuronMonitor,
  neuronSummary,
  ncu,
  xplane,
  perfetto,
  torchMemory,
];

/** Names of tables by which a database that cannot be opened is recognised as a profile. */
export const PROFILE_TABLES: readonly string[] = READERS.flatMap(({ tableNames }) => tableNames ?? []);

/** Whether a file has a name that only profiles have. */
export const isNamedProfile = (file: string): boolean =>
  READERS.some(({ fileNames }) => fileNames?.test(fileNameOf(file)) === true);

/** Folders that profilers write. If one has no readable profile, a message explains it. */
export const OUTPUT_FOLDERS: readonly OutputFolder[] = READERS.flatMap(({ outputFolder }) => outputFolder ?? []);

/** Name of a folder; of the folder around it, if the profiler gives the folder the same name in every run. */
export function folderLabel(path: string): string {
  const [folder, name] = [resolve(path), basename(resolve(path))];
  const isFixed = OUTPUT_FOLDERS.some(({ fixedNames }) => fixedNames.test(name));
  return isFixed ? folderLabel(dirname(folder)) : name;
}

/**
 * Name of a file. If the profiler uses the same folder name in every run, the name of the run comes
 * first: `worker_20240601_ascend_pt/trace_view.json`.
 */
export function fileLabel(path: string): string {
  const file = basename(path);
  const folder = basename(dirname(resolve(path)));
  const run = folderLabel(dirname(resolve(path)));
  return run === folder || run === '' ? file : `${run}/${file}`;
}

/**
 * Files that may be read along with any file of a folder.
 * @param candidate the only file of interest, because a program is found by its content, whatever its name
 */
export const filesBeside = (folder: string, candidate: string): string[] => [
  ...capturesBeside(folder),
  ...READERS.flatMap((reader) => reader.sidecars?.(folder, candidate) ?? []),
];

const FORMATS_HINT = 'dparse --formats lists what can be read';

/** JSON of an unknown kind: other data, or a damaged profile. */
export class OtherData extends UserError {}

/** Text of an unknown kind: neither a profile nor a known unreadable format. */
export class UnknownText extends UserError {}

/**
 * The reader for an input.
 * @throws UserError stating what the input is and what to do, when no reader recognises it; UnknownText for other text
 */
export function detect(probe: Probe): Reader {
  const reader = READERS.find((candidate) => candidate.sniff(probe));
  if (reader !== undefined) return reader;
  if (probe.database !== null) {
    const known = UNREADABLE_DATABASES.find((candidate) => candidate.sniff(probe));
    if (known !== undefined) throw new UserError(`is ${known.title}`, { where: probe.file, hint: known.hint });
    const tables = [...probe.database.tables.keys()].filter((table) => !table.startsWith('sqlite_'));
    const shown = tables.slice(0, 4).join(', ') + (tables.length > 4 ? ', …' : '');
    throw new UserError(
      `SQLite database of an unknown profiler, ${tables.length === 0 ? 'without tables' : `with tables ${shown}`}`,
      {
        where: probe.file,
        hint: FORMATS_HINT,
      },
    );
  }
  const known = UNREADABLE.find((candidate) => candidate.sniff(probe));
  if (known !== undefined) {
    const Other = known.isGeneral === true ? OtherData : UserError;
    const Kind = known.isAlone?.(probe) === true ? UnreadableInput : Other;
    throw new Kind(`is ${known.title}`, { where: probe.file, hint: known.hint });
  }
  throw new UnknownText('is text', { where: probe.file, hint: FORMATS_HINT });
}

/**
 * The reader with this id.
 * @throws UsageError for an unknown id of `--input-format`, with the nearest known one
 */
export function readerNamed(id: string): Reader {
  const reader = READERS.find((candidate) => candidate.id === id);
  if (reader !== undefined) return reader;
  const ids = READERS.map((candidate) => candidate.id);
  const near = nearest(id, ids);
  throw new UsageError(`unknown format '${id}'`, near === null ? `one of ${ids.join(', ')}` : `did you mean ${near}?`);
}
