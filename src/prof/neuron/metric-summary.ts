/** Turns records into summaries: metrics, bound and warnings of every profile. One pass; memory as in `metric-sums.ts`. */
import { plural } from '../../record/plural.js';
import { amountText } from '../../record/units.js';
import { entryOf } from '../../containers/map-entry.js';
import type { ProfileLine, ProfileRecord } from '../../record/record.js';
import { boundOf, type ProgramBound } from './flops.js';
import {
  isMachineRate,
  isUnknown,
  MACHINE_RATES,
  withMachine,
  type Metric,
  type MetricAmount,
  type MetricSums,
  type MetricUnit,
  type MeasuredTime,
} from './metric.js';
import { byGroup, metricsOf, textOf, type MetricText } from './metrics/metrics.js';
import { isOfNeuronDevice } from './machine.js';
import { ProfileSums } from './metric-sums.js';
import type { ReportedMetric } from './sums/stated-values.js';
import { fromVendor } from './quantity.js';
import { warningsOf, type MetricWarning } from './warnings.js';
import { PS_PER_NS } from '../../containers/interval-union.js';

/** Comparison of a computed metric with the value that the vendor's tool reported, and the reason for a difference. */
export interface MetricComparison {
  /** In the unit of the metric; null when it was not reported. */
  readonly reported: number | string | null;
  /** (ours - reported) / reported; null when undefined. */
  readonly difference: number | null;
  /** Why the values differ or cannot be compared; '' when they agree. */
  readonly why: string;
}

/** Maximum relative difference of two values that agree. */
const SAME = 1e-4;

/** @returns null when the profile has no reported metrics */
export function compareWithReport(
  metric: Metric,
  amount: MetricAmount,
  sums: MetricSums,
  report: ReportedMetric | null,
): MetricComparison | null {
  if (sums.reported.size === 0) return null;
  const value = report === null ? null : report.value;
  if (value === null)
    return {
      reported: null,
      difference: null,
      why: metric.own === true ? "not a metric of the vendor's tool" : 'not reported',
    };
  const reported = typeof value === 'number' ? fromVendor(value, metric.unit) : value;
  if (isUnknown(amount)) {
    const why = metric.differs === undefined ? amount.unknown : `${amount.unknown}; ${metric.differs}`;
    return { reported, difference: null, why };
  }
  if (typeof amount === 'string' || typeof reported === 'string') {
    return { reported, difference: null, why: String(amount) === String(reported) ? '' : 'the texts differ' };
  }
  const difference = amount === reported ? 0 : reported === 0 ? null : (amount - reported) / reported;
  const agrees = difference !== null && Math.abs(difference) <= SAME;
  return { reported, difference, why: agrees ? '' : reason(metric, sums, difference) };
}

/** Largest relative error due to whole nanoseconds. */
const roundingOf = (measured: readonly MeasuredTime[]): number =>
  measured.reduce((sum, { ps, lost }) => sum + (ps > 0 ? lost / ps : 0), 0);

function reason(metric: Metric, sums: MetricSums, difference: number | null): string {
  const measured = sums.exact > 0 || metric.measured === undefined ? [] : metric.measured(sums);
  const [first] = measured;
  if (difference !== null && first !== undefined && Math.abs(difference) <= roundingOf(measured)) {
    const { lost, intervals } = first;
    return `the JSON has whole nanoseconds: up to ${amountText(lost / PS_PER_NS, 'time')} are lost in ${intervals} intervals`;
  }
  return metric.differs ?? 'not explained';
}

/** The inputs of a metric. */
interface FormulaInput {
  readonly name: string;
  readonly amount: MetricAmount;
  readonly unit: MetricUnit | 'FLOP/s' | 'bytes/s' | 'Hz';
}

/** One metric of one profile. Values: times in picoseconds, shares as fractions of 1 (`quantity.ts`). */
export interface MetricRow extends Pick<Metric, 'name' | 'group' | 'unit'> {
  /** Reported unit of a metric that is not in our table. */
  readonly otherUnit: string | null;
  readonly value: number | string | null;
  readonly why: string | null;
  /** The part of the profile that a value belongs to; null for the whole profile, and if unknown. */
  readonly of: string | null;
  readonly own: boolean;
  readonly doc: string | null;
  readonly formula: string | null;
  readonly inputs: readonly FormulaInput[];
  /** What the vendor's definition excludes; null when it excludes nothing. */
  readonly leavesOut: string | null;
  /** Number of intervals in its times; null when there are none. */
  readonly intervals: number | null;
  /** Comparison with the value that the vendor's tool reported. */
  readonly check: MetricComparison | null;
}

export interface MetricSummary {
  readonly profile: number;
  readonly file: string;
  readonly format: string;
  readonly rank: number | null;
  /** Name of the node in a file with several summaries. */
  readonly node: string | null;
  readonly uuid: string | null;
  /** Whether the values were computed from records; otherwise they were reported by the vendor's tool. */
  readonly computed: boolean;
  readonly rows: readonly MetricRow[];
  readonly bound: ProgramBound | null;
  readonly warnings: readonly MetricWarning[];
}

/** Whether a profile is of a Neuron device or program. */
const isNeuron = ({ profile, instructions, reported, statedValues }: ProfileSums): boolean =>
  profile?.format !== 'neuron-monitor' &&
  (instructions > 0 ||
    reported.size > 0 ||
    statedValues.kept.length > 0 ||
    profile?.format === 'neff' ||
    (profile !== null && isOfNeuronDevice(profile)));

export class MetricSummaries {
  readonly #profiles = new Map<number, ProfileSums>();

  /** Formats of the profiles of other devices. */
  get others(): string[] {
    return [...this.#profiles.values()].filter((sums) => !isNeuron(sums)).map(({ profile }) => profile?.format ?? 'na');
  }

  take(record: ProfileLine): void {
    entryOf(this.#profiles, record.profile, () => new ProfileSums()).take(record);
  }

  /** Summaries of the profiles of Neuron devices, in order. */
  get all(): MetricSummary[] {
    const neuron = [...this.#profiles].sort(([a], [b]) => a - b).filter(([, sums]) => isNeuron(sums));
    return neuron.flatMap(([profile, sums]) => {
      const ran = sums.instructions > 0 || sums.packets.count > 0;
      return ran || sums.reported.size === 0
        ? [computed(profile, withMachine(sums))]
        : reportedSummaries(profile, sums);
    });
  }
}

const heading = (profile: number, record: ProfileRecord | null) => ({
  profile,
  file: record?.file ?? 'na',
  format: record?.format ?? 'na',
  rank: record?.rank ?? null,
  uuid: typeof record?.facts?.['uuid'] === 'string' ? record.facts['uuid'] : null,
});

function computed(profile: number, sums: MetricSums): MetricSummary {
  const metrics = metricsOf(sums);
  const reported = sums.reported.get('') ?? new Map<string, ReportedMetric>();
  const rows = metrics.map((metric) => rowOf(metric, metrics, sums, reported));
  const known = new Set(metrics.map(({ name }) => name));
  const unexplained = [...reported].filter(([name]) => !known.has(name));
  return {
    ...heading(profile, sums.profile),
    node: null,
    computed: true,
    rows: [...rows, ...unexplained.map(([name, value]) => unknownRow(name, value)), ...statedRows(sums)].sort(byGroup),
    bound: boundOf(sums),
    warnings: warningsOf(sums, metrics),
  };
}

function rowOf(
  metric: Metric,
  metrics: readonly Metric[],
  sums: MetricSums,
  reported: ReadonlyMap<string, ReportedMetric>,
): MetricRow {
  const { name, group, unit, doc, formula } = metric;
  const amount = metric.of(sums);
  return {
    name,
    group,
    unit,
    otherUnit: null,
    value: isUnknown(amount) ? null : amount,
    why: isUnknown(amount) ? amount.unknown : null,
    of: null,
    own: metric.own === true,
    doc,
    formula,
    inputs: inputsOf(metric, metrics, sums),
    leavesOut: metric.ofPackets === true ? leftOutText(sums) : null,
    intervals: metric.measured?.(sums)[0]?.intervals ?? null,
    check: compareWithReport(metric, amount, sums, reported.get(name) ?? null),
  };
}

/** Values of a metric's inputs. */
function inputsOf({ inputs = [] }: Metric, metrics: readonly Metric[], sums: MetricSums): FormulaInput[] {
  return inputs.flatMap((name): FormulaInput[] => {
    if (isMachineRate(name)) {
      const { unit, key } = MACHINE_RATES[name];
      return [{ name, amount: sums.machine[key] ?? { unknown: 'not in the capture' }, unit }];
    }
    return metrics
      .filter((metric) => metric.name === name)
      .map(({ of: amountOf, unit }) => ({ name, amount: amountOf(sums), unit }));
  });
}

function leftOutText({ leftOut, unevenQueues }: MetricSums): string | null {
  if (leftOut.count === 0) return null;
  const what = `${leftOut.count} ${plural(leftOut.count, 'packet')} of ${unevenQueues} ${plural(unevenQueues, 'queue')}, ${amountText(leftOut.bytes, 'transfer')}`;
  return `${what}: the vendor's tool leaves out all packets of a queue if one of them was in flight when the execution began or ended; the records include them`;
}

/** A metric that the vendor reports but our table does not have. */
const unknownRow = (name: string, reported: ReportedMetric): MetricRow => ({
  ...reportedRow(name, reported, null),
  value: null,
  why: 'reported, but not a known metric',
  check: { reported: reported.value, difference: null, why: 'not computed' },
});

/** Rows with our own names, which the vendor's summary does not have. */
function statedRows({ statedValues: { kept, leftOut } }: ProfileSums): MetricRow[] {
  const rows = kept.map((stated): MetricRow => ({
    ...reportedRow(stated.name, stated, textOf(stated.metric)),
    ...{ group: 'other', of: stated.of, own: true },
  }));
  if (leftOut === 0) return rows;
  const rest = reportedRow('stated_values_left_out', { value: leftOut, unit: 'count' }, null);
  return [...rows, { ...rest, own: true, of: 'more values of cores and annotations (the records include them)' }];
}

/** Summaries without records: the reported metrics, in our order and units. */
function reportedSummaries(profile: number, sums: ProfileSums): MetricSummary[] {
  const { profile: record, reported } = sums;
  // Values of cores and annotations belong to the whole file, and are shown with its first node.
  return [...reported].map(([node, metrics], at) => ({
    ...heading(profile, record),
    node: node === '' ? null : node,
    computed: false,
    rows: [
      ...[...metrics].map(([name, value]) => reportedRow(name, value, textOf(name))),
      ...(at === 0 ? statedRows(sums) : []),
    ].sort(byGroup),
    bound: null,
    warnings: [],
  }));
}

function reportedRow(name: string, { value, unit }: ReportedMetric, text: MetricText | null): MetricRow {
  const ours = typeof value === 'number' && text !== null ? fromVendor(value, text.unit) : value;
  return {
    name,
    group: text?.group ?? 'other',
    unit: typeof value === 'string' ? 'text' : (text?.unit ?? 'count'),
    otherUnit: text === null ? (unit ?? '') : null,
    value: ours,
    why: value === null ? 'reported without a value' : null,
    of: null,
    own: text?.own === true,
    doc: text?.doc ?? null,
    formula: null,
    inputs: [],
    leavesOut: null,
    intervals: null,
    check: null,
  };
}
