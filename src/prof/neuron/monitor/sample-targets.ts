/** Metric group, row scope and value name for each metric of neuron-monitor's samples. */
import type { MonitorGroup } from './monitor-config.js';
import type { RowScope } from './monitor-report.js';

/**
 * How values of consecutive periods are combined. Counts are added, shares and rates are averaged over time, latencies
 * keep only the minimum and the maximum, and usage keeps the last value.
 */
export type Combination = 'sum' | 'mean' | 'extremes' | 'last';

export interface SampleTarget {
  readonly group: MonitorGroup;
  readonly scope: RowScope;
  /** Name of the value, in which `{x}` is replaced by the sample's label x. */
  readonly key: string;
  readonly combination: Combination;
}

/** Combination for most metrics, by group. */
const COMBINATIONS: Readonly<Record<MonitorGroup, Combination>> = {
  neuroncore_counters: 'mean',
  execution_stats: 'sum',
  memory_used: 'last',
  neuron_runtime_vcpu_usage: 'mean',
  neuron_hw_counters: 'sum',
  vcpu_usage: 'mean',
  memory_info: 'last',
  instance_info: 'last',
  neuron_hardware_info: 'last',
};

const place = (
  group: MonitorGroup,
  scope: RowScope,
  key: string,
  combination: Combination = COMBINATIONS[group],
): SampleTarget => ({ group, scope, key, combination });

const SAMPLE_TARGETS: Readonly<Record<string, SampleTarget>> = {
  neuroncore_utilization: place('neuroncore_counters', 'core', 'neuroncore_utilization'),
  flops: place('neuroncore_counters', 'core', 'flops'),
  // The newer name of the same metric.
  effective_flops: place('neuroncore_counters', 'core', 'flops'),
  'v3d.neuroncore_utilization': place('neuroncore_counters', 'physical', 'neuroncore_utilization'),

  error_summary: place('execution_stats', 'runtime', 'error.{kind}'),
  execution_summary: place('execution_stats', 'runtime', 'status.{kind}'),
  'latency_stats.total_latency': place('execution_stats', 'runtime', 'total_latency.{percentile}', 'extremes'),
  'latency_stats.device_latency': place('execution_stats', 'runtime', 'device_latency.{percentile}', 'extremes'),

  neuron_runtime_used_bytes: place('memory_used', 'runtime', 'used.{location}'),
  usage_breakdown: place('memory_used', 'runtime', '{location}.{kind}'),
  neuroncore_memory_usage: place('memory_used', 'core', 'memory.{kind}'),
  'loaded_models.memory_used_bytes': place('memory_used', 'model', 'used.{location}'),
  'loaded_models.usage_breakdown': place('memory_used', 'model', '{location}.{kind}'),

  neuron_runtime_vcpu_usage: place('neuron_runtime_vcpu_usage', 'runtime', 'vcpu.{kind}'),

  mem_ecc_corrected: place('neuron_hw_counters', 'device', 'ecc.mem_ecc_corrected'),
  mem_ecc_uncorrected: place('neuron_hw_counters', 'device', 'ecc.mem_ecc_uncorrected'),
  sram_ecc_corrected: place('neuron_hw_counters', 'device', 'ecc.sram_ecc_corrected'),
  sram_ecc_uncorrected: place('neuron_hw_counters', 'device', 'ecc.sram_ecc_uncorrected'),

  'vcpu_usage.average_usage': place('vcpu_usage', 'system', 'vcpu.{kind}'),
  'vcpu_usage.usage_data': place('vcpu_usage', 'vcpu', 'vcpu.{kind}'),
  context_switch_count: place('vcpu_usage', 'system', 'context_switch_count', 'sum'),

  memory_total_bytes: place('memory_info', 'system', 'memory_total_bytes'),
  memory_used_bytes: place('memory_info', 'system', 'memory_used_bytes'),
  swap_total_bytes: place('memory_info', 'system', 'swap_total_bytes'),
  swap_used_bytes: place('memory_info', 'system', 'swap_used_bytes'),
};

/** The target of a metric; null for one that is not a value of a row. */
export const targetOf = (metric: string): SampleTarget | null =>
  (Object.hasOwn(SAMPLE_TARGETS, metric) ? SAMPLE_TARGETS[metric] : undefined) ?? null;

/** Facts about the hardware, in the order of labels. */
export const HARDWARE_FACTS = [
  'neuron_device_count',
  'neuroncore_per_device_count',
  'neuron_device_type',
  'neuron_device_version',
  'neuroncore_version',
  'neuron_device_memory_size',
  'logical_neuroncore_config',
];

const INSTANCE_FACTS = [
  ...['instance_name', 'instance_id', 'instance_type', 'instance_availability_zone', 'instance_availability_zone_id'],
  ...['instance_region', 'ami_id', 'subnet_id'],
];

/** Groups of the metrics that are facts about the instance and its hardware. */
export const FACT_GROUPS: ReadonlyMap<string, MonitorGroup> = new Map([
  ...INSTANCE_FACTS.map((name) => [name, 'instance_info'] as const),
  ...HARDWARE_FACTS.map((name) => [name, 'neuron_hardware_info'] as const),
]);

/** Scopes of rows with facts. */
export const FACT_SCOPES: ReadonlyMap<RowScope, MonitorGroup> = new Map([
  ['instance', 'instance_info'],
  ['hardware', 'neuron_hardware_info'],
]);
