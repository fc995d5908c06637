/**
 * What the vendor's tool sums a run up in: its names, times in seconds, shares as fractions. Computed here from the
 * run by the definitions of the tool, apart from the code that reads such files.
 */
import { bytesOf, MODEL_FLOPS, TENSORS } from './neuron-attention.js';
import { COMPILER, DRIVER, INSTANCE, PROFILER, RUNTIME } from './neuron-capture.js';
import {
  ENGINES,
  HARDWARE_QUEUE,
  INSTRUCTION_QUEUE,
  SOFTWARE_QUEUE,
  type Instruction,
  type NeuronRun,
  type Work,
} from './neuron-run.js';

/** The tensor engine's multipliers and clock, the other engines' clock, and bandwidths: of Trainium2. */
export const DEVICE = { rows: 128, columns: 128, peHz: 2.4e9, hz: 1.2e9, hbm: 716e9, dma: 435e9 } as const;

export type Metrics = Record<string, number | string>;

export interface Span {
  readonly start: number;
  readonly end: number;
}

const S = 1e12;

/** Time during which at least one of the spans ran, ps. */
export function covered(spans: readonly Span[]): number {
  let time = 0;
  let until = -Infinity;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    time += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return time;
}

export const lengthOf = (spans: readonly Span[]): number => spans.reduce((sum, { start, end }) => sum + end - start, 0);

const sumOf = (instructions: readonly Instruction[], key: keyof Work): number =>
  instructions.reduce((sum, { step }) => sum + (step.operands.work?.[key] ?? 0), 0);

/** Waits at a semaphore are counted, but are no time at work. */
export const atWork = (instructions: readonly Instruction[]): Instruction[] =>
  instructions.filter(({ step }) => step.opcode !== 'EVENT_SEMAPHORE');

export const flopsOf = (instructions: readonly Instruction[], type?: string): number =>
  2 *
  sumOf(
    instructions.filter(({ step }) => type === undefined || step.type === type),
    'elements',
  );

const sizeOf = (...kinds: readonly string[]): number =>
  TENSORS.filter(({ kind }) => kinds.includes(kind)).reduce((sum, tensor) => sum + bytesOf(tensor), 0);

const system = ({ cores }: NeuronRun): Metrics => ({
  instance_type: INSTANCE,
  nd_idx: 0,
  nc_idx: cores.reduce((sum, { core }) => sum + core, 0),
  compiler_version: COMPILER,
  runtime_version: `${RUNTIME.slice(0, 3).join('.')} (${RUNTIME[3].slice(0, 5)})`,
  driver_version: `${DRIVER.join('.')}.0 ()`,
  collectives_version: '2.99.3 ()',
  profiler_version: PROFILER,
});

function engines(instructions: readonly Instruction[], total: number): Metrics {
  const metrics: Metrics = {};
  for (const engine of ENGINES) {
    const own = instructions.filter(({ step }) => step.engine === engine);
    const name = `${engine.toLowerCase()}_engine`;
    metrics[`${name}_instruction_count`] = own.length;
    metrics[`${name}_instruction_time`] = lengthOf(atWork(own)) / S;
    metrics[`${name}_active_time`] = covered(atWork(own)) / S;
    metrics[`${name}_active_time_percent`] = covered(atWork(own)) / total;
  }
  const activations = instructions.filter(({ step }) => step.opcode === 'ACTIVATE');
  metrics['matmul_instruction_count'] = instructions.filter(({ step }) => step.opcode === 'MATMUL').length;
  metrics['activate_instruction_count'] = activations.length;
  metrics['activate_instruction_time'] = lengthOf(activations) / S;
  return metrics;
}

const QUEUES: readonly (readonly [prefix: string, queue: number])[] = [
  ['software_dynamic', SOFTWARE_QUEUE],
  ['hardware_dynamic', HARDWARE_QUEUE],
  ['static', INSTRUCTION_QUEUE],
];

function dma({ cores, length }: NeuronRun): Metrics {
  const packets = cores.flatMap((core) => core.packets);
  const bytes = packets.reduce((sum, packet) => sum + packet.bytes, 0);
  const active = covered(packets);
  const metrics: Metrics = {
    dma_active_time: active / S,
    dma_active_time_percent: active / length,
    dma_active_cycles: Math.floor((active * DEVICE.hz) / S),
    dma_packet_time: lengthOf(packets) / S,
  };
  for (const [prefix, queue] of QUEUES) {
    const own = packets.filter((packet) => packet.queue === queue);
    const size = own.reduce((sum, packet) => sum + packet.bytes, 0);
    metrics[`${prefix}_dma_packet_count`] = own.length;
    metrics[`${prefix}_dma_packet_percent`] = own.length / packets.length;
    metrics[`${prefix}_dma_size`] = size;
    metrics[`${prefix}_dma_size_percent`] = size / bytes;
    metrics[`${prefix}_dma_active_time`] = covered(own) / S;
    metrics[`${prefix}_dma_active_time_percent`] = covered(own) / active;
  }
  return metrics;
}

function work(instructions: readonly Instruction[], cores: number, length: number): Metrics {
  const seconds = length / S;
  const peak = cores * 2 * DEVICE.rows * DEVICE.columns * DEVICE.peHz;
  const hardware = flopsOf(instructions);
  const useful = hardware - flopsOf(instructions, 'TRANSPOSE');
  const hbm = sumOf(instructions, 'hbm_read_bytes') + sumOf(instructions, 'hbm_write_bytes');
  const stack = peak / DEVICE.hbm;
  return {
    hardware_flops: hardware,
    transpose_flops: hardware - useful,
    model_flops: MODEL_FLOPS,
    hfu_estimated_percent: hardware / (peak * seconds),
    mfu_inst_estimated_percent: useful / (peak * seconds),
    mfu_estimated_percent: MODEL_FLOPS / (peak * seconds),
    mfu_hlo_estimated_percent: MODEL_FLOPS / (peak * seconds),
    mfu_max_achievable_estimated_percent: Math.min(1, MODEL_FLOPS / hbm / stack),
    mbu_estimated_percent: hbm / seconds / DEVICE.hbm,
    mbu_min_read_util_percent: sizeOf('input', 'weight') / seconds / DEVICE.hbm,
    mm_arithmetic_intensity: useful / hbm,
    peak_flops_bandwidth_ratio: stack / cores,
    ...Object.fromEntries(
      (
        [
          'hbm_read_bytes',
          'hbm_write_bytes',
          'sbuf_read_bytes',
          'sbuf_write_bytes',
          'psum_read_bytes',
          'psum_write_bytes',
          'psum_read_sbuf_write_bytes',
        ] as const
      ).map((key) => [key, sumOf(instructions, key)]),
    ),
    weight_size_bytes: sizeOf('weight'),
    inputs_and_weights_size_bytes: sizeOf('input', 'weight'),
    inputs_outputs_weights_size_bytes: sizeOf('input', 'output', 'weight'),
  };
}

/** Everything, in order of the names. */
export function metricsOf(run: NeuronRun): Metrics {
  const { cores, length } = run;
  const instructions = cores.flatMap((core) => core.instructions);
  const busy = covered([...atWork(instructions), ...cores.flatMap((core) => core.packets)]);
  const metrics: Metrics = {
    ...system(run),
    total_time: length / S,
    total_active_time: busy / S,
    total_active_time_percent: busy / length,
    neuroncore_cycle_count: Math.floor((length * DEVICE.hz) / S),
    ...engines(instructions, length),
    ...dma(run),
    ...work(instructions, cores.length, length),
  };
  return Object.fromEntries(Object.entries(metrics).sort(([a], [b]) => (a < b ? -1 : 1)));
}
