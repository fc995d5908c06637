/** `dprof summary --vendor-metrics` on a screen, and how one metric was computed. */
import { append, elementAt } from '../../containers/element.js';
import { METRIC_GROUPS } from '../../prof/neuron/metric.js';
import { noteOf, quantityOf } from '../../prof/neuron/metric-analysis.js';
import { digits, inVendorUnit, scaled, type MetricQuantity } from '../../prof/neuron/quantity.js';
import type { MetricRow, MetricSummary } from '../../prof/neuron/metric-summary.js';
import { UNKNOWN } from '../../record/units.js';
import { aligned } from '../../write/cell-text.js';
import { screenText } from './layout.js';

export interface MetricsShown {
  /** Whether to compare with what the vendor's tool reported. */
  readonly check: boolean;
  /** Whether to use the vendor's units instead of ours. */
  readonly vendor: boolean;
  /** Whether warnings are left out. */
  readonly quiet: boolean;
  /** Characters in a line; null where nothing limits it. */
  readonly width: number | null;
  /** Patterns of the metrics to show; null to show all metrics in groups. */
  readonly metrics: readonly string[] | null;
}

/** The difference of two values: `1.2e-05`, `-`. */
const differenceText = (difference: number | null): string =>
  difference === null ? '-' : difference === 0 ? '0' : difference.toExponential(1);

const headingOf = ({ profile, file, format, rank, node, computed }: MetricSummary): string =>
  [
    `# profile ${profile}: ${file} (${format}${rank === null ? '' : `, rank ${rank}`}${node === null ? '' : `, ${node}`})`,
    computed ? '' : ": values of the vendor's tool; there are no records to compute them from",
  ].join('');

function cellsOf(row: MetricRow, shown: MetricsShown): string[] {
  const people = shown.vendor ? inVendorUnit : scaled;
  const text = (value: number | string | null): string => {
    if (value === null) return UNKNOWN;
    return typeof value === 'string' ? value : digits(quantityOf(row, value, people).value);
  };
  // Compared values share one unit: that of our value, if there is one.
  const base = typeof row.value === 'number' ? row.value : row.check?.reported;
  const quantity = quantityOf(row, typeof base === 'number' ? base : 0, people);
  const inSame = (value: number | string | null): string =>
    typeof value === 'number' && typeof base === 'number' && base !== 0
      ? digits((value / base) * quantity.value)
      : text(value);
  const unit = quantity.unit === '' ? '-' : quantity.unit;
  if (typeof row.value === 'string' && !shown.check) return [row.name, row.value];
  const checked = shown.check
    ? [inSame(row.check?.reported ?? null), differenceText(row.check?.difference ?? null)]
    : [];
  return [row.name, text(row.value), unit, ...checked, noteOf(row, shown.check)];
}

/** A group whose values are all unknown for the same reason takes one line. */
function linesOf(rows: readonly MetricRow[], shown: MetricsShown): string[][] {
  const [first] = rows;
  const isBlank = rows.length > 1 && rows.every(({ value, why }) => value === null && why === first?.why);
  if (isBlank && !shown.check && shown.metrics === null) return [[`${UNKNOWN}: ${first?.why ?? ''}`]];
  return rows.map((row) => cellsOf(row, shown));
}

/** One line for each metric; then what limits the program, and hints. */
export function metricsScreen(summary: MetricSummary, shown: MetricsShown): string {
  const { rows, bound, warnings } = summary;
  const groups = [...new Set(rows.map(({ group }) => group))];
  const blocks = groups.map((group) =>
    linesOf(
      rows.filter((row) => row.group === group),
      shown,
    ),
  );
  const head = ['metric', 'value', 'unit', ...(shown.check ? ['reported', 'difference'] : []), ''];
  const lines = aligned([head, ...blocks.flat()], new Set([1, ...(shown.check ? [3, 4] : [])]));
  const text = [headingOf(summary), ...lines.splice(0, 1)];
  groups.forEach((group, i) => {
    if (shown.metrics === null) text.push('', `## ${METRIC_GROUPS[group]}`);
    append(text, lines.splice(0, elementAt(blocks, i).length));
  });
  // When metrics are selected, nothing else is shown.
  if (shown.metrics !== null) return screenText(text, undefined, shown.width);
  if (bound !== null) text.push('', bound.text);
  if (!shown.quiet && warnings.length > 0) {
    text.push('', '## Warnings');
    append(text, aligned(warnings.map(({ rule, text: words }) => [rule, words])));
  }
  return screenText(text, undefined, shown.width);
}

export function explanation(summary: MetricSummary, row: MetricRow, shown: MetricsShown): string {
  const quantityText = ({ value, unit }: MetricQuantity): string => `${digits(value)} ${unit}`.trimEnd();
  const people = shown.vendor ? inVendorUnit : scaled;
  const value =
    row.value === null
      ? `${UNKNOWN}: ${row.why ?? ''}`
      : typeof row.value === 'string'
        ? row.value
        : quantityText(quantityOf(row, row.value, people));
  const inputs = row.inputs.map(({ name, amount, unit }) => {
    if (typeof amount === 'object') return [`  ${name}`, UNKNOWN, amount.unknown];
    if (typeof amount === 'string') return [`  ${name}`, amount];
    const isRate = unit === 'FLOP/s' || unit === 'bytes/s' || unit === 'Hz';
    return [`  ${name}`, quantityText(isRate ? { value: amount, unit } : people(amount, unit))];
  });
  const { check } = row;
  const reported = check?.reported ?? null;
  const checked =
    check === null || reported === null
      ? []
      : [
          `reported: ${typeof reported === 'number' ? quantityText(quantityOf(row, reported, people)) : reported}, difference ${differenceText(check.difference)}${check.why === '' ? '' : `: ${check.why}`}`,
        ];
  const lines = [
    headingOf(summary),
    `${row.name}: ${value}`,
    row.doc ?? 'not a known metric',
    row.formula === null ? "source: the vendor's summary" : `formula: ${row.formula}`,
    ...(inputs.length > 0 ? ['inputs:', ...aligned(inputs)] : []),
    ...(row.intervals === null ? [] : [`from ${row.intervals} intervals`]),
    ...(row.leavesOut === null ? [] : [`without ${row.leavesOut}`]),
    ...checked,
    ...(row.own ? ["not a metric of the vendor's tool"] : []),
  ];
  return screenText(lines, undefined, shown.width);
}
