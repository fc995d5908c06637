/**
 * Inputs that are recognised but not read, each with a hint; the first match is used. `--formats` and the docs list them.
 */
import { existsSync, closeSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileNameOf, isUtf16, UTF16, readFully } from '../files.js';
import type { Probe, Unreadable } from '../reader.js';

const hasTable =
  (...names: readonly string[]): Unreadable['sniff'] =>
  ({ database }) =>
    database !== null && names.every((name) => database.tables.has(name));

/** Databases that are recognised by their tables but contain no activities that dparse reads. */
export const UNREADABLE_DATABASES: readonly Unreadable[] = [
  {
    title: 'the summary of an Ascend profile (analysis.db), without kernels',
    hint: "give the profile's database (ascend_pytorch_profiler_*.db) or directory",
    sniff: ({ database }) =>
      database !== null &&
      [...database.tables.keys()].some((table) => table === 'StepTraceTime' || table.startsWith('CommAnalyzer')),
  },
  {
    title: 'a rocprof-compute database, which has metrics but no kernel times',
    hint: 'record a trace: rocprofv3 --sys-trace -- PROGRAM',
    sniff: hasTable('compute_workload'),
  },
  {
    title: "DLProf's own database (dlprof_dldb.sqlite), for its viewer",
    hint: 'give the Nsight Systems database that DLProf wrote next to it (nsys_profile.sqlite)',
    sniff: hasTable('view_op_nodes', 'view_system_config'),
  },
];

const startsWith =
  (...prefixes: readonly string[]) =>
  ({ head }: Probe): boolean => {
    const start = head.subarray(0, 256).toString('latin1').trimStart();
    return prefixes.some((prefix) => start.startsWith(prefix));
  };

/** Whether the database exported from a report is next to it, under the export's default name. */
function hasExport({ folder, file }: Probe): boolean {
  const stem = fileNameOf(file).replace(/\.[^.]*$/, '');
  return folder !== null && ['.sqlite', '.sqlite.gz'].some((ending) => existsSync(join(folder, stem + ending)));
}

/** Whether the first lines contain text that a profiler prints. */
const prints =
  (line: RegExp) =>
  ({ head }: Probe): boolean =>
    line.test(head.toString('latin1'));

/**
 * Whether a string begins like a trace of PyTorch's profiler before Kineto, whose device events are named after ops and do
 * not name kernels. Source: `EventList.export_chrome_trace` of torch/autograd/profiler_util.py.
 */
export const isAutogradTrace = (start: string): boolean => /"pid": ?"(?:CPU|CUDA) functions"/.test(start);

/**
 * Whether JSON was written by rocprof before rocprofv3. For a run without calls, that is a fragment that begins with a
 * comma.
 */
export const isRocprofTrace = (start: string): boolean =>
  /^\s*(?:\{ *"traceEvents": *\[ *\{\}\s*)?,\s*\{"args":\{"name":"(?:CPU|COPY|GPU|Markers)/.test(start);

/** Number of bytes that are searched at the end of a file, enough for the schema of a few hundred columns. */
const FOOTER_BYTES = 256 * 1024;

const isParquet = ({ head }: Probe): boolean => head.subarray(0, 4).toString('latin1') === 'PAR1';

/** Whether the end of the file contains all of some names. */
const hasNames =
  (...names: readonly string[]) =>
  (probe: Probe): boolean => {
    if (!isParquet(probe)) return false;
    const footer = footerOf(probe.path);
    return names.every((name) => footer.includes(name));
  };

function footerOf(path: string): Buffer {
  const { size } = statSync(path);
  const bytes = Buffer.alloc(Math.min(size, FOOTER_BYTES));
  const file = openSync(path, 'r');
  try {
    return bytes.subarray(0, readFully(file, bytes, size - bytes.length));
  } finally {
    closeSync(file);
  }
}

const PARQUET: readonly Unreadable[] = [
  {
    // Found by the name of the program that wrote it.
    title: 'dparse records as Parquet',
    hint: 'give dprof the whole folder written by dparse -f parquet',
    sniff: hasNames('dparse'),
  },
  {
    title: 'a table from nsys export --type parquetdir',
    hint: 'give the folder with all tables',
    sniff: (probe) => ['correlationId', 'globalTid', 'globalPid'].some((name) => hasNames(name)(probe)),
  },
  {
    title: 'a Neuron Explorer table',
    hint: 'give the folder with all tables',
    sniff: (probe) =>
      hasNames('start_ts', 'end_ts', 'duration_ns')(probe) || hasNames('timestamp', 'instance_id')(probe),
  },
  {
    title: 'a Parquet file of an unknown profiler',
    hint: 'dparse --formats lists the supported formats',
    sniff: isParquet,
  },
];

type Sniff = Unreadable['sniff'];

/** Whether the file has certain bytes at an offset. */
const magic =
  (bytes: string | readonly number[], at = 0): Sniff =>
  ({ head }) => {
    const wanted = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : Buffer.from(bytes);
    return head.subarray(at, at + wanted.length).equals(wanted);
  };

const anyOf =
  (...sniffs: readonly Sniff[]): Sniff =>
  (probe) =>
    sniffs.some((sniff) => sniff(probe));

const all =
  (...sniffs: readonly Sniff[]): Sniff =>
  (probe) =>
    sniffs.every((sniff) => sniff(probe));

const contains =
  (text: RegExp): Sniff =>
  ({ head }) =>
    text.test(head.toString('latin1'));

const ZIP = magic('PK\u0003\u0004');
/** A zip archive that begins with its end record. */
const EMPTY_ARCHIVE = magic('PK\u0005\u0006');

/** Compressed formats, and the programs that unpack them. Archives are read, but not those within them. */
const PACKED: readonly (readonly [title: string, sniff: Sniff, command: string])[] = [
  ['a zip archive in another archive', ZIP, 'unzip FILE'],
  ['compressed with lz4', magic([0x04, 0x22, 0x4d, 0x18]), 'lz4 -d FILE'],
  ['a 7-Zip archive', magic([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]), '7z x FILE'],
  ['a tar archive in another archive', magic('ustar', 257), 'tar -xf FILE'],
];

/** Whether the head contains control characters other than white space, which strings do not have. */
const isBinary: Sniff = ({ head }) =>
  head.subarray(0, 4096).some((byte) => byte < 32 && (byte < 9 || byte > 13) && byte !== 27);

/** Files that are recognised by their first bytes, as specified by their formats. The first match is used. */
const BINARIES: readonly Unreadable[] = [
  {
    title: 'an Nsight Compute report (.ncu-rep)',
    hint: 'print it with ncu --import FILE --csv --page raw > NEW.csv, which dparse reads',
    sniff: magic('NVR\0'),
  },
  {
    title: 'a file written by torch.save (a zip archive with data.pkl), which is not a profile',
    hint: 'give the trace that torch.profiler exports: prof.export_chrome_trace(FILE)',
    sniff: all(ZIP, contains(/\/data\.pkl/)),
  },
  ...PACKED.map(([title, sniff, command]) => ({
    ...{ title, hint: `unpack it first: ${command}`, sniff },
  })),
  {
    title: 'an empty archive',
    hint: 'the archive is empty: pack the profile again',
    sniff: EMPTY_ARCHIVE,
  },
  {
    title: 'a Python pickle of an unknown program',
    hint: 'dparse reads only pickles that torch.cuda.memory._dump_snapshot writes',
    sniff: anyOf(...[2, 3, 4, 5].map((protocol) => magic([0x80, protocol]))),
  },
  ...PARQUET,
  {
    title: 'an Arrow table (perhaps from nsys export --type arrowdir)',
    hint: 'give the folder with all tables',
    sniff: anyOf(magic('ARROW1'), all(magic([0xff, 0xff, 0xff, 0xff]), magic([0x10, 0, 0, 0], 8))),
  },
  {
    title: 'an HDF5 file (perhaps from nsys export)',
    hint: 'run: nsys export --type sqlite FILE.nsys-rep, and parse the .sqlite',
    sniff: magic([0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]),
  },
  {
    title: 'a program or a library (ELF)',
    hint: 'profile it, and give what the profiler writes: dparse --formats',
    sniff: magic('\u007fELF'),
  },
  {
    title: 'a binary file of an unknown format',
    hint: 'dparse --formats lists what can be read; for a raw nvprof log: nvprof --import-profile FILE --export-profile NEW',
    sniff: isBinary,
  },
];

/** Known formats that are not read, each with what to do instead. */
export const UNREADABLE: readonly Unreadable[] = [
  {
    ...UTF16,
    sniff: ({ head }) => isUtf16(head),
  },
  {
    title: 'an Nsight Systems report (.nsys-rep, .qdrep)',
    hint: 'run: nsys export --type sqlite FILE, and parse the .sqlite',
    sniff: startsWith('NVIDIA Tegra Profiler Report'),
    isAlone: (probe) => !hasExport(probe),
  },
  {
    title: 'a Visual Profiler session in XML (.nvvp)',
    hint: 'profile with nvprof -o FILE, which writes a database',
    sniff: startsWith('<?xml', '<com.nvidia', '<viper'),
  },
  {
    title: "the output of a profiler without permission to read the GPU's counters (ERR_NVGPUCTRPERM)",
    hint: 'run the profiler as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0',
    sniff: prints(/^==[A-Z\d]+== .*\bERR_NVGPUCTRPERM\b/m),
  },
  {
    title: 'the output of a profiler that saw no kernel (No kernels were profiled)',
    hint: 'profile the process that uses the GPU and its children, and let it exit normally or call cudaProfilerStop',
    sniff: prints(/^==[A-Z\d]+== .*\bNo kernels were profiled\b/m),
  },
  {
    title: 'nvprof text output',
    hint: 'profile with nvprof -o FILE, which writes a database',
    sniff: prints(/^==\d+== (?:NVPROF|Profiling|Generated)/m),
  },
  {
    title: 'Nsight Compute text output',
    hint: 'use ncu --csv --page raw; for times use nsys profile, then nsys export --type sqlite',
    sniff: prints(/^==PROF== /m),
  },
  {
    title: 'a web page',
    hint: 'download the file itself, not the page that shows it',
    sniff: startsWith('<!DOCTYPE html', '<!doctype html', '<html'),
  },
  {
    title: 'a Git LFS pointer instead of the file',
    hint: 'run: git lfs pull',
    sniff: startsWith('version https://git-lfs'),
  },
  {
    title: 'a log of the CUDA command line profiler',
    hint: 'profile with nvprof -o FILE or nsys profile',
    sniff: startsWith('# CUDA_PROFILE_LOG_VERSION'),
  },
  {
    title: 'dparse records',
    hint: 'give them to dprof',
    sniff: startsWith('{"type":"profile"'),
  },
  {
    title: "records of PyProf's parse",
    hint: 'give them to dprof',
    sniff: startsWith("{'kShortName'"),
  },
  {
    title: "a trace of PyTorch's profiler before Kineto (torch.autograd.profiler)",
    hint: 'record it with torch.profiler.profile, and export_chrome_trace',
    sniff: ({ head }) => isAutogradTrace(head.toString('latin1')),
  },
  {
    title: 'JSON from rocprof before rocprofv3',
    hint: 'give results.db, which rocprof wrote next to it',
    sniff: ({ head }) => isRocprofTrace(head.toString('latin1')),
  },
  {
    title: 'a table of totals from rocprof (*_stats.csv), without individual kernels',
    hint: 'give the trace of the same run: *_kernel_trace.csv, *_results.db or results.json',
    sniff: ({ head }) => /^\uFEFF?"?Name"?,"?Calls"?,"?TotalDurationNs"?,/.test(head.toString('utf8')),
  },
  {
    title: 'a rocprofv3 table that has no kernels, copies or calls',
    hint: 'give the folder, or the file that ends in _kernel_trace.csv',
    sniff: ({ head }) =>
      /^\uFEFF?(?=.*\b(?:agent_type|alloc_flags|exec_mask)\b)[\w", ]+\r?\n/i.test(head.toString('utf8')),
  },
  {
    title: "a table of totals from Triton's Proton profiler (.hatchet), without individual kernels",
    hint: 'record a trace: proton.start(NAME, data="trace") writes NAME.chrome_trace, which dparse reads',
    // A tree as JSON, or the same in MessagePack: a list of two, whose first is a map of three with `frame`.
    sniff: ({ head }) =>
      /^\s*\[\s*\{\s*"(?:children|frame)"\s*:/.test(head.toString('latin1')) ||
      head.subarray(0, 8).toString('latin1') === '\u0092\u0083\u00a5frame',
  },
  {
    title: 'JSON without "traceEvents"',
    hint: 'dparse reads the traces that torch.profiler exports, and databases: dparse --formats',
    sniff: startsWith('{', '['),
    isGeneral: true,
  },
  ...BINARIES,
  {
    title: 'an Ascend profiler table without kernel times',
    hint: 'give trace_view.json, kernel_details.csv or the directory',
    sniff: ({ head }) => /^(?=[^\n{]*,)[^\n{]*\((?:us|MB|KB)\)/.test(head.toString('utf8')),
  },
];
