/** Databases that are recognised by their tables but hold no activities that are read. */
import type { Unreadable } from '../reader.js';

const TORCH_HINT =
  'of a PyTorch program give the trace that torch.profiler exports, which dparse reads for AMD GPUs too';

const hasTable =
  (...names: readonly string[]): Unreadable['sniff'] =>
  ({ database }) =>
    database !== null && names.every((name) => database.tables.has(name));

export const UNREADABLE_DATABASES: readonly Unreadable[] = [
  {
    title: 'the sums of an Ascend profile (analysis.db), without its kernels',
    hint: "give the profile's database (ascend_pytorch_profiler_*.db) or directory",
    sniff: ({ database }) =>
      database !== null &&
      [...database.tables.keys()].some((table) => table === 'StepTraceTime' || table.startsWith('CommAnalyzer')),
  },
  {
    title: 'a rocpd database (of rocprofv3 or rocprof-sys)',
    hint: TORCH_HINT,
    sniff: hasTable('rocpd_info_agent'),
  },
  {
    title: 'a database of rocprof',
    hint: TORCH_HINT,
    sniff: hasTable('OPS', 'HIP'),
  },
  {
    title: "DLProf's own database (dlprof_dldb.sqlite), for its viewer",
    hint: 'give the database of Nsight Systems that DLProf wrote beside it (nsys_profile.sqlite)',
    sniff: hasTable('view_op_nodes', 'view_system_config'),
  },
];
