/**
 * One report of neuron-monitor as rows: one for each core, process, device and the system, its values by name.
 *
 * Names of values are the monitor's own, of several of a kind behind a prefix: `status.completed`, `total_latency.p50`.
 */
import type { Labels } from '../../record/record.js';

/** What a row can be about, in the order of rows. */
export const SCOPES = {
  core: 'a core that a process uses',
  physical: 'a physical core behind a logical one (Trainium2)',
  runtime: 'a process',
  model: 'a part of a model on the core it is loaded on',
  device: 'a device',
  system: 'the whole instance',
  vcpu: 'one vCPU of the instance',
} as const;
export type Scope = keyof typeof SCOPES;

/** The rows a report shows when it is not asked for others. */
export const DEFAULT_SCOPES: readonly Scope[] = ['core', 'runtime', 'device', 'system'];

export interface MonitorRow {
  readonly scope: Scope;
  readonly pid: number | null;
  /** What the user tagged the process with; its pid where there was no tag. */
  readonly tag: string | null;
  readonly device: number | null;
  readonly core: number | null;
  /** Physical core, vCPU, or a model and its part. */
  readonly name: string | null;
  /** Time that the values cover, in ns; null when it is not told. */
  readonly dur: number | null;
  /** Null: the monitor had no value. */
  readonly values: ReadonlyMap<string, number | null>;
}

/** What a group or a process could not tell, and why. */
export interface MonitorError {
  /** `execution_stats of 1337`. */
  readonly where: string;
  readonly text: string;
}

export interface MonitorReport {
  /** Number of the report in its input, from 1; null when it is not told. */
  readonly number: number | null;
  /** Begin of its period since the first report's, in ns; null when it is not told. */
  readonly start: number | null;
  /** Unix time at which it was made, in ms; null when it is not told. */
  readonly unixMs: number | null;
  /** What the monitor says of the instance and of the hardware, in its words. */
  readonly facts: Labels;
  readonly rows: readonly MonitorRow[];
  readonly errors: readonly MonitorError[];
}

/** The known values behind a prefix, by the rest of their name. */
export function under({ values }: MonitorRow, prefix: string): [name: string, value: number][] {
  const found: [string, number][] = [];
  for (const [key, value] of values) {
    if (value !== null && key.startsWith(prefix)) found.push([key.slice(prefix.length), value]);
  }
  return found;
}

/** The value of that name; null when it is not known. */
export const valueOf = ({ values }: MonitorRow, key: string): number | null => values.get(key) ?? null;

/** Sum of all values behind a prefix; null when none is told, or one of them is not known. */
export function sumUnder({ values }: MonitorRow, prefix: string): number | null {
  let sum: number | null = null;
  for (const [key, value] of values) {
    if (!key.startsWith(prefix)) continue;
    if (value === null) return null;
    sum = (sum ?? 0) + value;
  }
  return sum;
}

export const processOf = ({ pid, tag }: MonitorRow): string => `${pid ?? ''} ${tag ?? ''}`;

/** Tags that several processes have: only their pids tell them apart. */
export function sharedTags(rows: readonly MonitorRow[]): ReadonlySet<string> {
  const first = new Map<string, number | null>();
  const shared = new Set<string>();
  for (const { tag, pid } of rows) {
    if (tag === null) continue;
    if (!first.has(tag)) first.set(tag, pid);
    else if (first.get(tag) !== pid) shared.add(tag);
  }
  return shared;
}
