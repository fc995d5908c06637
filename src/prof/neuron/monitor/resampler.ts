/**
 * Turns reports into reports with longer periods, as neuron-monitor would have written them: one whenever a metric
 * group is due, with the groups that are due.
 *
 * Reports are never split. A period ends with the report whose end is nearest, so that periods keep their average
 * length. Holds the values of one period.
 */
import { entryOf } from '../../../containers/map-entry.js';
import { orNull } from '../../../containers/numeric-column.js';
import type { SampleRecord } from '../../../record/record.js';
import { groupNamed, RUNTIME_GROUPS, type MonitorGroup, type PeriodOf } from './monitor-config.js';
import { labelText, numberOr, reportNumber, shortest, tagOf, type ReportSamples } from './report-samples.js';
import { FACT_GROUPS, targetOf, type Combination } from './sample-targets.js';

/** Values of the groups with one period, since they were last due. */
interface Window {
  /** Start of its first report; null when unknown. */
  readonly start: number | null;
  readonly sums: Map<string, Combined>;
  /** For metrics of usage, the samples of the last report that has the group of the process. */
  readonly lasts: Map<string, { report: number | null; samples: SampleRecord[] }>;
}

/** Combined values of one series. */
interface Combined {
  readonly sample: SampleRecord;
  /** Sum of the periods; NaN when one is unknown. */
  dur: number;
  /** NaN when unknown. */
  value: number;
  /** Weight of the values in a mean: their total time, or their number. */
  weight: number;
}

export class Resampler {
  /** Time of the reports so far, in ns. */
  #now = 0;
  #reports = 0;
  /** When the groups of each period are due next. */
  readonly #due = new Map<number, number>();
  readonly #windows = new Map<number, Window>();
  #origin: Pick<ReportSamples, 'startUnixNs'> | null = null;

  constructor(private readonly periodOf: PeriodOf) {}

  /** Takes a report; returns the one that ends with it, if any group is due. */
  take(report: ReportSamples): ReportSamples | null {
    this.#origin = report;
    const start = numberOr(report.samples[0]?.start);
    for (const sample of report.samples) this.#sample(sample, start);
    const dur = shortest(report.samples);
    if (dur === null) return this.end();
    this.#now += dur;
    const due = [...this.#windows.keys()].filter((period) => this.#isDue(period, dur / 2));
    return this.#report(due);
  }

  /** The values of periods that have not ended; null when there are none. */
  end(): ReportSamples | null {
    return this.#report([...this.#windows.keys()]);
  }

  #isDue(period: number, tolerance: number): boolean {
    const due = this.#due.get(period) ?? period;
    const reached = this.#now + tolerance;
    if (reached < due) return false;
    this.#due.set(period, due + period * (1 + Math.floor((reached - due) / period)));
    return true;
  }

  #sample(sample: SampleRecord, start: number | null): void {
    const tag = tagOf(sample);
    const group = groupsOf(sample).find((candidate) => this.periodOf(candidate, tag) !== null);
    const period = group === undefined ? null : this.periodOf(group, tag);
    if (group === undefined || period === null) return;
    const window = entryOf(this.#windows, period, () => ({ start, sums: new Map(), lasts: new Map() }));
    const combination = targetOf(sample.metric)?.combination ?? 'last';
    if (combination === 'last') keepLast(window, sample, group);
    else combine(window, sample, combination);
  }

  #report(periods: readonly number[]): ReportSamples | null {
    const windows = periods.flatMap((period) => this.#windows.get(period) ?? []);
    for (const period of periods) this.#windows.delete(period);
    if (windows.length === 0) return null;
    const report = ++this.#reports;
    // The time of a report is that of its shortest period.
    const start = windows.reduce<number | null>((latest, window) => larger(latest, window.start), null);
    const samples = windows.flatMap(samplesOf).map((sample) => ({
      ...sample,
      start,
      labels: { ...sample.labels, report },
    }));
    return { samples, startUnixNs: this.#origin?.startUnixNs ?? null };
  }
}

const larger = (a: number | null, b: number | null): number | null => (a === null || (b !== null && b > a) ? b : a);

/** The metric group of a sample; for an error of a whole process, all groups of processes. */
function groupsOf(sample: SampleRecord): readonly MonitorGroup[] {
  const { metric } = sample;
  if (metric.startsWith('loaded_models.')) return ['memory_used'];
  const named = metric === 'error' ? groupNamed(labelText(sample, 'group') ?? '') : null;
  const group = named ?? targetOf(metric)?.group ?? FACT_GROUPS.get(metric);
  if (group !== undefined) return [group];
  return metric === 'error' && tagOf(sample) !== null ? RUNTIME_GROUPS : [];
}

function keepLast({ lasts }: Window, sample: SampleRecord, group: MonitorGroup): void {
  // All distinct errors of a period are kept.
  const what = sample.metric === 'error' ? (sample.text ?? '') : group;
  const report = reportNumber(sample);
  const last = entryOf(lasts, JSON.stringify([what, tagOf(sample), sample.metric === 'error']), () => ({
    report,
    samples: [],
  }));
  if (last.report !== report) Object.assign(last, { report, samples: [] });
  last.samples.push(sample);
}

function combine({ sums }: Window, sample: SampleRecord, combination: Exclude<Combination, 'last'>): void {
  const { metric, labels } = sample;
  const key = JSON.stringify([metric, Object.entries({ ...labels, report: 0 }).sort(([a], [b]) => (a < b ? -1 : 1))]);
  const value = numberOr(sample.value) ?? NaN;
  const dur = numberOr(sample.dur) ?? NaN;
  const before = sums.get(key);
  const weight = Number.isNaN(value) ? 0 : Number.isNaN(dur) ? 1 : dur;
  if (before === undefined) sums.set(key, { sample, dur, value, weight });
  else {
    before.value = COMBINE[combination](before, value, weight, labelText(sample, 'percentile'));
    before.dur += dur;
    before.weight += weight;
  }
}

type Combine = (before: Combined, value: number, weight: number, percentile: string | null) => number;

const COMBINE: Readonly<Record<Exclude<Combination, 'last'>, Combine>> = {
  sum: (before, value) => before.value + value,
  // Unknown values are left out of a mean. Percentiles are unknown while nothing runs.
  mean: (before, value, weight) => {
    if (weight === 0) return before.value;
    if (before.weight === 0) return value;
    return before.value + (value - before.value) * (weight / (before.weight + weight));
  },
  extremes: (before, value, weight, percentile) => {
    if (weight === 0) return before.value;
    if (before.weight === 0) return value;
    if (percentile === 'p0') return Math.min(before.value, value);
    return percentile === 'p100' ? Math.max(before.value, value) : NaN;
  },
};

const samplesOf = ({ sums, lasts }: Window): SampleRecord[] => [
  ...[...sums.values()].map(({ sample, dur, value }) => ({ ...sample, dur: orNull(dur), value: orNull(value) })),
  ...[...lasts.values()].flatMap(({ samples }) => samples),
];
