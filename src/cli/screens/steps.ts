/** `dprof steps` on one screen. */
import { columnsOf, type StepRow } from '../../prof/steps/step-columns.js';
import { REGION_COLUMNS, spansOf, type RegionRow } from '../../prof/steps/region-columns.js';
import type { ProfileRegions } from '../../prof/steps/regions.js';
import type { ProfileSteps } from '../../prof/steps/steps.js';
import { binsOf } from '../../record/histogram.js';
import { many } from '../../record/plural.js';
import type { Column } from '../../table/column.js';
import { readable } from '../../table/readable.js';
import { aligned, alignedTable } from '../../write/cell-text.js';
import { fittedLines } from '../../write/fitted-table.js';
import { profileHeading, screenText } from './layout.js';

const screenColumns = (rows: ProfileSteps['rows']): Column<StepRow>[] =>
  columnsOf(rows)
    .filter(({ machineOnly }) => machineOnly !== true)
    .map((column) => readable(column, column.key));

/** Columns on a terminal: first the duration of a step, then its parts. */
const FIRST = ['device', 'step', 'iteration', 'span', 'busy', 'computing', 'exposed', 'copies', 'idle', 'kernels'];

function terminalColumns(rows: ProfileSteps['rows']): Column<StepRow>[] {
  const columns = columnsOf(rows).filter(({ machineOnly }) => machineOnly !== true);
  const isOne = new Set(rows.map(({ device }) => device)).size < 2;
  const placeOf = ({ key }: Column<StepRow>): number => FIRST.indexOf(key) + 1 || FIRST.length + 1;
  return columns
    .filter(({ key }) => !(isOne && key === 'device'))
    .map((column) => ({ ...column, header: column.key }))
    .sort((a, b) => placeOf(a) - placeOf(b));
}

/**
 * One profile: its name, then its steps. Times are in us unless the output is a terminal.
 * @param width of the terminal; null for any other output
 */
export function stepsScreen({ profile, header, rows }: ProfileSteps, width: number | null): string {
  const heading = profileHeading(profile, header);
  if (width !== null)
    return screenText([heading, ...fittedLines(terminalColumns(rows), [...rows], width)], undefined, width);
  return screenText([`${heading}, times in us`, ...alignedTable(screenColumns(rows), rows)]);
}

/** Columns of regions in text, in order; -c chooses others. `lost` is left out where it is 0. */
const SHOWN = [
  ...[
    'device',
    'region',
    'passes',
    'lost',
    'span_p50',
    'span_p90',
    'span_p99',
    'iteration_p50',
    'span',
    'busy',
    'idle',
  ],
  ...['idle_host', 'idle_queue', 'exposed', 'mfu', 'bytes', 'kernels', 'collectives'],
];

/** Maximum number of characters of a bar. */
const BAR = 40;

/** The number of passes whose span is known. */
const spansText = (known: number, all: number): string =>
  known === all ? many(all, 'pass') : `${known} of ${many(all, 'pass')}`;

/** The spans of a region's passes: a line for each bin, in us. */
function histogramLines(row: RegionRow): string[] {
  const spans = spansOf(row);
  const bins = binsOf(spans);
  const most = bins.reduce((high, { count }) => Math.max(high, count), 0);
  const us = (ns: number): string => String(Number((ns / 1e3).toPrecision(6)));
  const lines = bins.map(({ from, to, count }) => [
    ...[us(from), us(to), String(count)],
    '#'.repeat(Math.ceil((BAR * count) / most)),
  ]);
  return ['', `## ${row.region.trim()}, device ${row.device}: spans of ${spansText(spans.length, row.passes.length)}`, ...aligned([['from us', 'to us', 'passes', ''], ...lines], new Set([0, 1, 2]))]; // prettier-ignore
}

/** One profile: its name, then its regions, those with the most busy time first. Times are in us unless the output is a terminal. */
export function regionsScreen(
  { profile, header, rows }: ProfileRegions,
  { width, hasHistogram }: { readonly width: number | null; readonly hasHistogram: boolean },
): string {
  const hasLost = rows.some(({ passes }) => passes.some(({ isLost }) => isLost === true));
  const columns = SHOWN.filter((key) => key !== 'lost' || hasLost).flatMap(
    (key) => REGION_COLUMNS.find((column) => column.key === key) ?? [],
  );
  const heading = profileHeading(profile, header);
  const histograms = hasHistogram ? rows.flatMap(histogramLines) : [];
  if (width !== null) {
    const named = columns.map((column) => ({ ...column, header: column.key }));
    return screenText([heading, ...fittedLines(named, [...rows], width), ...histograms], undefined, width);
  }
  const shown = columns.map((column) => readable(column, column.key));
  return screenText([`${heading}, times in us, bytes in MiB, mfu in %`, ...alignedTable(shown, rows), ...histograms]);
}
