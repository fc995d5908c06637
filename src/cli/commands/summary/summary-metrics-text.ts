/** Metrics of a vendor as text, CSV and JSON. */
import { stringify } from 'csv-stringify/sync';
import { GROUPS } from '../../../prof/neuron/metric.js';
import { digits, inOurUnit, inVendorUnit, scaled, type Quantity } from '../../../prof/neuron/quantity.js';
import type { Row, Summary } from '../../../prof/neuron/metric-summary.js';
import { clean } from '../../../write/cell-text.js';
import { aligned } from '../../aligned.js';

export interface Shown {
  readonly check: boolean;
  /** The vendor's units rather than ours. */
  readonly vendor: boolean;
  /** Without warnings. */
  readonly quiet: boolean;
  /** Patterns of the metrics that are asked for; null for all, which are shown in groups. */
  readonly metrics: readonly string[] | null;
}

const UNKNOWN = 'na';

/** A value in the unit that is shown; a unit that the source told stays. */
function quantityOf(
  { unit, otherUnit }: Row,
  value: number,
  way: (value: number, unit: Row['unit']) => Quantity,
): Quantity {
  const quantity = way(value, unit);
  return otherUnit === null ? quantity : { value, unit: otherUnit };
}

const exactly = ({ vendor }: Shown) => (vendor ? inVendorUnit : inOurUnit);

/** `1.2e-05`, `-`: how far apart two values are. */
const differenceText = (difference: number | null): string =>
  difference === null ? '-' : difference === 0 ? '0' : difference.toExponential(1);

const headingOf = ({ profile, file, format, rank, node, computed }: Summary): string =>
  [
    `# profile ${profile}: ${file} (${format}${rank === null ? '' : `, rank ${rank}`}${node === null ? '' : `, ${node}`})`,
    computed ? '' : ": as the vendor's tool reported it; there are no records to compute from",
  ].join('');

const noteOf = ({ why, check }: Row, shown: Shown): string => (shown.check && check !== null ? check.why : (why ?? ''));

function cellsOf(row: Row, shown: Shown): string[] {
  const people = shown.vendor ? inVendorUnit : scaled;
  const text = (value: number | string | null): string => {
    if (value === null) return UNKNOWN;
    return typeof value === 'string' ? value : digits(quantityOf(row, value, people).value);
  };
  // What is compared stands in one unit: that of our value, where there is one.
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
  return [row.name, text(row.value), unit, ...checked, noteOf(row, shown)];
}

/** A group of which nothing is known, for one reason, is told in a line. */
function linesOf(rows: readonly Row[], shown: Shown): string[][] {
  const [first] = rows;
  const isBlank = rows.length > 1 && rows.every(({ value, why }) => value === null && why === first?.why);
  if (isBlank && !shown.check && shown.metrics === null) return [[`${UNKNOWN}: ${first?.why ?? ''}`]];
  return rows.map((row) => cellsOf(row, shown));
}

/** Each metric a line; then what bounds the program, and what to look at. */
export function summaryText(summary: Summary, shown: Shown): string {
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
  const text = [headingOf(summary), lines.shift() ?? ''];
  groups.forEach((group, i) => {
    if (shown.metrics === null) text.push('', `## ${GROUPS[group]}`);
    text.push(...lines.splice(0, blocks[i]?.length ?? 0));
  });
  // Who asks for some metrics wants these alone.
  if (shown.metrics !== null) return `${text.map(clean).join('\n')}\n`;
  if (bound !== null) text.push('', bound.text);
  if (!shown.quiet && warnings.length > 0) {
    text.push('', '## Warnings', ...aligned(warnings.map(({ rule, text: words }) => [rule, words])));
  }
  return `${text.map(clean).join('\n')}\n`;
}

const CSV_HEAD = ['profile', 'file', 'rank', 'node', 'group', 'metric', 'value', 'unit', 'why'];
const CSV_CHECK = ['reported', 'difference'];

export const csvHead = ({ check }: Shown): string => csvLines([[...CSV_HEAD, ...(check ? CSV_CHECK : [])]]);

/** All digits; unknown is `na`. */
export function summaryCsv({ profile, file, rank, node, rows }: Summary, shown: Shown): string {
  return csvLines(
    rows.map((row) => {
      const { value, unit } = plain(row, row.value, shown);
      const reported = plain(row, row.check?.reported ?? null, shown).value;
      const checked = shown.check ? [reported ?? UNKNOWN, row.check?.difference ?? UNKNOWN] : [];
      const place = [profile, file, rank ?? UNKNOWN, node ?? UNKNOWN, row.group, row.name];
      return [...place, value ?? UNKNOWN, unit, noteOf(row, shown), ...checked].map((cell) => clean(String(cell)));
    }),
  );
}

const csvLines = (rows: readonly (readonly string[])[]): string =>
  stringify(rows as string[][], { record_delimiter: '\n' });

/** A value in full in the unit that is shown. */
function plain(row: Row, value: number | string | null, shown: Shown): { value: Row['value']; unit: string } {
  const unit = quantityOf(row, 0, exactly(shown)).unit;
  return { value: typeof value === 'number' ? quantityOf(row, value, exactly(shown)).value : value, unit };
}

/** One object a line and profile. */
export function summaryJson(summary: Summary, shown: Shown): string {
  const { profile, file, format, rank, node, computed, rows, bound, warnings } = summary;
  const metrics = rows.map((row) => {
    const { value, unit } = plain(row, row.value, shown);
    const told = row.why === null ? {} : { why: row.why };
    const { check } = row;
    const checked =
      shown.check && check !== null
        ? { reported: plain(row, check.reported, shown).value, difference: check.difference, check: check.why }
        : {};
    return [row.name, { value, unit: unit === '' ? null : unit, group: row.group, ...told, ...checked }] as const;
  });
  const line = { profile, file, format, rank, node, computed, metrics: Object.fromEntries(metrics), bound, warnings };
  return `${JSON.stringify(line)}\n`;
}

/** All profiles as the vendor's summary-json: a node for each, its metrics by name. */
export function vendorJson(summaries: readonly Summary[]): string {
  const names = summaries.map(({ node, uuid, profile }) => node ?? `n_${uuid ?? profile}`);
  const nodes = summaries.map((summary, i) => {
    const name = names[i] ?? '';
    const key = names.indexOf(name) === i ? name : `${name}_${summary.profile}`;
    const metrics = summary.rows.map((row) => [row.name, plain(row, row.value, ALL_VENDOR).value] as const);
    return [key, Object.fromEntries(metrics)] as const;
  });
  return `${JSON.stringify(Object.fromEntries(nodes))}\n`;
}

const ALL_VENDOR: Shown = { check: false, vendor: true, quiet: false, metrics: null };

/** Where the number of a metric comes from. */
export function explanation(summary: Summary, row: Row, shown: Shown): string {
  const said = ({ value, unit }: Quantity): string => `${digits(value)} ${unit}`.trimEnd();
  const people = shown.vendor ? inVendorUnit : scaled;
  const value =
    row.value === null
      ? `${UNKNOWN}: ${row.why ?? ''}`
      : typeof row.value === 'string'
        ? row.value
        : said(quantityOf(row, row.value, people));
  const inputs = row.inputs.map(({ name, amount, unit }) => {
    if (typeof amount === 'object') return [`  ${name}`, UNKNOWN, amount.unknown];
    if (typeof amount === 'string') return [`  ${name}`, amount];
    const isRate = unit === 'FLOP/s' || unit === 'bytes/s' || unit === 'Hz';
    return [`  ${name}`, said(isRate ? { value: amount, unit } : people(amount, unit))];
  });
  const { check } = row;
  const reported = check?.reported ?? null;
  const checked =
    check === null || reported === null
      ? []
      : [
          `reported: ${typeof reported === 'number' ? said(quantityOf(row, reported, people)) : reported}, difference ${differenceText(check.difference)}${check.why === '' ? '' : `: ${check.why}`}`,
        ];
  const lines = [
    headingOf(summary),
    `${row.name}: ${value}`,
    row.doc ?? 'not in the table of metrics',
    row.formula === null ? "source: the vendor's summary" : `formula: ${row.formula}`,
    ...(inputs.length > 0 ? ['inputs:', ...aligned(inputs)] : []),
    ...(row.intervals === null ? [] : [`from ${row.intervals} intervals`]),
    ...checked,
    ...(row.own ? ["not one of the vendor's"] : []),
  ];
  return `${lines.map(clean).join('\n')}\n`;
}
