/**
 * A report of neuron-monitor as rows: one for each core, process, device and the system, with values by name.
 *
 * Names of values are the monitor's own, with a prefix for values of one kind: `status.completed`, `total_latency.p50`.
 */
import type { Labels } from '../../../record/record.js';

/** Scopes of rows, in the order of rows. */
export const SCOPES = {
  core: 'a core that a process uses',
  physical: 'a physical core behind a logical one (Trainium2)',
  runtime: 'a process',
  model: 'a part of a model, on the core that holds it',
  device: 'a device',
  system: 'the whole instance',
  vcpu: 'one vCPU of the instance',
  instance: 'properties of the instance',
  hardware: 'properties of its devices',
} as const;
export type RowScope = keyof typeof SCOPES;

export const DEFAULT_SCOPES: readonly RowScope[] = ['core', 'runtime', 'device', 'system'];

/** A model that a process has loaded. */
export interface LoadedModel {
  readonly name: string | null;
  readonly uuid: string | null;
  /** Id that the process assigned. */
  readonly id: number | null;
  readonly isRunning: boolean | null;
}

export interface MonitorRow {
  readonly scope: RowScope;
  readonly pid: number | null;
  /** The user's tag of the process, or its pid when it has no tag. */
  readonly tag: string | null;
  readonly device: number | null;
  readonly core: number | null;
  /** Physical core, vCPU, or a model and its part. */
  readonly name: string | null;
  /** Only for rows of models. */
  readonly model: LoadedModel | null;
  /** Period of the values in ns; null when unknown. */
  readonly dur: number | null;
  /** Values by name; null if the monitor had no value. */
  readonly values: ReadonlyMap<string, number | null>;
  /** Period of each value in ns, by name; metric groups of one report may have different periods. */
  readonly periods: ReadonlyMap<string, number>;
  /**
   * Errors that the monitor reports, prefixed with the group. Errors of a process are in its row, all others in the
   * system's row.
   */
  readonly errors: readonly string[];
}

/** A row without values. */
export const NO_ROW: MonitorRow = {
  scope: 'system',
  pid: null,
  tag: null,
  device: null,
  core: null,
  name: null,
  model: null,
  dur: null,
  values: new Map(),
  periods: new Map(),
  errors: [],
};

/** An error that the monitor reports for a metric group or a process. */
export interface MonitorError {
  /** `execution_stats of process 1337`. */
  readonly where: string;
  readonly text: string;
}

export interface MonitorReport {
  /** Number of the report in its input, from 1; null when unknown. */
  readonly number: number | null;
  /** Start of its period in ns since the start of the first report; null when unknown. */
  readonly start: number | null;
  /** Unix time at which it was made, in ms; null when unknown. */
  readonly unixMs: number | null;
  /** Facts about the instance and the hardware, by the monitor's names. */
  readonly facts: Labels;
  readonly rows: readonly MonitorRow[];
  readonly errors: readonly MonitorError[];
}

/** The known values with a prefix, by the rest of their names. */
export function under({ values }: MonitorRow, prefix: string): [name: string, value: number][] {
  const found: [string, number][] = [];
  for (const [key, value] of values) {
    if (value !== null && key.startsWith(prefix)) found.push([key.slice(prefix.length), value]);
  }
  return found;
}

/** The value with a name; null when unknown. */
export const valueOf = ({ values }: MonitorRow, key: string): number | null => values.get(key) ?? null;

/** Sum of all values with a prefix; null when there are none, or one of them is unknown. */
export function sumUnder({ values }: MonitorRow, prefix: string): number | null {
  const parts = [...values].filter(([key]) => key.startsWith(prefix)).map(([, value]) => value);
  if (parts.length === 0) return null;
  return parts.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);
}

export const processOf = ({ pid, tag }: MonitorRow): string => JSON.stringify([pid, tag]);

/** Tags that several processes share, so that only the pid distinguishes the processes. */
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
