/** Metrics of time, FLOPs and bytes; their computation is in `flops.ts`. */
import {
  achievable,
  adjustedFlops,
  bandwidth,
  coreBalance,
  hardwareFlops,
  hbmBytes,
  intensity,
  modelFlops,
  moved,
  orUseful,
  stackBalance,
  tensorBytes,
  transposeFlops,
  usefulFlops,
  utilisation,
} from '../flops.js';
import { combine, counted, type MetricAmount, type MeasuredTime, type Metric, type MetricSums } from '../metric.js';
import type { Moved } from '../metric-sums.js';

const ZERO_WITHOUT_HLO = 'the tool writes 0 where the program has no statistics of the model';

type WorkMetric = readonly [
  name: string,
  unit: Metric['unit'],
  doc: string,
  formula: string,
  of: (sums: MetricSums) => MetricAmount,
  inputs?: readonly string[],
];

const WORK: readonly WorkMetric[] = [
  [
    'hardware_flops',
    'FLOP',
    'floating-point operations of all matrix products that ran, of any type, including transposes; an FP32 product of two instructions counts twice',
    '2 · Σ elements of instructions',
    hardwareFlops,
  ],
  [
    'transpose_flops',
    'FLOP',
    'the part of hardware_flops that only transposes data',
    "2 · Σ elements of instructions of type 'TRANSPOSE'",
    transposeFlops,
  ],
  [
    'mm_arithmetic_intensity',
    'FLOP/B',
    'FLOPs, without transposes, per byte to and from device memory',
    '(hardware_flops - transpose_flops) / (hbm_read_bytes + hbm_write_bytes)',
    intensity,
    ['hardware_flops', 'transpose_flops', 'hbm_read_bytes', 'hbm_write_bytes'],
  ],
  [
    'peak_flops_bandwidth_ratio',
    'FLOP/B',
    'arithmetic intensity above which compute is the bottleneck at peak rates, with one memory stack per core',
    'cores · 2 · rows · columns · tensor clock / (cores · bandwidth of a stack)',
    coreBalance,
    ['cores', 'peak', 'bandwidth of a stack'],
  ],
];

const TENSOR: readonly WorkMetric[] = [
  [
    'hfu_estimated_percent',
    'fraction',
    'hardware FLOPs utilization: FLOPs that ran, as a share of the BF16 peak of all tensor engines',
    'hardware_flops / (cores · 2 · rows · columns · tensor clock · total_time)',
    (sums) => utilisation(sums, hardwareFlops(sums)),
    ['total_time', 'hardware_flops', 'cores', 'peak'],
  ],
  [
    'mfu_inst_estimated_percent',
    'fraction',
    'model FLOPs utilization by the instructions: transposes left out',
    '(hardware_flops - transpose_flops) / (peak · total_time)',
    (sums) => utilisation(sums, usefulFlops(sums)),
    ['total_time', 'hardware_flops', 'transpose_flops', 'peak'],
  ],
  [
    'mfu_estimated_percent',
    'fraction',
    'model FLOPs utilization: by the model where its FLOPs are known, else by the instructions',
    '(model_flops, else hardware_flops - transpose_flops) / (peak · total_time)',
    (sums) => utilisation(sums, orUseful(sums)),
    ['total_time', 'hardware_flops', 'transpose_flops', 'model_flops', 'peak'],
  ],
  [
    'mfu_inst_max_achievable_estimated_percent',
    'fraction',
    'maximum mfu_inst at this arithmetic intensity and memory bandwidth',
    'min(1, mm_arithmetic_intensity / stack_flops_bandwidth_ratio)',
    (sums) => achievable(sums, usefulFlops(sums)),
    ['mm_arithmetic_intensity', 'stack_flops_bandwidth_ratio'],
  ],
  [
    'mfu_max_achievable_estimated_percent',
    'fraction',
    'maximum mfu at this arithmetic intensity and memory bandwidth',
    'min(1, (model_flops, else hardware_flops - transpose_flops) / HBM bytes / stack_flops_bandwidth_ratio)',
    (sums) => achievable(sums, orUseful(sums)),
    ['hardware_flops', 'transpose_flops', 'model_flops', 'stack_flops_bandwidth_ratio'],
  ],
];

const MODEL: readonly (readonly [Metric['group'], ...WorkMetric])[] = [
  [
    'overall_stats',
    'model_flops',
    'FLOP',
    'FLOPs that the model needs by its definition; known only from statistics of the compiler',
    "2 · multiply-accumulates of the compiler's graph (HloMacCount of the NEFF); else the value that the tool reports, unless that is 0",
    modelFlops,
  ],
  [
    'tensor_engine',
    'mfu_hlo_estimated_percent',
    'fraction',
    'model FLOPs utilization by the definition of the model',
    'model_flops / (peak · total_time)',
    (sums) => utilisation(sums, modelFlops(sums)),
    ['total_time', 'model_flops', 'peak'],
  ],
  [
    'tensor_engine',
    'mfu_hlo_max_achievable_estimated_percent',
    'fraction',
    'upper limit of mfu_hlo for the measured memory traffic',
    'min(1, model_flops / HBM bytes / stack_flops_bandwidth_ratio)',
    (sums) => achievable(sums, modelFlops(sums)),
    ['model_flops', 'stack_flops_bandwidth_ratio'],
  ],
];

const OWN: readonly WorkMetric[] = [
  [
    'adjusted_hardware_flops',
    'FLOP',
    'hardware_flops weighted by the cost of their type: FP32 runs at a quarter of the BF16 rate',
    'Σ FLOPs · (4 for FP32, 2 where FP32 products are counted in both of their instructions, 1 for BF16 and FP16)',
    adjustedFlops,
  ],
  [
    'adjusted_hfu_percent',
    'fraction',
    'share of the peak rate of the tensor engines for these types',
    'adjusted_hardware_flops / (peak · total_time)',
    (sums) => utilisation(sums, adjustedFlops(sums)),
    ['total_time', 'adjusted_hardware_flops', 'peak'],
  ],
];

const BYTES: readonly (readonly [name: string, counter: Moved, doc: string])[] = [
  ['hbm_read_bytes', 'hbmReadBytes', 'bytes read from device memory by DMA'],
  ['hbm_write_bytes', 'hbmWriteBytes', 'bytes written to device memory by DMA'],
  ['sbuf_read_bytes', 'sbufReadBytes', 'bytes read from the state buffer, by DMA and by instructions'],
  ['sbuf_write_bytes', 'sbufWriteBytes', 'bytes written to the state buffer, by DMA and by instructions'],
  ['psum_read_bytes', 'psumReadBytes', 'bytes that instructions read from the accumulation buffer'],
  ['psum_write_bytes', 'psumWriteBytes', 'bytes that instructions wrote to the accumulation buffer'],
  [
    'psum_read_sbuf_write_bytes',
    'psumReadSbufWriteBytes',
    'bytes that instructions moved from the accumulation buffer to the state buffer',
  ],
];

const MEMORY: readonly WorkMetric[] = [
  ...BYTES.map(([name, counter, doc]): WorkMetric => [
    name,
    'bytes',
    doc,
    `Σ ${counter} of instructions`,
    (sums) => moved(sums, counter),
  ]),
  [
    'psum_read_sbuf_write_count',
    'count',
    'instructions that moved data from the accumulation buffer to the state buffer',
    'number of instructions with psumReadSbufWriteBytes above 0',
    (sums) => combine([moved(sums)], () => sums.psumToSbuf),
  ],
  [
    'mbu_estimated_percent',
    'fraction',
    'memory bandwidth utilization: bytes to and from device memory, as a share of what one stack can move',
    '(hbm_read_bytes + hbm_write_bytes) / total_time / bandwidth of a stack',
    (sums) => bandwidth(sums, hbmBytes(sums)),
    ['total_time', 'hbm_read_bytes', 'hbm_write_bytes', 'bandwidth of a stack'],
  ],
  [
    'mbu_min_read_util_percent',
    'fraction',
    'memory bandwidth utilization if inputs and weights were read only once',
    'inputs_and_weights_size_bytes / total_time / bandwidth of a stack',
    (sums) => bandwidth(sums, tensorBytes(sums, ['input', 'weight'])),
    ['total_time', 'inputs_and_weights_size_bytes', 'bandwidth of a stack'],
  ],
  [
    'weight_size_bytes',
    'bytes',
    'size of all weights of the program',
    'Σ size of weights',
    (sums) => tensorBytes(sums, ['weight']),
  ],
  [
    'inputs_and_weights_size_bytes',
    'bytes',
    'size of all inputs and weights: the minimum to read',
    'Σ size of inputs and weights',
    (sums) => tensorBytes(sums, ['input', 'weight']),
  ],
  [
    'inputs_outputs_weights_size_bytes',
    'bytes',
    'size of all inputs, outputs and weights: the minimum to move',
    'Σ size of inputs, outputs and weights',
    (sums) => tensorBytes(sums, ['input', 'output', 'weight']),
  ],
  ...(['save', 'reload'] as const).map((way): WorkMetric => [
    `spill_${way}_bytes`,
    'bytes',
    way === 'save'
      ? 'bytes of intermediate results written to device memory because the state buffer was full'
      : 'bytes of spilled results fetched back from device memory, counted each time',
    'the value that the tool reports',
    ({ reported }) => {
      const bytes = reported.get('')?.get(`spill_${way}_bytes`)?.value;
      return typeof bytes === 'number' ? bytes : { unknown: 'packets do not identify spilled data' };
    },
  ]),
];

const metric = (group: Metric['group'], [name, unit, doc, formula, amountOf, inputs = []]: WorkMetric): Metric => ({
  name,
  group,
  unit,
  doc,
  formula,
  inputs,
  of: amountOf,
});

/** Exact when the capture has picoseconds. */
const totalMeasured = ({ totalPs, profile }: MetricSums): MeasuredTime[] => {
  const isExact = typeof profile?.facts?.['totalTimePs'] === 'number';
  return totalPs === null ? [] : [{ ps: totalPs, intervals: 1, lost: isExact ? 0 : 1000 }];
};

export const WORK_METRICS: readonly Metric[] = [
  {
    name: 'total_time',
    group: 'overall_stats',
    unit: 'ps',
    doc: 'time of one run of the program on the device, from the start of its execution window to the end',
    formula: 'end - start of the execution window',
    of: ({ totalPs }) => totalPs ?? { unknown: 'the capture has no execution window' },
    measured: totalMeasured,
  },
  {
    name: 'neuroncore_cycle_count',
    group: 'overall_stats',
    unit: 'cycles',
    doc: 'total_time in cycles of the core, not of the tensor engine',
    formula: 'floor(total_time · clock)',
    inputs: ['total_time', 'clock'],
    of: ({ totalPs, machine }) => combine([totalPs, machine.clockHz], (ps, hz) => Math.floor((ps * hz) / 1e12)),
  },
  ...WORK.map((row) => metric('overall_stats', row)),
  ...TENSOR.map((row) => metric('tensor_engine', row)),
  ...MODEL.map(([group, ...row]) => ({ ...metric(group, row), differs: ZERO_WITHOUT_HLO })),
  ...OWN.map((row) => ({ ...metric('tensor_engine', row), own: true as const })),
  ...MEMORY.map((row) => metric('data_movement', row)),
  {
    name: 'stack_flops_bandwidth_ratio',
    group: 'overall_stats',
    unit: 'FLOP/B',
    own: true,
    doc: 'arithmetic intensity above which compute is the bottleneck, with one shared memory stack; the maximum achievable MFU uses it',
    formula: 'cores · 2 · rows · columns · tensor clock / bandwidth of a stack',
    inputs: ['cores', 'peak', 'bandwidth of a stack'],
    of: stackBalance,
  },
  {
    name: 'semaphore_update_count',
    group: 'overall_stats',
    unit: 'count',
    own: true,
    doc: 'changes of semaphores, by which engines and queues wait for each other',
    formula: 'number of semaphore samples',
    of: (sums) => counted(sums, sums.semaphores),
  },
];
