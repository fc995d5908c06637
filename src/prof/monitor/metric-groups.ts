/** Which parts of a report are wanted: metric groups and processes, chosen as in the monitor's own configuration. */
import { nearest, UsageError } from '../../record/errors.js';

/** Metric groups of neuron-monitor, in the order of its guide, and what each tells. */
export const GROUPS = {
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
export type Group = keyof typeof GROUPS;

/** Names that the groups had until 2021. */
export const OLD_NAMES: Readonly<Record<string, Group>> = {
  nc_counters: 'neuroncore_counters',
  neuron_cores: 'neuroncore_counters',
  inference_stats: 'execution_stats',
  runtime_cpu_usage: 'neuron_runtime_vcpu_usage',
  hw_counters: 'neuron_hw_counters',
  instance_data: 'instance_info',
};

const isGroup = (name: string): name is Group => Object.hasOwn(GROUPS, name);

/** The group of that name, old names included; null for one that is not known. */
export const groupNamed = (name: string): Group | null =>
  isGroup(name) ? name : Object.hasOwn(OLD_NAMES, name) ? (OLD_NAMES[name] ?? null) : null;

/**
 * Groups of a comma-separated list.
 * @throws UsageError naming the nearest group
 */
export function parseGroups(list: string): ReadonlySet<Group> {
  const names = list.split(',').map((name) => name.trim());
  return new Set(
    names.map((name) => {
      const group = groupNamed(name);
      if (group !== null) return group;
      const near = nearest(name, [...Object.keys(GROUPS), ...Object.keys(OLD_NAMES)]);
      const hint = near === null ? `known: ${Object.keys(GROUPS).join(', ')}` : `did you mean ${near}?`;
      throw new UsageError(`unknown group '${name}'`, hint);
    }),
  );
}

/**
 * A regular expression that tags of processes must match somewhere, as the monitor's own `tag_filter`.
 * @throws UsageError for a text that is none
 */
export function parseTagFilter(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: /, '') : String(error);
    throw new UsageError(`--tag-filter takes a regular expression, not '${text}'`, reason);
  }
}

/** What of a report is wanted. */
export interface Wanted {
  /** All groups when not given. */
  readonly groups?: ReadonlySet<Group> | undefined;
  /** Processes of every tag when not given; cores, models and processes of others are left out. */
  readonly tags?: RegExp | undefined;
}

export const isWantedGroup = ({ groups }: Wanted, group: Group): boolean => groups?.has(group) ?? true;

export const isWantedTag = ({ tags }: Wanted, tag: string | null): boolean =>
  tags === undefined || (tag !== null && tags.test(tag));
