/** The samples of one report → its rows. */
import type { SampleRecord } from '../../record/record.js';
import { groupNamed, isWantedGroup, isWantedTag, type Wanted } from './metric-groups.js';
import { FACTS, PLACES, type SamplePlace } from './metric-rows.js';
import {
  processOf,
  SCOPES,
  type MonitorError,
  type MonitorReport,
  type MonitorRow,
  type Scope,
} from './monitor-report.js';

/** Samples with one report number, and when their profile started. */
export interface ReportSamples {
  readonly samples: readonly SampleRecord[];
  /** Unix time of the profile's start in ns, as decimal text; null when it is not told. */
  readonly startUnixNs: string | null;
}

type Mutable = Omit<MonitorRow, 'values'> & { readonly values: Map<string, number | null> };

/** Records may have been edited: a field may be anything. */
const numberOr = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** A label as text; null where there is none. */
function labelText({ labels }: SampleRecord, name: string): string | null {
  const value: unknown = labels?.[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

function labelNumber({ labels }: SampleRecord, name: string): number | null {
  const value: unknown = labels?.[name];
  return typeof value === 'number' ? value : null;
}

/** Old monitors number processes instead of tagging them. */
const tagOf = (sample: SampleRecord): string | null =>
  labelText(sample, 'tag') ?? labelText(sample, 'runtime') ?? labelText(sample, 'pid');

const isOfProcess = (sample: SampleRecord): boolean => tagOf(sample) !== null;

/** The number of the report that a sample is of. */
export const reportNumber = (sample: SampleRecord): number | null => labelNumber(sample, 'report');

/** The report that samples tell of, with the parts that are wanted. */
export function reportOf({ samples, startUnixNs }: ReportSamples, wanted: Wanted): MonitorReport {
  const first = samples[0];
  const start = numberOr(first?.start);
  const dur = shortest(samples);
  const kept = samples.filter((sample) => !isOfProcess(sample) || isWantedTag(wanted, tagOf(sample)));
  // What tells devices and instance apart is needed for rows of other groups, too.
  const facts = factsOf(samples);
  return {
    number: first === undefined ? null : reportNumber(first),
    start,
    unixMs: unixMs(startUnixNs, start, dur),
    facts: Object.fromEntries(Object.entries(facts).filter(([name]) => isWantedFact(wanted, name))),
    rows: rowsOf(kept, wanted, facts['neuroncore_per_device_count']),
    errors: errorsOf(kept, wanted),
  };
}

const isWantedFact = (wanted: Wanted, name: string): boolean => {
  const group = FACTS[name];
  return group !== undefined && isWantedGroup(wanted, group);
};

/** Groups that are collected more rarely cover more than one report. */
const shortest = (samples: readonly SampleRecord[]): number | null =>
  samples.reduce<number | null>((least, { dur }) => {
    return typeof dur === 'number' && dur > 0 && (least === null || dur < least) ? dur : least;
  }, null);

/** A report is made at the end of its period. */
function unixMs(startUnixNs: string | null, start: number | null, dur: number | null): number | null {
  if (startUnixNs === null || start === null || !/^\d{1,20}$/.test(startUnixNs)) return null;
  return Number((BigInt(startUnixNs) + BigInt(Math.round(start + (dur ?? 0)))) / 1_000_000n);
}

function factsOf(samples: readonly SampleRecord[]): Record<string, string | number> {
  const facts: Record<string, string | number> = {};
  for (const { metric, value, text } of samples) {
    if (!Object.hasOwn(FACTS, metric)) continue;
    const fact: unknown = text ?? value;
    if (typeof fact === 'string' || typeof fact === 'number') facts[metric] = fact;
  }
  return facts;
}

function errorsOf(samples: readonly SampleRecord[], wanted: Wanted): MonitorError[] {
  return samples.flatMap((sample) => {
    const { metric, text } = sample;
    if (metric !== 'error' || text === undefined || text === '') return [];
    const group = labelText(sample, 'group') ?? '';
    const known = groupNamed(group);
    if (known !== null && !isWantedGroup(wanted, known)) return [];
    const tag = tagOf(sample);
    const what = known ?? (tag === null ? group || 'report' : 'process');
    return [{ where: tag === null ? what : `${what}${known === null ? '' : ' of process'} ${tag}`, text }];
  });
}

const SCOPE_ORDER = new Map(Object.keys(SCOPES).map((scope, i) => [scope as Scope, i]));

function rowsOf(samples: readonly SampleRecord[], wanted: Wanted, coresPerDevice: unknown): MonitorRow[] {
  const models = modelNames(samples);
  const rows = new Map<string, Mutable>();
  const processes = new Map<string, number>();
  for (const sample of samples) {
    const place = Object.hasOwn(PLACES, sample.metric) ? PLACES[sample.metric] : undefined;
    if (place === undefined || !isWantedGroup(wanted, place.group)) continue;
    const key = keyOf(place, sample);
    if (key === null) continue;
    const row = rowOf(sample, place.scope, models, coresPerDevice);
    const identity = JSON.stringify([row.scope, row.pid, row.tag, row.core, row.device, row.name]);
    const found = rows.get(identity) ?? row;
    rows.set(identity, found);
    found.values.set(key, numberOr(sample.value));
    if (!processes.has(processOf(row))) processes.set(processOf(row), processes.size);
  }
  const ordinal = (row: MonitorRow): number =>
    row.tag === null ? processes.size : (processes.get(processOf(row)) ?? 0);
  const order = ({ scope }: MonitorRow): number => SCOPE_ORDER.get(scope) ?? 0;
  return [...rows.values()].sort(
    (a, b) =>
      ordinal(a) - ordinal(b) ||
      order(a) - order(b) ||
      (a.core ?? 0) - (b.core ?? 0) ||
      (a.device ?? 0) - (b.device ?? 0),
  );
}

/** The value's name; null where a label that it needs is missing, as for percentiles while nothing runs. */
function keyOf({ key }: SamplePlace, sample: SampleRecord): string | null {
  const needed = [...key.matchAll(/\{(\w+)\}/g)].map(([, label = '']) => label);
  if (needed.some((label) => labelText(sample, label) === null)) return null;
  return key.replace(/\{(\w+)\}/g, (_, label: string) => labelText(sample, label) ?? '');
}

function rowOf(
  sample: SampleRecord,
  scope: Scope,
  models: ReadonlyMap<string, string>,
  coresPerDevice: unknown,
): Mutable {
  const core = scope === 'runtime' ? null : labelNumber(sample, 'core');
  const device = labelNumber(sample, 'device') ?? deviceOf(core, coresPerDevice);
  return {
    scope,
    pid: labelNumber(sample, 'pid'),
    tag: tagOf(sample),
    device,
    core,
    name: nameOf(sample, scope, models),
    dur: numberOr(sample.dur),
    values: new Map(),
  };
}

/** Cores are numbered through all devices of an instance. */
const deviceOf = (core: number | null, coresPerDevice: unknown): number | null =>
  core !== null && typeof coresPerDevice === 'number' && coresPerDevice > 0 ? Math.floor(core / coresPerDevice) : null;

const modelOf = (sample: SampleRecord): string => `${tagOf(sample) ?? ''} ${labelText(sample, 'model') ?? ''}`;

const modelNames = (samples: readonly SampleRecord[]): ReadonlyMap<string, string> =>
  new Map(
    samples.flatMap((sample) =>
      sample.metric === 'loaded_models.name' && sample.text !== undefined ? [[modelOf(sample), sample.text]] : [],
    ),
  );

/** Of a model, `name:subgraph`, as the monitor itself once wrote it. */
function nameOf(sample: SampleRecord, scope: Scope, models: ReadonlyMap<string, string>): string | null {
  if (scope === 'physical') return labelText(sample, 'physical');
  if (scope === 'vcpu') return labelText(sample, 'cpu');
  if (scope !== 'model') return null;
  const name = models.get(modelOf(sample)) ?? labelText(sample, 'uuid') ?? labelText(sample, 'model');
  const subgraph = labelText(sample, 'subgraph');
  return subgraph === null ? name : `${name ?? ''}:${subgraph}`;
}
