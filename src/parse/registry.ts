/**
 * Formats in order of priority, and what to say of inputs that are known but cannot be read. `--formats`, the help
 * and the docs come from these tables.
 */
import { nearest, UsageError, UserError } from '../record/errors.js';
import type { Probe, Reader } from './reader.js';
import { ascendDatabase } from './readers/ascend/database.js';
import { ascendFolder } from './readers/ascend/folders.js';
import { ascendText } from './readers/ascend/text.js';
import { kineto } from './readers/kineto/kineto.js';
import { ntff } from './readers/neuron/ntff.js';
import { neff } from './readers/neuron/neff.js';
import { neuronJson } from './readers/neuron/tool-json.js';
import { neuronMonitor } from './readers/neuron/monitor.js';
import { neuronSummary } from './readers/neuron/summary.js';
import { nsight } from './readers/nsight/nsight.js';
import { nvprof } from './readers/nvprof/nvprof.js';

export const READERS: readonly Reader[] = [
  nsight,
  nvprof,
  ascendDatabase,
  ascendText,
  kineto,
  ntff,
  neff,
  neuronJson,
  neuronMonitor,
  neuronSummary,
];

/** Inputs that are recognised and answered with what to do. */
export interface Unreadable {
  readonly title: string;
  readonly hint: string;
  sniff(probe: Probe): boolean;
}

const startsWith =
  (...prefixes: readonly string[]) =>
  ({ head }: Probe): boolean => {
    const start = head.subarray(0, 256).toString('latin1').trimStart();
    return prefixes.some((prefix) => start.startsWith(prefix));
  };

/** Whether the head holds what text does not: control characters other than white space. */
const isBinary = ({ head }: Probe): boolean =>
  head.subarray(0, 4096).some((byte) => byte < 32 && (byte < 9 || byte > 13) && byte !== 27);

export const UNREADABLE: readonly Unreadable[] = [
  {
    title: 'an Nsight Systems report (.nsys-rep, .qdrep)',
    hint: 'run: nsys export --type sqlite FILE, and parse the .sqlite',
    sniff: startsWith('NVIDIA Tegra Profiler Report'),
  },
  {
    title: 'a Visual Profiler session in XML (.nvvp)',
    hint: 'profile with nvprof -o FILE, which writes a database',
    sniff: startsWith('<?xml', '<com.nvidia', '<viper'),
  },
  {
    title: 'the text that nvprof prints',
    hint: 'profile with nvprof -o FILE, which writes a database',
    sniff: ({ head }) => /^==\d+== (?:NVPROF|Profiling|Generated)/m.test(head.toString('latin1')),
  },
  {
    title: 'a log of the CUDA command line profiler',
    hint: 'profile with nvprof -o FILE or nsys profile',
    sniff: startsWith('# CUDA_PROFILE_LOG_VERSION'),
  },
  {
    title: 'records of dparse',
    hint: 'give them to dprof',
    sniff: startsWith('{"type":"profile"'),
  },
  {
    title: "records of PyProf's parse",
    hint: 'give them to dprof',
    sniff: startsWith("{'kShortName'"),
  },
  {
    title: 'JSON without "traceEvents"',
    hint: 'dparse reads the traces that torch.profiler exports, and databases: dparse --formats',
    sniff: startsWith('{', '['),
  },
  {
    title: 'a binary file that is no profile database (a raw nvprof log, perhaps)',
    hint: 'import it with nvprof --import-profile FILE --export-profile NEW, or profile with nvprof -o FILE',
    sniff: isBinary,
  },
  {
    title: 'a table of the Ascend profiler without the times of kernels',
    hint: 'give trace_view.json, kernel_details.csv or the directory',
    sniff: ({ head }) => /^[^\n{]*,[^\n{]*\((?:us|MB|KB)\)/.test(head.toString('utf8')),
  },
  { title: 'text', hint: 'dparse --formats lists what can be read', sniff: () => true },
];

/** Names of tables: a database that cannot be opened, and has one of them in its schema, is a profile all the same. */
export const PROFILE_TABLES: readonly string[] = [
  'CUPTI_ACTIVITY_KIND',
  'COMPUTE_TASK_INFO',
  'PYTORCH_API',
  'CANN_API',
];

/** Databases that are recognised and answered with what to do. */
export const UNREADABLE_DATABASES: readonly Unreadable[] = [
  {
    title: 'the sums of an Ascend profile (analysis.db), without its kernels',
    hint: "give the profile's database (ascend_pytorch_profiler_*.db) or directory",
    sniff: ({ database }) =>
      database !== null &&
      [...database.tables.keys()].some((table) => table === 'StepTraceTime' || table.startsWith('CommAnalyzer')),
  },
];

/** Folders that profilers make; one in which no profile is found is answered with what to do. */
export interface ProfileFolder {
  readonly title: string;
  readonly hint: string;
  /** Those in which some of these files are. */
  readonly among: (paths: readonly string[]) => ReadonlySet<string>;
}

export const PROFILE_FOLDERS: readonly ProfileFolder[] = [ascendFolder];

/**
 * The reader for an input.
 * @throws UserError saying what the input is and what to do, when none reads it
 */
export function detect(probe: Probe): Reader {
  const reader = READERS.find((candidate) => candidate.sniff(probe));
  if (reader !== undefined) return reader;
  if (probe.database !== null) {
    const known = UNREADABLE_DATABASES.find((candidate) => candidate.sniff(probe));
    if (known !== undefined) throw new UserError(`is ${known.title}`, { where: probe.file, hint: known.hint });
    const tables = [...probe.database.tables.keys()];
    const shown = tables.slice(0, 4).join(', ') + (tables.length > 4 ? ', …' : '');
    throw new UserError(
      `SQLite database of no known profiler, ${tables.length === 0 ? 'without tables' : `with tables ${shown}`}`,
      {
        where: probe.file,
        hint: 'dparse --formats lists what can be read',
      },
    );
  }
  const known = UNREADABLE.find((candidate) => candidate.sniff(probe));
  throw new UserError(`is ${known?.title ?? 'not a profile'}`, {
    where: probe.file,
    hint: known?.hint ?? 'dparse --formats',
  });
}

/** The reader that `--format` names. */
export function readerNamed(id: string): Reader {
  const reader = READERS.find((candidate) => candidate.id === id);
  if (reader !== undefined) return reader;
  const ids = READERS.map((candidate) => candidate.id);
  const near = nearest(id, ids);
  throw new UsageError(`unknown format '${id}'`, near === null ? `one of ${ids.join(', ')}` : `did you mean ${near}?`);
}
