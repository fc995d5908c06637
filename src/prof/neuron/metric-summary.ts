/**
 * Records → summaries: for every profile of a stream all its metrics, what bounds it, and what to look at. One pass;
 * what is kept of a profile is `metric-sums.ts`.
 */
import type { ProfileLine, ProfileRecord } from '../../record/record.js';
import { boundOf, type Bound } from './bound.js';
import { isUnknown, withMachine, type Group, type Metric, type MetricUnit, type Sums } from './metric.js';
import { inputsOf, type Input } from './inputs.js';
import { inOrder, metricsOf, textOf } from './metrics.js';
import { compared, type Comparison } from './compare.js';
import { ProfileSums, type Reported } from './metric-sums.js';
import { fromVendor } from './quantity.js';
import { warningsOf, type Warning } from './warnings.js';

/** One metric of one profile. Values: times in picoseconds, shares as fractions of 1 (`quantity.ts`). */
export interface Row {
  readonly name: string;
  readonly group: Group;
  readonly unit: MetricUnit;
  /** Of a metric that is not in our table, the unit that its source tells. */
  readonly otherUnit: string | null;
  readonly value: number | string | null;
  /** Why the value is not known. */
  readonly why: string | null;
  readonly own: boolean;
  readonly doc: string | null;
  readonly formula: string | null;
  /** What the formula names, with its values. */
  readonly inputs: readonly Input[];
  /** Intervals that its times were added up from; null where there are none. */
  readonly intervals: number | null;
  /** What the vendor's tool reported, and how far the value is from it. */
  readonly check: Comparison | null;
}

export interface Summary {
  readonly profile: number;
  readonly file: string;
  readonly format: string;
  readonly rank: number | null;
  /** Of a file with the summaries of several. */
  readonly node: string | null;
  readonly uuid: string | null;
  /** Whether the values were computed from records; else they are what the vendor's tool reported. */
  readonly computed: boolean;
  readonly rows: readonly Row[];
  readonly bound: Bound | null;
  readonly warnings: readonly Warning[];
}

/** Whether a profile is one of a Neuron device, or of what ran on it. */
const isNeuron = ({ profile, instructions, reported }: ProfileSums): boolean =>
  profile?.format !== 'neuron-monitor' &&
  (instructions > 0 ||
    reported.size > 0 ||
    profile?.format === 'neff' ||
    profile?.devices.some(({ vendor }) => vendor === 'aws') === true);

export class Summaries {
  readonly #profiles = new Map<number, ProfileSums>();
  /** Formats of the profiles that are of no Neuron device. */
  get others(): string[] {
    return [...this.#profiles.values()].filter((sums) => !isNeuron(sums)).map(({ profile }) => profile?.format ?? 'na');
  }

  take(record: ProfileLine): void {
    const sums = this.#profiles.get(record.profile) ?? new ProfileSums();
    this.#profiles.set(record.profile, sums);
    sums.take(record);
  }

  /** In order of profiles; of those of a Neuron device. */
  get all(): Summary[] {
    const neuron = [...this.#profiles].sort(([a], [b]) => a - b).filter(([, sums]) => isNeuron(sums));
    return neuron.flatMap(([profile, sums]) => {
      const ran = sums.instructions > 0 || sums.packets.count > 0;
      return ran || sums.reported.size === 0 ? [computed(profile, withMachine(sums))] : told(profile, sums);
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

function computed(profile: number, sums: Sums): Summary {
  const metrics = metricsOf(sums);
  const reported = sums.reported.get('') ?? new Map<string, Reported>();
  const rows = metrics.map((metric) => rowOf(metric, metrics, sums, reported));
  const known = new Set(metrics.map(({ name }) => name));
  const unexplained = [...reported].filter(([name]) => !known.has(name));
  return {
    ...heading(profile, sums.profile),
    node: null,
    computed: true,
    rows: [...rows, ...unexplained.map(([name, value]) => unknownRow(name, value))].sort(inOrder),
    bound: boundOf(sums),
    warnings: warningsOf(sums, metrics),
  };
}

function rowOf(metric: Metric, metrics: readonly Metric[], sums: Sums, reported: ReadonlyMap<string, Reported>): Row {
  const { name, group, unit, doc, formula } = metric;
  const amount = metric.of(sums);
  return {
    name,
    group,
    unit,
    otherUnit: null,
    value: isUnknown(amount) ? null : amount,
    why: isUnknown(amount) ? amount.unknown : null,
    own: metric.own === true,
    doc,
    formula,
    inputs: inputsOf(metric, metrics, sums),
    intervals: metric.measured?.(sums)[0]?.intervals ?? null,
    check: compared(metric, amount, sums, reported.get(name) ?? null),
  };
}

const UNEXPLAINED = { doc: null, formula: null, inputs: [], intervals: null } as const;

/** A metric that the vendor reports and that is not in our table: nothing is known of it but its value. */
const unknownRow = (name: string, { value, unit }: Reported): Row => ({
  name,
  group: 'other',
  unit: typeof value === 'string' ? 'text' : 'count',
  otherUnit: unit ?? '',
  value: null,
  why: 'reported, but not in the table of metrics',
  own: false,
  ...UNEXPLAINED,
  check: { reported: value, difference: null, why: 'not computed' },
});

/** Summaries without records: what was reported, in our order and units. */
function told(profile: number, { profile: record, reported }: ProfileSums): Summary[] {
  return [...reported].map(([node, metrics]) => ({
    ...heading(profile, record),
    node: node === '' ? null : node,
    computed: false,
    rows: [...metrics].map(([name, value]) => toldRow(name, value)).sort(inOrder),
    bound: null,
    warnings: [],
  }));
}

function toldRow(name: string, { value, unit }: Reported): Row {
  const text = textOf(name);
  const ours = typeof value === 'number' && text !== null ? fromVendor(value, text.unit) : value;
  return {
    name,
    group: text?.group ?? 'other',
    unit: typeof value === 'string' ? 'text' : (text?.unit ?? 'count'),
    otherUnit: text === null ? (unit ?? '') : null,
    value: ours,
    why: value === null ? 'reported without a value' : null,
    own: text?.own === true,
    ...UNEXPLAINED,
    doc: text?.doc ?? null,
    check: null,
  };
}
