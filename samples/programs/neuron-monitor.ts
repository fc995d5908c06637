/**
 * Four neuron-monitor reports, made up: a Trainium2 with two programs, the names that the monitor has today, and
 * between them a line that is no report, as a log that several write to has them.
 */

const GIB = 2 ** 30;
const MIB = 2 ** 20;

type Fields = Readonly<Record<string, unknown>>;

/** A group of metrics: how long it was collected, and what went wrong. */
const group = (fields: Fields, error = ''): Fields => ({ period: 5.000173, error, ...fields });

/** Two physical cores stand behind each logical one. */
const core = (utilization: number, index: number, flops: number): Fields => ({
  neuroncore_utilization: utilization,
  effective_flops: flops,
  v3d: {
    [`nc_v3.${2 * index}`]: { neuroncore_utilization: Math.round(utilization * 96) / 100 },
    [`nc_v3.${2 * index + 1}`]: { neuroncore_utilization: Math.round(utilization * 104) / 100 },
  },
});

const latency = (scale: number): Fields =>
  Object.fromEntries(
    Object.entries({ p0: 91, p1: 92, p25: 97, p50: 100, p75: 104, p99: 131, p100: 188 }).map(([percentile, share]) => [
      percentile,
      Math.round(scale * share * 10) / 1e6,
    ]),
  );

interface RuntimeOf {
  readonly pid: number;
  readonly tag: string;
  readonly cores: Readonly<Record<string, Fields>>;
  readonly completed: number;
  readonly seconds: number | null;
  readonly numerical?: number;
  readonly error?: string;
}

const runtime = ({ pid, tag, cores, completed, seconds, numerical = 0, error = '' }: RuntimeOf): Fields => {
  const used = Object.fromEntries(
    Object.keys(cores).map((index) => [
      index,
      {
        constants: 196 * MIB,
        model_code: 84 * MIB,
        model_shared_scratchpad: 512 * MIB,
        runtime_memory: 12_288,
        tensors: 3 * GIB,
      },
    ]),
  );
  const device = Object.keys(cores).length * (792 * MIB + 3 * GIB + 12_288);
  const stats = seconds === null ? null : latency(seconds * 1000);
  return {
    pid,
    neuron_runtime_tag: tag,
    error,
    report: {
      neuroncore_counters: group({ neuroncores_in_use: cores }),
      execution_stats: group({
        error_summary: { generic: 0, numerical, transient: 0, model: 0, runtime: 0, hardware: 0 },
        execution_summary: {
          completed,
          completed_with_err: 0,
          completed_with_num_err: numerical,
          timed_out: 0,
          incorrect_input: 0,
          failed_to_queue: 0,
        },
        latency_stats: { total_latency: stats, device_latency: stats },
      }),
      memory_used: group({
        loaded_models: [],
        neuron_runtime_used_bytes: {
          host: 610 * MIB,
          neuron_device: device,
          usage_breakdown: {
            host: { application_memory: 580 * MIB, constants: 0, dma_buffers: 30 * MIB, tensors: 0 },
            neuroncore_memory_usage: used,
          },
        },
      }),
      neuron_runtime_vcpu_usage: group({ vcpu_usage: { user: 41.5, system: 6.25 } }),
    },
  };
};

interface SystemOf {
  readonly corrected: number;
  readonly user: number;
}

const system = ({ corrected, user }: SystemOf): Fields => ({
  memory_info: group({
    memory_total_bytes: 2048 * GIB,
    memory_used_bytes: 173 * GIB,
    swap_total_bytes: 0,
    swap_used_bytes: 0,
  }),
  neuron_hw_counters: group({
    neuron_devices: [0, 1].map((index) => ({
      neuron_device_index: index,
      mem_ecc_corrected: index === 0 ? corrected : 0,
      mem_ecc_uncorrected: 0,
      sram_ecc_uncorrected: 0,
      sram_ecc_corrected: 0,
    })),
  }),
  vcpu_usage: group({
    average_usage: { user, nice: 0, system: 2.5, idle: 97.5 - user, io_wait: 0, irq: 0, soft_irq: 0 },
    context_switch_count: 81_250,
  }),
});

const report = (runtimes: readonly Fields[], of: SystemOf): string =>
  JSON.stringify({
    neuron_runtime_data: runtimes,
    system_data: system(of),
    instance_info: {
      instance_name: 'sample',
      instance_id: 'i-00000000000000000',
      instance_type: 'trn2.48xlarge',
      instance_availability_zone: 'xx-sample-1a',
      instance_region: 'xx-sample-1',
      error: '',
    },
    neuron_hardware_info: {
      neuron_device_type: 'trainium2',
      neuron_device_version: 'v4',
      neuroncore_version: 'v3d',
      neuron_device_count: 16,
      neuron_device_memory_size: 96 * GIB,
      neuroncore_per_device_count: 4,
      logical_neuroncore_config: 2,
      error: '',
    },
  });

const training = (utilization: number, completed: number, more: Partial<RuntimeOf> = {}): Fields =>
  runtime({
    pid: 4101,
    tag: 'train-a',
    cores: { 0: core(utilization, 0, 61.2e12), 1: core(utilization - 3.5, 1, 58.9e12) },
    completed,
    seconds: 0.0421,
    ...more,
  });

const serving = (completed: number, more: Partial<RuntimeOf> = {}): Fields =>
  runtime({
    pid: 4102,
    tag: 'serve-b',
    cores: { 4: core(Math.round(completed * 8) / 100, 4, completed * 5e9) },
    completed,
    seconds: completed === 0 ? null : 0.0088,
    ...more,
  });

const LINES: readonly string[] = [
  report([training(87.25, 118), serving(212)], { corrected: 0, user: 31.25 }),
  report([training(88.5, 119), serving(0)], { corrected: 0, user: 30 }),
  // Cut off when somebody rotated the log.
  report([training(88.5, 119)], { corrected: 0, user: 30 }).slice(0, 190),
  report([training(42.75, 57, { numerical: 2 }), serving(96, { error: 'unable to collect: timed out' })], {
    corrected: 3,
    user: 24.5,
  }),
  report([training(89, 120), serving(230)], { corrected: 3, user: 31.75 }),
];

export const neuronMonitor = (): Buffer => Buffer.from(LINES.map((line) => `${line}\n`).join(''));
