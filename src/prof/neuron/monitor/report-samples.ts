/** Turns records into the samples of each report, and these into its rows. */
import { entryOf } from '../../../containers/map-entry.js';
import { elementAt } from '../../../containers/element.js';
import type { Labels, ProfileLine, SampleRecord } from '../../../record/record.js';
import { groupNamed, selectsGroup, selectsTag, type ReportFilter } from './monitor-config.js';
import { FACT_GROUPS, FACT_SCOPES, targetOf, type SampleTarget } from './sample-targets.js';
import {
  NO_ROW,
  processOf,
  SCOPES,
  type LoadedModel,
  type MonitorError,
  type MonitorReport,
  type MonitorRow,
  type RowScope,
} from './monitor-report.js';

/** Samples with the same report number, and the start of their profile. */
export interface ReportSamples {
  readonly samples: readonly SampleRecord[];
  /** Unix time of the profile's start in ns, as decimal text; null when unknown. */
  readonly startUnixNs: string | null;
}

type MutableRow = Omit<MonitorRow, 'values' | 'periods' | 'errors'> & {
  readonly values: Map<string, number | null>;
  readonly periods: Map<string, number>;
  readonly errors: string[];
};

/** The number in a field; null for anything else, because records may have been edited. */
export const numberOr = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** A label as text; null when there is none. */
export function labelText({ labels }: SampleRecord, name: string): string | null {
  const value: unknown = labels?.[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

function labelNumber({ labels }: SampleRecord, name: string): number | null {
  const value: unknown = labels?.[name];
  return typeof value === 'number' ? value : null;
}

/** Old monitors number processes instead of tagging them. */
export const tagOf = (sample: SampleRecord): string | null =>
  labelText(sample, 'tag') ?? labelText(sample, 'runtime') ?? labelText(sample, 'pid');

export const reportNumber = (sample: SampleRecord): number | null => labelNumber(sample, 'report');

/** Splits a record stream into the samples of each report. Holds the samples of one report at a time. */
export class ReportSplitter {
  readonly #starts = new Map<number, string | null>();
  #samples: SampleRecord[] = [];
  count = 0;

  /**
   * Takes the next record, and returns the previous report when this record completes it. Skips samples outside of reports.
   */
  take(record: ProfileLine): ReportSamples | null {
    if (record.type === 'end') return this.end();
    if (record.type === 'profile') {
      const done = this.end();
      this.#starts.set(record.profile, record.startUnixNs);
      return done;
    }
    if (record.type !== 'sample') return null;
    const number = reportNumber(record);
    if (number === null) return null;
    const last = this.#samples.at(-1);
    const isNext = last !== undefined && (last.profile !== record.profile || reportNumber(last) !== number);
    const done = isNext ? this.end() : null;
    this.#samples.push(record);
    return done;
  }

  /** The report whose samples came last; null when there is none. */
  end(): ReportSamples | null {
    const [first] = this.#samples;
    if (first === undefined) return null;
    const samples = this.#samples;
    this.#samples = [];
    this.count++;
    return { samples, startUnixNs: this.#starts.get(first.profile) ?? null };
  }
}

/** Builds the report from its samples, with the parts that the filter selects. */
export function reportOf({ samples, startUnixNs }: ReportSamples, wanted: ReportFilter): MonitorReport {
  const first = samples[0];
  const start = numberOr(first?.start);
  const dur = shortest(samples);
  const kept = samples.filter((sample) => tagOf(sample) === null || selectsTag(wanted, tagOf(sample)));
  // All facts, because rows of other groups need the number of cores of a device.
  const allFacts = factsOf(samples);
  const facts = Object.fromEntries(Object.entries(allFacts).filter(([name]) => isWantedFact(wanted, name)));
  const errors = errorsOf(kept, wanted);
  return {
    number: first === undefined ? null : reportNumber(first),
    start,
    unixMs: unixMs(startUnixNs, start, dur),
    facts,
    rows: [...rowsOf(kept, errors, wanted, allFacts['neuroncore_per_device_count']), ...factRows(facts)],
    errors: errors.map(({ where, text }) => ({ where, text })),
  };
}

const isWantedFact = (wanted: ReportFilter, name: string): boolean => {
  const group = FACT_GROUPS.get(name);
  return group !== undefined && selectsGroup(wanted, group);
};

/** The report's own period: metric groups with longer periods span several reports. */
export const shortest = (samples: readonly SampleRecord[]): number | null =>
  samples.reduce<number | null>((least, { dur }) => {
    return typeof dur === 'number' && dur > 0 && (least === null || dur < least) ? dur : least;
  }, null);

/** A report is made at the end of its period. */
function unixMs(startUnixNs: string | null, start: number | null, dur: number | null): number | null {
  if (startUnixNs === null || start === null || !/^\d{1,20}$/.test(startUnixNs)) return null;
  const end = dur === null ? start : start + dur;
  return Number((BigInt(startUnixNs) + BigInt(Math.round(end))) / 1_000_000n);
}

function factsOf(samples: readonly SampleRecord[]): Record<string, string | number> {
  const facts: Record<string, string | number> = {};
  for (const { metric, value, text } of samples) {
    if (!FACT_GROUPS.has(metric)) continue;
    const fact: unknown = text ?? value;
    if (typeof fact === 'string' || typeof fact === 'number') facts[metric] = fact;
  }
  return facts;
}

/** A row for the instance and one for its hardware, if anything is known about them. */
const factRows = (facts: Labels): MonitorRow[] =>
  [...FACT_SCOPES]
    .filter(([, group]) => Object.keys(facts).some((name) => FACT_GROUPS.get(name) === group))
    .map(([scope]) => ({ ...NO_ROW, scope }));

interface SampledError extends MonitorError {
  readonly sample: SampleRecord;
  /** The group, or another subject: `execution_stats`, `process`, `report`. */
  readonly what: string;
}

function errorsOf(samples: readonly SampleRecord[], wanted: ReportFilter): SampledError[] {
  return samples.flatMap((sample) => {
    const { metric, text } = sample;
    if (metric !== 'error' || text === undefined || text === '') return [];
    const group = labelText(sample, 'group');
    const known = group === null ? null : groupNamed(group);
    if (known !== null && !selectsGroup(wanted, known)) return [];
    const tag = tagOf(sample);
    const what = known ?? (tag !== null ? 'process' : group === null || group === '' ? 'report' : group);
    const where = tag === null ? what : `${what}${known === null ? '' : ' of process'} ${tag}`;
    return [{ where, what, text, sample }];
  });
}

const SCOPE_ORDER = Object.keys(SCOPES);

function rowsOf(
  samples: readonly SampleRecord[],
  errors: readonly SampledError[],
  wanted: ReportFilter,
  coresPerDevice: unknown,
): MonitorRow[] {
  const models = modelsOf(samples);
  const rows = new Map<string, MutableRow>();
  const processes = new Set<string>();
  const rowFor = (sample: SampleRecord, scope: RowScope): MutableRow => {
    const row = rowOf(sample, scope, models, coresPerDevice);
    const identity = JSON.stringify([row.scope, row.pid, row.tag, row.core, row.device, row.name]);
    processes.add(processOf(row));
    return entryOf(rows, identity, () => row);
  };
  for (const sample of samples) {
    const target = targetOf(sample.metric);
    if (target === null || !selectsGroup(wanted, target.group)) continue;
    const key = keyOf(target, sample);
    if (key === null) continue;
    const { values, periods } = rowFor(sample, target.scope);
    values.set(key, numberOr(sample.value));
    const period = numberOr(sample.dur);
    if (period !== null && period > 0) periods.set(key, period);
  }
  // Errors come after the values, so that they are added to the rows of the values. An error without values gets its
  // own row.
  for (const { sample, what, text } of errors) {
    rowFor(sample, tagOf(sample) === null ? 'system' : 'runtime').errors.push(`${what}: ${text}`);
  }
  const order = [...processes.keys()];
  // Rows without a process come last; unknown cores and devices count as number 0.
  const sortKeys = (row: MonitorRow): number[] => [
    row.tag === null ? order.length : order.indexOf(processOf(row)),
    SCOPE_ORDER.indexOf(row.scope),
    row.core ?? 0,
    row.device ?? 0,
  ];
  const keyed = [...rows.values()].map((row) => ({ row, keys: sortKeys(row) }));
  return keyed.sort((a, b) => compareKeys(a.keys, b.keys)).map(({ row }) => row);
}

function compareKeys(a: readonly number[], b: readonly number[]): number {
  const differing = a.findIndex((key, i) => key !== b[i]);
  return differing === -1 ? 0 : elementAt(a, differing) - elementAt(b, differing);
}

/** The value's name; null when a label that it needs is missing, as for percentiles while nothing runs. */
function keyOf({ key }: SampleTarget, sample: SampleRecord): string | null {
  const labels = [...key.matchAll(/\{(\w+)\}/g)].map(([, label = '']) => label);
  if (labels.some((label) => labelText(sample, label) === null)) return null;
  return key.replace(/\{(\w+)\}/g, (_, label: string) => String(labelText(sample, label)));
}

function rowOf(
  sample: SampleRecord,
  scope: RowScope,
  models: ReadonlyMap<string, LoadedModel>,
  coresPerDevice: unknown,
): MutableRow {
  const core = scope === 'runtime' ? null : labelNumber(sample, 'core');
  const device = labelNumber(sample, 'device') ?? deviceOf(core, coresPerDevice);
  const model = scope === 'model' ? (models.get(modelOf(sample)) ?? null) : null;
  return {
    scope,
    pid: labelNumber(sample, 'pid'),
    tag: tagOf(sample),
    device,
    core,
    name: nameOf(sample, scope, model),
    model,
    dur: numberOr(sample.dur),
    values: new Map(),
    periods: new Map(),
    errors: [],
  };
}

/** Device of a core: cores are numbered across all devices of an instance. */
const deviceOf = (core: number | null, coresPerDevice: unknown): number | null =>
  core !== null && typeof coresPerDevice === 'number' && coresPerDevice > 0 ? Math.floor(core / coresPerDevice) : null;

const modelOf = (sample: SampleRecord): string => JSON.stringify([tagOf(sample), labelText(sample, 'model')]);

/** The models of each process, by the labels that identify them. */
function modelsOf(samples: readonly SampleRecord[]): ReadonlyMap<string, LoadedModel> {
  const models = new Map<string, LoadedModel>();
  for (const sample of samples) {
    if (labelText(sample, 'model') === null) continue;
    const before = models.get(modelOf(sample));
    const { metric, text = null, value } = sample;
    models.set(modelOf(sample), {
      name: (metric === 'loaded_models.name' ? text : before?.name) ?? null,
      uuid: labelText(sample, 'uuid'),
      id: labelNumber(sample, 'modelId'),
      isRunning: (metric === 'loaded_models.is_running' && value !== null ? value !== 0 : before?.isRunning) ?? null,
    });
  }
  return models;
}

/** Name of a row; for a model `name:subgraph`, as in the monitor's older reports. */
function nameOf(sample: SampleRecord, scope: RowScope, model: LoadedModel | null): string | null {
  if (scope === 'physical') return labelText(sample, 'physical');
  if (scope === 'vcpu') return labelText(sample, 'cpu');
  if (scope !== 'model') return null;
  const name = model?.name ?? model?.uuid ?? labelText(sample, 'model');
  const subgraph = labelText(sample, 'subgraph');
  return subgraph === null ? name : `${name ?? ''}:${subgraph}`;
}
