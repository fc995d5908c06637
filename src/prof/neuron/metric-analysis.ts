/** The analysis of `dprof summary --vendor-metrics`: the metrics of the vendor's profiler, computed from records. */
import { lineOnly } from '../limits.js';
import { nearest, UsageError, UserError } from '../../record/errors.js';
import type { ProfileLine } from '../../record/record.js';
import { wildcardTest } from '../query/wildcards.js';
import { noProfile, type Analysis, type Answer } from '../analysis.js';
import { MetricSummaries, type MetricRow, type MetricSummary } from './metric-summary.js';
import { METRIC_TEXTS } from './metrics/metrics.js';
import { column, knownColumn, int, real, str, type Column } from '../../table/column.js';
import { inOurUnit, inVendorUnit, type MetricQuantity } from './quantity.js';

/** Columns of a vendor's metrics: one row per metric, with all digits. */
interface MetricLine {
  readonly summary: MetricSummary;
  readonly row: MetricRow;
}

/** A value in the unit that `convert` selects; a unit that the source names itself is kept. */
export function quantityOf(
  { unit, otherUnit }: MetricRow,
  value: number,
  convert: (value: number, unit: MetricRow['unit']) => MetricQuantity,
): MetricQuantity {
  const quantity = convert(value, unit);
  return otherUnit === null ? quantity : { value, unit: otherUnit };
}

/** A value with all its digits, in the vendor's unit or in ours. */
export function exactValue(
  row: MetricRow,
  value: MetricRow['value'],
  vendor: boolean,
): { value: MetricRow['value']; unit: string } {
  const convert = vendor ? inVendorUnit : inOurUnit;
  const { unit } = quantityOf(row, 0, convert);
  return { value: typeof value === 'number' ? quantityOf(row, value, convert).value : value, unit };
}

/** Why a value is unknown, or why it differs from what was reported. */
export const noteOf = ({ why, of: part, check }: MetricRow, isChecked: boolean): string =>
  isChecked && check !== null ? check.why : (why ?? part ?? '');

const PLACE_COLUMNS: readonly Column<MetricLine>[] = [
  knownColumn('profile', 'profile', int(7), 'number of the input, from 0', ({ summary }) => summary.profile),
  knownColumn('file', 'file', str(0), "the profile's file", ({ summary }) => summary.file),
  column('rank', 'rank', int(4), 'rank of the process', ({ summary }) => summary.rank),
  column('node', 'node', str(6), 'node of a file with several summaries', ({ summary }) => summary.node),
  knownColumn('group', 'group', str(9), 'group of metrics', ({ row }) => row.group, { vocabulary: true }),
  knownColumn('metric', 'metric', str(0), 'name', ({ row }) => row.name),
];

/** Columns of metrics, with the values that the vendor's tool reported if requested. */
const metricColumns = ({ vendor, check }: Readonly<Record<'vendor' | 'check', boolean>>): Column<MetricLine>[] => [
  ...PLACE_COLUMNS,
  column('value', 'value', real(20), 'value, in its unit', ({ row }) => exactValue(row, row.value, vendor).value),
  knownColumn('unit', 'unit', str(8), 'unit', ({ row }) => exactValue(row, row.value, vendor).unit),
  knownColumn(
    'why',
    'why',
    str(0),
    'why a value is unknown or differs; the part that it covers, if not the whole profile',
    ({ row }) => noteOf(row, check),
  ),
  ...(check ? checkColumns(vendor) : []),
];

const checkColumns = (vendor: boolean): Column<MetricLine>[] => [
  column(
    'reported',
    'reported',
    real(20),
    "value that the vendor's tool reported",
    ({ row }) => exactValue(row, row.check?.reported ?? null, vendor).value,
  ),
  column(
    'difference',
    'difference',
    real(22),
    'relative difference of the two values',
    ({ row }) => row.check?.difference ?? null,
  ),
];

export interface MetricOptions {
  /** Whether each value is shown next to the one that the vendor's tool reported. */
  readonly check: boolean;
  /** Only the vendor's metrics, in its units. */
  readonly vendor: boolean;
  /** Patterns of the requested metrics; null for all. */
  readonly metrics: readonly string[] | null;
  /** The metric to explain, instead of `metrics`. */
  readonly explain: string | undefined;
  /** Whether warnings are notes, because the vendor's own JSON has no place for them. */
  readonly warningsAsNotes: boolean;
}

export type MetricAnswer = readonly MetricSummary[];

export class MetricAnalysis implements Analysis<MetricAnswer> {
  readonly types = new Set(['profile', 'kernel', 'copy', 'collective', 'sample', 'tensor', 'notice', 'end'] as const);
  readonly #summaries = new MetricSummaries();

  constructor(private readonly options: MetricOptions) {}

  take(record: ProfileLine): void {
    this.#summaries.take(record);
  }

  /** Whether no profile has such metrics. */
  get isEmpty(): boolean {
    return this.#summaries.all.length === 0;
  }

  /** @throws UserError when no profile has such metrics, UsageError when no metric has that name */
  finish(): Answer<MetricAnswer> {
    const { all } = this.#summaries;
    if (all.length === 0) throw noMetrics(this.#summaries);
    const chosen = choose(all, this.options);
    const rows = chosen.flatMap((summary) => summary.rows.map((row): MetricLine => ({ summary, row })));
    return {
      table: { columns: metricColumns(this.options), rows },
      facts: chosen,
      notes: this.options.warningsAsNotes ? chosen.flatMap(warningLines).map(lineOnly) : [],
    };
  }
}

const warningLines = ({ warnings, profile }: MetricSummary): string[] =>
  warnings.map(({ rule, text }) => new UserError(`${rule}: ${text}`, { where: `profile ${profile}` }).line);

function noMetrics({ others }: MetricSummaries): UserError {
  const formats = [...new Set(others)];
  if (formats.includes('neuron-monitor')) return noProfile();
  const known = formats.filter((format) => format !== 'na').join(', ');
  return new UserError(`no vendor metrics in ${known === '' ? 'these records' : `a profile of ${known}`}`, {
    hint: 'supported: AWS Neuron (ntff, neff, neuron-json, neuron-summary)',
  });
}

/** Returns a test whether a name matches one of the patterns, in which * and ? are wildcards. */
const matcher = (patterns: readonly string[]): ((name: string) => boolean) => {
  const tests = patterns.map(wildcardTest);
  return (name) => tests.some((test) => test(name));
};

function choose(summaries: readonly MetricSummary[], { metrics, explain, vendor }: MetricOptions): MetricSummary[] {
  const wanted = explain === undefined ? metrics : [explain];
  const matches = wanted === null ? () => true : matcher(wanted);
  const isShown = (row: MetricRow): boolean => matches(row.name) && (explain !== undefined || !(vendor && row.own));
  const kept = summaries.map((summary) => ({ ...summary, rows: summary.rows.filter(isShown) }));
  if (wanted !== null && kept.every(({ rows }) => rows.length === 0)) throw unknownMetric(wanted, summaries);
  return kept;
}

function unknownMetric(wanted: readonly string[], summaries: readonly MetricSummary[]): UsageError {
  const names = summaries.flatMap(({ rows }) => rows.map(({ name }) => name));
  const known = [...new Set([...names, ...METRIC_TEXTS.map(({ name }) => name)])];
  const near = nearest(wanted[0] ?? '', known);
  return new UsageError(
    `no metric '${wanted.join(',')}' in this input`,
    near === null || near === wanted[0] ? 'dprof terms lists them' : `did you mean ${near}?`,
  );
}
