/**
 * How to make the profiler that wrote a profile record more: the single place for options that messages, advice and panels
 * name. An option is named only if that profiler has it, and if the profile does not say that it was already set.
 */
import type { ProfileRecord } from '../../record/record.js';

/**
 * Data that a profile may lack: arguments of ops, call stacks, layers of modules, memory in use, device work, the nodes
 * of graphs, times of the host's cores.
 */
type Wanted = 'shapes' | 'stacks' | 'layers' | 'memory' | 'work' | 'copies' | 'nodes' | 'cores';
type Options = Partial<Record<Wanted, string>>;

/** The fields of the profile line that state which tool wrote the profile, and with which options. */
export type Recorded = Pick<ProfileRecord, 'format' | 'facts'> & Partial<Pick<ProfileRecord, 'file'>>;

/** Options of PyTorch's profiler; those of Ascend's, including MindSpore's, have the same names. */
const TORCH = {
  shapes: 'record_shapes=True',
  stacks: 'with_stack=True',
  layers: 'with_modules=True',
  memory: 'profile_memory=True',
} as const;
const NSYS_MEMORY = 'nsys profile --cuda-memory-usage=true';
const SHAPES_OF_RANGES = 'emit_nvtx(record_shapes=True)';
const RANGES = `${SHAPES_OF_RANGES}, or markers of PyProf`;
const NEURON = { work: 'neuron-explorer capture -n FILE.neff -s FILE.ntff' } as const;

const ROCPROFV3 = { shapes: SHAPES_OF_RANGES, copies: 'rocprofv3 --memory-copy-trace' } as const;

/** Options by profiler; records without a profile line are a `net.dict` of PyProf. */
const OPTIONS: Readonly<Record<string, Options | undefined>> = {
  kineto: {
    ...TORCH,
    work: 'torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])',
  },
  'ascend-db': TORCH,
  'ascend-text': TORCH,
  'ascend-raw': TORCH,
  nsight: {
    shapes: `nsys profile --pytorch=autograd-shapes-nvtx, or ${SHAPES_OF_RANGES}`,
    memory: NSYS_MEMORY,
    work: 'nsys profile --trace=cuda,nvtx',
    nodes: 'nsys profile --cuda-graph-trace=node',
    cores: 'nsys profile --sample=process-tree --cpuctxsw=process-tree',
  },
  rocpd: ROCPROFV3,
  'rocprofv3-csv': ROCPROFV3,
  'rocprofv3-json': ROCPROFV3,
  rpd: { shapes: SHAPES_OF_RANGES },
  nvprof: { shapes: RANGES, memory: `${NSYS_MEMORY} instead of nvprof` },
  ncu: { memory: `${NSYS_MEMORY} instead of ncu` },
  '': { shapes: RANGES },
  ntff: NEURON,
  neff: { ...NEURON, memory: NEURON.work },
  'neuron-json': NEURON,
  'neuron-summary': { ...NEURON, memory: NEURON.work },
  'neuron-monitor': NEURON,
};

/** As documented by AWS: without these variables, the compiler stores no framework names in a NEFF. */
export const COMPILED_WITH = 'XLA_IR_DEBUG=1 XLA_HLO_DEBUG=1, set when the program is compiled, keep';
const KEPT_IN_PROGRAM = `${COMPILED_WITH} them`;

const STEP_CALLS = 'calling step() of the profiler after each step marks them';
const STEP_RANGES = 'range around each step, named "step 1", "step 2", marks them';

/** Kinds of ranges that each profiler records. */
const RANGE_KINDS: Readonly<Record<string, string | undefined>> = {
  nsight: 'an NVTX',
  nvprof: 'an NVTX',
  rpd: 'a rocTX',
  rocpd: 'a rocTX',
  'rocprofv3-csv': 'a rocTX',
  'rocprofv3-json': 'a rocTX',
};

/** How a program marks its steps, by profiler. */
const STEPS: Readonly<Record<string, string | undefined>> = {
  kineto: STEP_CALLS,
  'ascend-db': STEP_CALLS,
  'ascend-text': STEP_CALLS,
  'ascend-raw': STEP_CALLS,
  xplane: 'jax.profiler.StepTraceAnnotation("train", step_num=i) around each step marks them',
};

const TORCH_ONLY = ', for a program in PyTorch';
const OPS_OF_TORCH = 'activities=[ProfilerActivity.CPU, …] records them';
const OPS_OF_RANGES = `emit_nvtx() records them${TORCH_ONLY}`;

/** By profiler, how to record the ops of a framework. */
const OPS: Readonly<Record<string, string | undefined>> = {
  kineto: OPS_OF_TORCH,
  'ascend-db': OPS_OF_TORCH,
  'ascend-text': OPS_OF_TORCH,
  'ascend-raw': OPS_OF_TORCH,
  nsight: `nsys profile --pytorch=autograd-nvtx, or emit_nvtx(), records them${TORCH_ONLY}`,
  nvprof: OPS_OF_RANGES,
  rocpd: OPS_OF_RANGES,
  'rocprofv3-csv': OPS_OF_RANGES,
  'rocprofv3-json': OPS_OF_RANGES,
  rpd: OPS_OF_RANGES,
  'rocprof-v1': `torch.profiler.profile in place of rocprof records them${TORCH_ONLY}`,
  'rocprof-v1-csv': `torch.profiler.profile in place of rocprof records them${TORCH_ONLY}`,
  neff: KEPT_IN_PROGRAM,
  ntff: KEPT_IN_PROGRAM,
  'neuron-json': KEPT_IN_PROGRAM,
};

/** Formats of GPU profilers that record no Python call stacks. PyTorch's profiler records them. */
const WITHOUT_STACKS: Readonly<Record<string, string | undefined>> = {
  nsight: 'nsys',
  nvprof: 'nvprof',
  rocpd: 'rocprofv3',
  rpd: 'rocmProfileData',
  'rocprofv3-csv': 'rocprofv3',
  'rocprofv3-json': 'rocprofv3',
  'rocprof-v1': 'rocprof',
  'rocprof-v1-csv': 'rocprof',
};

/** Formats whose lines of code come from the compiled program. */
const WITH_LINES = new Set(['ntff', 'neuron-json']);

/** Names of files that msprof writes for any program. It has none of the options of a framework's profiler. */
const MSPROF = /(?:^|\/)(?:msprof|op_summary|task_time)_[^/]*$/;

/**
 * The tool that wrote a profile: `msprof` for its files, else the profile's format; '' for records without a profile
 * line.
 */
export const profilerOf = (profile: Recorded | null): string =>
  MSPROF.test(profile?.file ?? '') ? 'msprof' : (profile?.format ?? '');

/** How to get the trace of launches and ops for a profile that is only a table of kernels. */
const TRACES: readonly (readonly [table: RegExp, how: string])[] = [
  [
    /(?:^|\/)kernel_details[^/]*$/,
    'launches and ops are in trace_view.json: give dparse the folder that has it; where it is missing, write it from the raw data with torch_npu.profiler.profiler.analyse(FOLDER), or record again with ExportType.Text',
  ],
  [
    /(?:^|\/)(?:op_summary|task_time)[^/]*$/,
    'launches are in msprof_*.json: give dparse the folder that has it; where it is missing, write it with msprof --export=on --output=PROF_FOLDER',
  ],
];

/** Null for a profile that is more than a table of kernels. */
export const traceOfTable = (profile: Recorded | null): string | null =>
  (profile?.format === 'ascend-text' ? TRACES.find(([table]) => table.test(profile.file ?? '')) : undefined)?.[1] ??
  null;

/**
 * The option of a profile's profiler that records the missing data, such as `record_shapes=True`.
 * @param profile null for records without a profile line
 * @returns null when the profiler has no such option, when it is unknown, and when the option was already set
 */
export function captureOption(profile: Recorded | null, wanted: Wanted): string | null {
  const option = OPTIONS[profilerOf(profile)]?.[wanted] ?? null;
  return option === null || isGiven(option, profile) ? null : option;
}

const ROCTX = 'roctxRangePush("NAME") around the code marks it; rocprofv3 records it with --marker-trace';
const NVTX = 'torch.cuda.nvtx.range("NAME") or nvtxRangePush around the code marks it';
const RECORD_FUNCTION = 'torch.profiler.record_function("NAME") around the code marks it';

/** How a program names a part of its code, by profiler. */
const PARTS: Readonly<Record<string, string | undefined>> = {
  kineto: RECORD_FUNCTION,
  'ascend-db': RECORD_FUNCTION,
  'ascend-text': RECORD_FUNCTION,
  'ascend-raw': RECORD_FUNCTION,
  nsight: NVTX,
  nvprof: NVTX,
  rpd: 'a rocTX range around the code marks it',
  rocpd: ROCTX,
  'rocprofv3-csv': ROCTX,
  'rocprofv3-json': ROCTX,
  xplane: 'jax.profiler.TraceAnnotation("NAME") around the code marks it',
};

/** How the program names a part of its code, like `stepMarks`. */
export const partMarks = (profile: Recorded | null): string | null => PARTS[profilerOf(profile)] ?? null;

/** How the program marks its steps; null when its profiler records none. @param profile null without a profile line */
export function stepMarks(profile: Recorded | null): string | null {
  const ranges = RANGE_KINDS[profilerOf(profile)];
  return ranges === undefined ? (STEPS[profilerOf(profile)] ?? null) : `${ranges} ${STEP_RANGES}`;
}

/**
 * How to record the layer of each kernel, as a sentence without its end; null when the profiler records none. Options
 * that were already set are left out.
 */
export function layerMarks(profile: Recorded | null): string | null {
  const kind = RANGE_KINDS[profilerOf(profile)];
  if (kind !== undefined) return `${kind} range around each layer, named "layer:conv1", records it`;
  if (stepMarks(profile) !== STEP_CALLS) return null;
  const options = (['layers', 'stacks'] as const).map((wanted) => captureOption(profile, wanted));
  const missing = options.filter((option) => option !== null).join(' with ');
  const ranges = profile?.format === 'kineto' ? 'record_function("layer:conv1") around a layer' : '';
  const ways = [missing, ranges].filter((way) => way !== '');
  return ways.length === 0 ? null : `${ways.join(', or ')}${ways.length > 1 ? ',' : ''} records it`;
}

/** Whether the profile's facts say that its profiler recorded the CPU, where ops run. */
export const recordsCpu = (profile: Recorded | null): boolean => /\bCPU\b/.test(String(profile?.facts?.['activities']));

/**
 * How to record the ops of a framework, like `layerMarks`; for a table of kernels, where the ops are. Null also when the
 * profiler recorded the CPU: then the kernels have no ops.
 */
export function opMarks(profile: Recorded | null): string | null {
  const how = OPS[profilerOf(profile)] ?? null;
  if (how !== OPS_OF_TORCH) return how;
  return traceOfTable(profile) ?? (recordsCpu(profile) ? null : how);
}

/** How to record call stacks, like `layerMarks`. */
export function stackMarks(profile: Recorded | null): string | null {
  const tool = WITHOUT_STACKS[profilerOf(profile)];
  if (tool !== undefined)
    return `torch.profiler.profile(with_stack=True) in place of ${tool} records them${TORCH_ONLY}`;
  if (WITH_LINES.has(profilerOf(profile)))
    return 'NEURON_FRAMEWORK_DEBUG=1 NKI_DEBUG_INFO=True, set when the program is compiled, keep its lines of code';
  const option = captureOption(profile, 'stacks');
  return option === null ? null : `${option} records them`;
}

/** Whether the profile's facts say that an option of the form `NAME=True` was set. */
function isGiven(option: string, profile: Recorded | null): boolean {
  const name = /^(\w+)=True$/.exec(option)?.[1];
  return name !== undefined && profile?.facts?.[name] === 'true';
}

const RECORD_WITH = ': record them with ';

/** Why a kernel's work is unknown, when the calls around it have no arguments. */
export function withoutArguments(names: string, profile: Recorded | null): string {
  const option = captureOption(profile, 'shapes');
  return `the profile has no arguments of ${names}${option === null ? '' : `${RECORD_WITH}${option}`}`;
}

/** A reason, and how to record what is missing, if the reason says it. */
export function reasonParts(reason: string): { readonly why: string; readonly wayOut: string | null } {
  const [why = '', option] = reason.split(RECORD_WITH);
  return { why, wayOut: option === undefined ? null : `record them with ${option}` };
}

/** Whether the reason is missing arguments that the profiler could record. */
export const asksForArguments = (reason: string): boolean => reason.includes(RECORD_WITH);
