/** What a profile lacks where a panel has nothing to show, and how to record it with its profiler. */
import type { PageProfile } from '../prof/html/page-data.js';
import { shapesOption } from '../prof/work/capture-options.js';

/** What panels are made of. */
type Wanted = 'work' | 'kernels' | 'ops' | 'steps' | 'annotations' | 'layers' | 'shapes';

const LACKS: Readonly<Record<Wanted, string>> = {
  work: 'The profile holds no work of a device.',
  kernels: 'The profile holds no kernels.',
  ops: 'Of no kernel the op is known.',
  steps: 'The profile has no steps.',
  annotations: 'The profile holds no annotations of the user (NVTX ranges, record_function, layers).',
  layers: 'No kernel was launched in a layer.',
  shapes: 'Of no kernel both FLOPs and bytes are known.',
};

const TORCH_WORK = 'torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) records devices.';
const NSYS_WORK = 'nsys profile --trace=cuda,nvtx records devices.';
const NVTX_STEPS = 'An NVTX range around each step, named "step 1", "step 2", marks them.';
const NVTX_LAYERS = 'NVTX ranges around layers (torch.cuda.nvtx.range) name them.';

const NEURON_WORK = 'neuron-profile capture -n FILE.neff -s FILE.ntff records what a NeuronCore did.';
const NO_OPERANDS =
  'Operands in the NTFF have codes that are not known: the JSON of neuron-profile view may have them.';
const NEURON: Partial<Record<Wanted, string>> = {
  work: NEURON_WORK,
  kernels: NEURON_WORK,
  steps: 'A capture is of one execution of a compiled program: give several captures to compare executions.',
  annotations:
    'The layers of a compiled program are those of its framework, which the NEFF keeps: give it with the NTFF.',
  layers: 'The NEFF keeps the layers of the framework: give it beside the NTFF, or the JSON of neuron-profile view.',
  shapes: 'An NTFF, or the JSON of neuron-profile view, has the operands of instructions.',
};

/** Of a device trace that was read with its program. */
const WITH_PROGRAM: Partial<Record<Wanted, string>> = {
  ...NEURON,
  annotations:
    'The JSON of neuron-profile view has the layers of the framework, where the program was compiled with them.',
  layers:
    'The JSON of neuron-profile view names the layer of each instruction, where the program was compiled with them.',
  shapes: NO_OPERANDS,
};

/** By format of the profile. */
const RECORDED: Readonly<Record<string, Partial<Record<Wanted, string>> | undefined>> = {
  kineto: {
    work: TORCH_WORK,
    kernels: TORCH_WORK,
    ops: 'activities=[ProfilerActivity.CPU, …] records ops.',
    steps: 'A call of step() of the profiler after each step marks them.',
    annotations: 'with record_function("name"): names parts of the program.',
    layers: 'with_modules=True with with_stack=True, or record_function around layers, names them.',
    shapes: `${shapesOption('kineto')} records what ops work on.`,
  },
  nsight: {
    work: NSYS_WORK,
    kernels: NSYS_WORK,
    ops: 'nsys profile --pytorch=autograd-nvtx, or emit_nvtx(), records ops.',
    steps: NVTX_STEPS,
    annotations: 'torch.cuda.nvtx.range("name") names parts of the program, with nsys profile --trace=cuda,nvtx.',
    layers: NVTX_LAYERS,
    shapes: `${shapesOption('nsight')}, records what ops work on.`,
  },
  nvprof: {
    steps: NVTX_STEPS,
    annotations: 'torch.cuda.nvtx.range("name") names parts of the program.',
    layers: NVTX_LAYERS,
    shapes: `${shapesOption('nvprof')}, record what ops work on.`,
  },
  // Operands are in the trace itself.
  ntff: { ...NEURON, shapes: NO_OPERANDS },
  neff: NEURON,
  'neuron-json': NEURON,
  'neuron-summary': NEURON,
  'neuron-monitor': { ...NEURON, steps: 'A monitor has no steps.' },
  'ascend-db': { steps: 'A call of step() of the profiler after each step marks them.' },
  'ascend-text': {
    steps: 'A call of step() of the profiler after each step marks them.',
    shapes: 'The whole folder of the profiler has ops and their shapes.',
  },
};

/** One line for a panel without content. */
export function lacking({ profile }: { readonly profile: Pick<PageProfile, 'overview'> }, wanted: Wanted): string {
  const { program } = profile.overview;
  if (wanted === 'layers' && program !== null && program.layers > 0)
    return 'Instructions do not name their layer; when the layers of the program ran is in the panel Compiled program.';
  const { header } = profile.overview;
  const isWithProgram = header?.format === 'ntff' && header.facts?.['compilerVersion'] !== undefined;
  const how = isWithProgram ? WITH_PROGRAM[wanted] : RECORDED[header?.format ?? '']?.[wanted];
  return how === undefined ? LACKS[wanted] : `${LACKS[wanted]} ${how}`;
}
