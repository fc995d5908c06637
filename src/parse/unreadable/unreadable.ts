/**
 * Inputs that are recognised but not read, each with a hint; the first match is used. `--formats` and the docs list them.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileNameOf, isUtf16, UTF16 } from '../files.js';
import type { Probe, Unreadable } from '../reader.js';
import { BINARIES } from './binaries.js';

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
    title: 'a database of rocprof-compute, which has metrics and no times of kernels',
    hint: 'record a trace: rocprofv3 --sys-trace -- PROGRAM',
    sniff: hasTable('compute_workload'),
  },
  {
    title: "DLProf's own database (dlprof_dldb.sqlite), for its viewer",
    hint: 'give the database of Nsight Systems that DLProf wrote next to it (nsys_profile.sqlite)',
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
 * Whether a text begins like a trace of PyTorch's profiler before Kineto, whose device events are named after ops and do
 * not name kernels. Source: `EventList.export_chrome_trace` of torch/autograd/profiler_util.py.
 */
export const isAutogradTrace = (start: string): boolean => /"pid": ?"(?:CPU|CUDA) functions"/.test(start);

/**
 * Whether JSON was written by rocprof before rocprofv3. For a run without calls, that is a fragment that begins with a
 * comma.
 */
export const isRocprofTrace = (start: string): boolean =>
  /^\s*(?:\{ *"traceEvents": *\[ *\{\}\s*)?,\s*\{"args":\{"name":"(?:CPU|COPY|GPU|Markers)/.test(start);

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
    title: 'text output of nvprof',
    hint: 'profile with nvprof -o FILE, which writes a database',
    sniff: prints(/^==\d+== (?:NVPROF|Profiling|Generated)/m),
  },
  {
    title: 'text output of Nsight Compute',
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
    title: "a trace of PyTorch's profiler before Kineto (torch.autograd.profiler)",
    hint: 'record it with torch.profiler.profile, and export_chrome_trace',
    sniff: ({ head }) => isAutogradTrace(head.toString('latin1')),
  },
  {
    title: 'JSON of rocprof before rocprofv3',
    hint: 'give results.db, which rocprof wrote next to it',
    sniff: ({ head }) => isRocprofTrace(head.toString('latin1')),
  },
  {
    title: "a table of rocprof's totals (*_stats.csv), without individual kernels",
    hint: 'give the trace of the same run: *_kernel_trace.csv, *_results.db or results.json',
    sniff: ({ head }) => /^\uFEFF?"?Name"?,"?Calls"?,"?TotalDurationNs"?,/.test(head.toString('utf8')),
  },
  {
    title: 'a table of rocprofv3 that has no kernels, copies or calls',
    hint: 'give the folder, or the file that ends in _kernel_trace.csv',
    sniff: ({ head }) =>
      /^\uFEFF?(?=.*\b(?:agent_type|alloc_flags|exec_mask)\b)[\w", ]+\r?\n/i.test(head.toString('utf8')),
  },
  {
    title: "totals of Triton's Proton (.hatchet), without individual kernels",
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
