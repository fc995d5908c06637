/** Tables of lists in the page's data: rows with their index, and columns of their numbers. */
import type { KnownWork } from '../../prof/tally/kernel-tally.js';
import { meanTime } from '../../record/statistics.js';
import { partialText } from '../../record/units.js';
import { countedWaitsText } from '../../prof/steps/transfers.js';
import { capitalised, type DisplayUnit } from '../document/units.js';
import type { Field } from './field.js';
import { withShare } from './shown-names.js';
import { table, type TableColumn } from './sorted-table.js';
import type { HostTally } from '../../prof/summary/summary-data.js';
import { note } from '../document/dom-elements.js';
import { ofRange } from '../document/timeline-target.js';
import { eventsLink } from '../document/timeline-link.js';
import type { PanelView } from '../panel.js';

/** A row of a list, with its index in the list. */
export type Listed<Row> = Row & { readonly at: number };

export const listed = <Row extends object>(rows: readonly Row[]): Listed<Row>[] =>
  rows.map((row, at) => ({ ...row, at }));

/** A column of the numbers under a key, with optional further properties. */
type NumberColumn<Row> = (
  title: string,
  unit: DisplayUnit,
  key: keyof Row & string,
  more?: Partial<TableColumn<Listed<Row>>>,
) => TableColumn<Listed<Row>>;

export const numbersOf =
  <Row>(path: string): NumberColumn<Row> =>
  (title, unit, key, more = {}) => ({
    title,
    unit,
    cell: (row) => {
      const value: unknown = row[key];
      return typeof value === 'number' ? value : null;
    },
    field: ({ at }) => `${path}.${at}.${key}`,
    ...more,
  });

type FlopsRow = Pick<KnownWork, 'flops' | 'flopsKnown'>;
type BytesRow = Pick<KnownWork, 'bytes' | 'bytesKnown'>;

/** Text of sums and rates that are known for less than half of the time. */
export const PARTIAL = {
  flops: { worded: ({ flops, flopsKnown }: FlopsRow, text: string) => partialText(text, flops, flopsKnown) },
  bytes: { worded: ({ bytes, bytesKnown }: BytesRow, text: string) => partialText(text, bytes, bytesKnown) },
  flopsRate: { worded: ({ flopsKnown }: FlopsRow, text: string) => partialText(text, null, flopsKnown) },
  bytesRate: { worded: ({ bytesKnown }: BytesRow, text: string) => partialText(text, null, bytesKnown) },
} as const;

/** A column with one figure of each row. */
export const figureColumn = <Row>(
  title: string,
  unit: DisplayUnit,
  figureOf: (row: Row) => Field,
  more: Partial<TableColumn<Row>> = {},
): TableColumn<Row> => ({
  title,
  unit,
  cell: (row) => figureOf(row).value,
  field: (row) => figureOf(row).name,
  ...more,
});

/** A column of the mean time of a row's occurrences. */
export const meanTimes = <Row extends Parameters<typeof meanTime>[0]>(
  path: string,
  more: Partial<TableColumn<Listed<Row>>> = {},
): TableColumn<Listed<Row>> => ({
  title: 'Mean',
  unit: 'ns',
  cell: meanTime,
  field: ({ at, untimed }) => {
    const row = `${path}.${at}`;
    return untimed === undefined ? `${row}.time / ${row}.count` : `${row}.time / (${row}.count - ${row}.untimed)`;
  },
  ...more,
});

/** The columns with a known value in some row; values that a profile does not record have no column. */
export const withValues = <Row>(columns: readonly TableColumn<Row>[], rows: readonly Row[]): TableColumn<Row>[] =>
  columns.filter(({ cell }) => rows.some((row) => cell(row) !== null));

/** Without recorded device work, it is unknown whether a device worked. */
export const hostTimesOnly = (): HTMLElement => note('No device work was recorded; these are CPU times.');

const MOST_REASONS = 3;

/** Why kernels have no op, for a table with a row of them. */
export function whyNoOp({ profile }: PanelView): HTMLElement[] {
  const { reasons = [] } = profile.overview.kernels?.unattributed ?? {};
  if (reasons.length === 0) return [];
  const whole = reasons.reduce((sum, { time }) => sum + (time ?? 0), 0);
  const texts = reasons
    .slice(0, MOST_REASONS)
    .map(({ name, time }) => withShare(name, whole > 0 ? (time ?? 0) / whole : null));
  const rest = reasons.length - texts.length;
  return [note(`No op known: ${texts.join('; ')}${rest > 0 ? `; ${rest} more in Diagnostics` : ''}.`)];
}

/** Layers by their time on the host; null when the profile has none. */
export function hostLayers(view: PanelView): HTMLElement[] | null {
  const { host } = view.profile.overview;
  if (host === null || host.layers.length === 0) return null;
  const number = numbersOf<HostTally>('overview.host.layers');
  const columns: TableColumn<Listed<HostTally>>[] = [
    {
      title: 'Layer',
      cell: ({ name }) => name,
      link: ({ name }, text) => eventsLink(view, text, ofRange(name, [name])),
    },
    number('Self time', 'ns', 'time', { bar: ({ time }) => (host.time > 0 ? time / host.time : 0) }),
    number('Count', 'count', 'count'),
    number('Time', 'ns', 'total'),
  ];
  return [hostTimesOnly(), table({ caption: 'Layers on the CPU', columns, rows: listed(host.layers), sortedBy: 1 })];
}

/** A note on the instructions that the tables of a page leave out because they only wait. */
export function waitsNote({ profile }: PanelView): HTMLElement[] {
  const text = countedWaitsText(profile.overview.kernels);
  return text === null ? [] : [note(`${capitalised(text)}.`)];
}
