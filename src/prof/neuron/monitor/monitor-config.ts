/**
 * The configuration file of neuron-monitor, applied to reports that are there: which metric groups of which processes
 * they have, and how often.
 *
 * Source: the Neuron Monitor user guide, "JSON objects and fields in the configuration file". What the guide leaves open:
 * of several entries of `neuron_runtimes` that match a process each adds its groups, a group of two of them in the first's
 * period; and a member that is absent enables nothing.
 */
import { nearest, UserError } from '../../../record/errors.js';
import { isObject } from '../../../record/fields/field-types.js';
import {
  groupNamed,
  MONITOR_GROUPS,
  parseTagFilter,
  RUNTIME_GROUPS,
  SYSTEM_GROUPS,
  type MonitorGroup,
} from './metric-groups.js';
import { parsePeriod } from './monitor-period.js';

/** Metric groups with their periods in ns. */
type GroupPeriods = ReadonlyMap<MonitorGroup, number>;

interface RuntimeEntry {
  /** Null for every process. */
  readonly tags: RegExp | null;
  readonly groups: GroupPeriods;
}

/** Says how often a metric group of a process (of the system: null) is reported, in ns; null for never. */
export type PeriodOf = (group: MonitorGroup, tag: string | null) => number | null;

/** What neuron-monitor takes without a period. */
const DEFAULT_PERIOD = '5s';

type Fields = Readonly<Record<string, unknown>>;

/** Groups that are reported whatever the configuration says. */
const ALWAYS: ReadonlySet<MonitorGroup> = new Set(['instance_info', 'neuron_hardware_info']);

/**
 * Reads a configuration.
 * @param text content of the file
 * @param file its name, for messages
 * @throws UserError for a text that neuron-monitor's guide does not allow
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
    throw wrong('is no JSON', file, '--config takes a configuration file of neuron-monitor');
  }
}

/** An object with none but known members. */
function fieldsOf(value: unknown, what: string, known: readonly string[], file: string): Fields {
  if (!isObject(value)) throw wrong(`${what} is no object`, file);
  const stray = Object.keys(value).find((name) => !known.includes(name));
  if (stray === undefined) return value;
  const near = nearest(stray, known);
  const hint = near === null ? `known: ${known.join(', ')}` : `did you mean ${near}?`;
  throw wrong(`${what} has the unknown member '${stray}'`, file, hint);
}

function listOf(value: unknown, what: string, file: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value as readonly unknown[];
  throw wrong(`${what} is no list`, file);
}

function groupsOf(
  value: unknown,
  what: string,
  known: readonly MonitorGroup[],
  period: unknown,
  file: string,
): GroupPeriods {
  return new Map(
    listOf(value, what, file).map((one) => {
      const fields = fieldsOf(one, `an entry of ${what}`, ['type', 'period'], file);
      return [groupOf(fields['type'], what, known, file), periodOf(fields['period'] ?? period, file)];
    }),
  );
}

function groupOf(type: unknown, what: string, known: readonly MonitorGroup[], file: string): MonitorGroup {
  if (typeof type !== 'string') throw wrong(`an entry of ${what} has no type`, file);
  const group = groupNamed(type);
  if (group !== null && known.includes(group)) return group;
  if (group !== null) throw wrong(`${type} is no group of ${what}`, file, `groups there: ${known.join(', ')}`);
  const near = nearest(type, Object.keys(MONITOR_GROUPS));
  const hint = near === null ? `known: ${known.join(', ')}` : `did you mean ${near}?`;
  throw wrong(`unknown group '${type}' in ${what}`, file, hint);
}

function tagFilterOf(value: unknown, file: string): RegExp | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw wrong('tag_filter is no text', file);
  try {
    return parseTagFilter(value);
  } catch {
    throw wrong(`tag_filter is no regular expression: '${value}'`, file);
  }
}

function periodOf(value: unknown, file: string): number {
  const period = typeof value === 'string' ? parsePeriod(value) : null;
  if (period !== null) return period;
  throw wrong(`${JSON.stringify(value)} is no period`, file, "as in '1s' or '500ms'");
}
