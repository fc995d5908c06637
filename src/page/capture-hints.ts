/** Hints for panels that have nothing to show: which data the profile lacks, and how to record it with its profiler. */
import type { PageProfile } from '../prof/html/page-data.js';
import {
  captureOption,
  COMPILED_WITH,
  layerMarks,
  opMarks,
  profilerOf,
  stackMarks,
  stepMarks,
  traceOfTable,
  type Recorded,
} from '../prof/work/capture-options.js';

/** Data that panels need. */
type Wanted =
  'work' | 'kernels' | 'ops' | 'steps' | 'annotations' | 'layers' | 'stacks' | 'shapes' | 'memory' | 'cores';

const LACKS: Readonly<Record<Wanted, string>> = {
  work: 'The profile has no device work.',
  kernels: 'The profile has no kernels.',
  ops: 'No kernel could be matched to an op.',
  steps: 'The profile has no steps.',
  annotations: 'The profile has no user annotations (NVTX ranges, record_function, layers).',
  layers: 'No kernel was launched in a layer.',
  stacks: 'The profile has no call stacks.',
  shapes: 'No kernel has both known FLOPs and known bytes.',
  memory: 'The profile has no memory samples.',
  cores: 'No profile has CPU scheduling events.',
};

/** The data that an option of each profiler records, if it has one. */
const BY_OPTION: readonly (readonly [wanted: Wanted, option: Parameters<typeof captureOption>[1], records: string])[] =
  [
    ['work', 'work', 'it'],
    ['kernels', 'work', 'them'],
    ['shapes', 'shapes', 'what ops work on'],
    ['memory', 'memory', 'them'],
    ['cores', 'cores', 'it'],
  ];

const NO_OPERANDS = 'The NTFF has operands with unknown codes; the JSON of neuron-explorer view may show them.';
const NEURON = {
  steps: 'A capture holds one execution of a compiled program. Give several captures to compare executions.',
  annotations: `The program (NEFF) of an NTFF may contain the framework's layers: give it too. ${COMPILED_WITH} them.`,
  layers: `The program (NEFF) of an NTFF may name the layer of each instruction: give it too. ${COMPILED_WITH} it.`,
  shapes: 'Operands are in an NTFF and in the JSON of neuron-explorer view.',
} as const;

/** Hints for a program that was given but has no layers. */
const WITHOUT_LAYERS = {
  annotations: `The program contains no framework layers. ${COMPILED_WITH} them.`,
  layers: `The program does not contain them. ${COMPILED_WITH} the layers of the framework.`,
} as const;

/** Hints for a device trace that was read with its program. */
const WITH_PROGRAM: Partial<Record<Wanted, string>> = { ...NEURON, ...WITHOUT_LAYERS, shapes: NO_OPERANDS };

/** Hints by profiler for data that no option of `captureOption` records. */
const RECORDED: Readonly<Record<string, Partial<Record<Wanted, string>> | undefined>> = {
  kineto: {
    annotations: 'with record_function("name")names parts of the program.',
  },
  nsight: {
    annotations: 'torch.cuda.nvtx.range("name") names parts of the program, with nsys profile --trace=cuda,nvtx.',
  },
  nvprof: {
    annotations: 'torch.cuda.nvtx.range("name") names parts of the program.',
  },
  // The trace itself contains the operands.
  ntff: { ...NEURON, shapes: NO_OPERANDS },
  neff: NEURON,
  'neuron-json': { ...WITHOUT_LAYERS, steps: NEURON.steps },
  'neuron-summary': NEURON,
  'neuron-monitor': { ...NEURON, steps: 'A monitor has no steps.' },
};

/** Data that the program marks, or that another profiler records. */
const MARKS: Partial<Record<Wanted, (header: Recorded | null) => string | null>> = {
  steps: stepMarks,
  layers: layerMarks,
  stacks: stackMarks,
  ops: opMarks,
};

function howToRecord(header: Recorded | null, wanted: Wanted): string | undefined {
  const marks = MARKS[wanted]?.(header) ?? null;
  if (marks !== null) return `${/^an? /.test(marks) ? `A${marks.slice(1)}` : marks}.`;
  const [, option = null, records] = BY_OPTION.find(([key]) => key === wanted) ?? [];
  // msprof records no ops of a framework.
  const isOfOps = (wanted === 'shapes' || wanted === 'ops') && profilerOf(header) !== 'msprof';
  const trace = isOfOps ? traceOfTable(header) : null;
  if (trace !== null) return `L${trace.slice(1)}.`;
  const known = option === null ? null : captureOption(header, option);
  if (known !== null) return `${known}${known.includes(', or ') ? ',' : ''} records ${records ?? ''}.`;
  const isWithProgram = header?.format === 'ntff' && header.facts?.['compilerVersion'] !== undefined;
  return isWithProgram ? WITH_PROGRAM[wanted] : RECORDED[profilerOf(header)]?.[wanted];
}

/** The text of a panel that has nothing to show. */
export function lacking({ profile }: { readonly profile: Pick<PageProfile, 'overview'> }, wanted: Wanted): string {
  const { program, header } = profile.overview;
  if (wanted === 'layers' && program !== null && program.layers > 0)
    return 'Instructions do not name their layer. The panel Compiled program shows when each layer ran.';
  const how = howToRecord(header, wanted);
  return how === undefined ? LACKS[wanted] : `${LACKS[wanted]} ${how}`;
}
