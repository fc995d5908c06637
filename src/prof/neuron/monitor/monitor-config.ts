/**
 * Applies a configuration file of neuron-monitor to existing reports: which metric groups are kept for which processes,
 * and how often.
 *
 * Source: the Neuron Monitor user guide, "JSON objects and fields in the configuration file". The guide is not explicit
 * about two cases. If several entries of `neuron_runtimes` match a process, each adds its groups, and a group in two
 * entries has the period of the first. An absent member enables nothing.
 */
import { nearest, UserError, UsageError } from '../../../record/errors.js';
import { isObject } from '../../../record/fields/field-types.js';

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
const SYSTEM_GROUPS: readonly MonitorGroup[] = ['neuron_hw_counters', 'vcpu_usage', 'memory_info'];

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

/** The group with a current or old name; null for an unknown one. */
export const groupNamed = (name: string): MonitorGroup | null =>
  isGroup(name) ? name : (OLD_GROUP_NAMES.get(name) ?? null);

/**
 * Groups of a comma-separated list.
 * @throws UsageError naming the nearest group
 */
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

/**
 * Pattern for tags of processes, like the monitor's own `tag_filter`.
 * @throws UsageError for an invalid expression
 */
export function parseTagFilter(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: /, '') : String(error);
    throw new UsageError(`--tag-filter takes a regular expression, not '${text}'`, reason);
  }
}

export interface ReportFilter {
  /** All groups when absent. */
  readonly groups?: ReadonlySet<MonitorGroup> | undefined;
  /** Processes whose tag matches, with their cores and models; all when absent. */
  readonly tags?: RegExp | undefined;
}

/** Selection of metric groups and processes, with the terms of the monitor's own configuration. */
export const selectsGroup = ({ groups }: ReportFilter, group: MonitorGroup): boolean => groups?.has(group) ?? true;

export const selectsTag = ({ tags }: ReportFilter, tag: string | null): boolean =>
  tags === undefined || (tag !== null && tags.test(tag));

/** Periods as in neuron-monitor's configuration: `1s`, `500ms`, `1m30s`. */
const NS = { ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 } as const;

const PART = /(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h)/g;
const FORM = /^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h)){1,4}$/;

/** Longest period: a year. */
const LONGEST = 366 * 24 * NS.h;

/** Nanoseconds of a period; null for 0 and for anything that is not a period. */
export function parsePeriod(text: string): number | null {
  if (!FORM.test(text)) return null;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(PART)) sum += Math.round(Number(amount) * NS[unit as keyof typeof NS]);
  return sum > 0 && sum <= LONGEST ? sum : null;
}

/** Metric groups with their periods in ns. */
type GroupPeriods = ReadonlyMap<MonitorGroup, number>;

interface RuntimeEntry {
  /** Null for all processes. */
  readonly tags: RegExp | null;
  readonly groups: GroupPeriods;
}

/** Returns how often a metric group of a process (null for the system) is reported, in ns; null for never. */
export type PeriodOf = (group: MonitorGroup, tag: string | null) => number | null;

/** Default period of neuron-monitor. */
const DEFAULT_PERIOD = '5s';

type Fields = Readonly<Record<string, unknown>>;

/** Groups that are always reported, whatever the configuration. */
const ALWAYS: ReadonlySet<MonitorGroup> = new Set(['instance_info', 'neuron_hardware_info']);

/**
 * Reads a configuration.
 * @param text content of the file
 * @param file its name, for messages
 * @throws UserError for a string that neuron-monitor's guide does not allow
 */
export function parseMonitorConfig(text: string, file: string): PeriodOf {
  const root = fieldsOf(parsed(text, file), 'the configuration', ['period', 'neuron_runtimes', 'system_metrics'], file);
  const period = root['period'] ?? DEFAULT_PERIOD;
  const runtimes = listOf(root['neuron_runtimes'], 'neuron_runtimes', file).map((entry): RuntimeEntry => {
    const fields = fieldsOf(entry, 'an entry of neuron_runtimes', ['tag_filter', 'metrics', 'period'], file);
    return {
      tags: tagFilterOf(fields['tag_filter'], file),
      groups: groupsOf(fields['metrics'], 'metrics', RUNTIME_GROUPS, fields['period'] ?? period, file),
    };
  });
  const system = groupsOf(root['system_metrics'], 'system_metrics', SYSTEM_GROUPS, period, file);
  const periods = [...runtimes.map(({ groups }) => groups), system].flatMap((groups) => [...groups.values()]);
  const least = periods.sort((a, b) => a - b)[0] ?? periodOf(period, file);
  return (group, tag) => {
    if (ALWAYS.has(group)) return least;
    if (!RUNTIME_GROUPS.includes(group)) return system.get(group) ?? null;
    const entry = runtimes.find(({ tags, groups }) => groups.has(group) && (tags === null || tags.test(tag ?? '')));
    return entry?.groups.get(group) ?? null;
  };
}

const wrong = (what: string, file: string, hint = "as in neuron-monitor's guide"): UserError =>
  new UserError(what, { where: file, hint });

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw wrong('is not JSON', file, '--config takes a configuration file of neuron-monitor');
  }
}

/** An object with known members only. */
function fieldsOf(value: unknown, what: string, known: readonly string[], file: string): Fields {
  if (!isObject(value)) throw wrong(`${what} is not an object`, file);
  const stray = Object.keys(value).find((name) => !known.includes(name));
  if (stray === undefined) return value;
  const near = nearest(stray, known);
  const hint = near === null ? `known: ${known.join(', ')}` : `did you mean ${near}?`;
  throw wrong(`${what} has the unknown member '${stray}'`, file, hint);
}

function listOf(value: unknown, what: string, file: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value as readonly unknown[];
  throw wrong(`${what} is not a list`, file);
}

function groupsOf(
  value: unknown,
  what: string,
  known: readonly MonitorGroup[],
  period: unknown,
  file: string,
): GroupPeriods {
  return new Map(
    listOf(value, what, file).map((entry) => {
      const fields = fieldsOf(entry, `an entry of ${what}`, ['type', 'period'], file);
      return [groupOf(fields['type'], what, known, file), periodOf(fields['period'] ?? period, file)];
    }),
  );
}

function groupOf(type: unknown, what: string, known: readonly MonitorGroup[], file: string): MonitorGroup {
  if (typeof type !== 'string') throw wrong(`an entry of ${what} has no type`, file);
  const group = groupNamed(type);
  if (group !== null && known.includes(group)) return group;
  if (group !== null) throw wrong(`${type} is not a group of ${what}`, file, `groups there: ${known.join(', ')}`);
  const near = nearest(type, Object.keys(MONITOR_GROUPS));
  const hint = near === null ? `known: ${known.join(', ')}` : `did you mean ${near}?`;
  throw wrong(`unknown group '${type}' in ${what}`, file, hint);
}

function tagFilterOf(value: unknown, file: string): RegExp | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw wrong('tag_filter is not a string', file);
  try {
    return parseTagFilter(value);
  } catch {
    throw wrong(`tag_filter is not a regular expression: '${value}'`, file);
  }
}

function periodOf(value: unknown, file: string): number {
  const period = typeof value === 'string' ? parsePeriod(value) : null;
  if (period !== null) return period;
  throw wrong(`${JSON.stringify(value)} is not a period`, file, "as in '1s' or '500ms'");
}
