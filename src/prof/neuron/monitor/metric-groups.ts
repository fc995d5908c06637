/** Selection of metric groups and processes, with the terms of the monitor's own configuration. */
import { nearest, UsageError } from '../../../record/errors.js';

/** Metric groups of neuron-monitor, in the order of its guide, with their content. */
export const MONITOR_GROUPS = {
  neuroncore_counters: 'utilisation and FLOP/s of each core',
  execution_stats: 'executions, errors and latencies of each process',
  memory_used: 'host and device memory of each process, core and model',
  neuron_runtime_vcpu_usage: 'vCPU use of each process',
  neuron_hw_counters: 'ECC events of each device',
  vcpu_usage: 'vCPU use of the instance',
  memory_info: 'memory and swap of the instance',
  instance_info: 'instance id, type, zone …',
  neuron_hardware_info: 'devices and cores of the instance',
} as const;
export type MonitorGroup = keyof typeof MONITOR_GROUPS;

/** Groups that each process has. */
export const RUNTIME_GROUPS: readonly MonitorGroup[] = [
  'neuroncore_counters',
  'execution_stats',
  'memory_used',
  'neuron_runtime_vcpu_usage',
];
/** Groups of the instance as a whole. */
export const SYSTEM_GROUPS: readonly MonitorGroup[] = ['neuron_hw_counters', 'vcpu_usage', 'memory_info'];

/** Names of the groups until 2021. */
const OLD_GROUP_NAMES: ReadonlyMap<string, MonitorGroup> = new Map([
  ['nc_counters', 'neuroncore_counters'],
  ['neuron_cores', 'neuroncore_counters'],
  ['inference_stats', 'execution_stats'],
  ['runtime_cpu_usage', 'neuron_runtime_vcpu_usage'],
  ['hw_counters', 'neuron_hw_counters'],
  ['instance_data', 'instance_info'],
]);

const isGroup = (name: string): name is MonitorGroup => Object.hasOwn(MONITOR_GROUPS, name);

/** The group of a current or old name; null for an unknown one. */
export const groupNamed = (name: string): MonitorGroup | null =>
  isGroup(name) ? name : (OLD_GROUP_NAMES.get(name) ?? null);

/** Groups of a comma-separated list. @throws UsageError naming the nearest group */
export function parseGroups(list: string): ReadonlySet<MonitorGroup> {
  const names = list.split(',').map((name) => name.trim());
  return new Set(
    names.map((name) => {
      const group = groupNamed(name);
      if (group !== null) return group;
      const near = nearest(name, [...Object.keys(MONITOR_GROUPS), ...OLD_GROUP_NAMES.keys()]);
      const hint = near === null ? `known: ${Object.keys(MONITOR_GROUPS).join(', ')}` : `did you mean ${near}?`;
      throw new UsageError(`unknown group '${name}'`, hint);
    }),
  );
}

/** For tags of processes, like the monitor's own `tag_filter`. @throws UsageError for an invalid expression */
export function parseTagFilter(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: /, '') : String(error);
    throw new UsageError(`--tag-filter takes a regular expression, not '${text}'`, reason);
  }
}

export interface ReportFilter {
  /** Default: all groups. */
  readonly groups?: ReadonlySet<MonitorGroup> | undefined;
  /** Processes whose tag matches, with their cores and models; default: all. */
  readonly tags?: RegExp | undefined;
}

export const selectsGroup = ({ groups }: ReportFilter, group: MonitorGroup): boolean => groups?.has(group) ?? true;

export const selectsTag = ({ tags }: ReportFilter, tag: string | null): boolean =>
  tags === undefined || (tag !== null && tags.test(tag));
