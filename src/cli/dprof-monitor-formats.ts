/** What `dprof monitor` can write: rows as text, CSV, JSON or a framed table, and what monitoring systems read. */
import CliTable from 'cli-table3';
import { stringify } from 'csv-stringify/sync';
import type { MonitorColumn } from '../prof/monitor/columns.js';
import { embeddedMetrics } from '../prof/monitor/emf.js';
import { Exposition } from '../prof/monitor/prometheus.js';
import type { MonitorReport, MonitorRow, Scope } from '../prof/monitor/report.js';
import { clean, word } from '../write/cell-text.js';

export interface MonitorLayout {
  readonly columns: readonly MonitorColumn[];
  readonly scopes: ReadonlySet<Scope>;
  readonly header: boolean;
  /** Of the metrics, in CloudWatch. */
  readonly namespace: string;
}

/** Text of each report, in turn. */
export interface MonitorSheet {
  /** Before the first report. */
  readonly head: string;
  report(report: MonitorReport): string;
}

export interface MonitorFormat {
  readonly id: string;
  readonly title: string;
  /** Whether it shows rows and columns that can be chosen. */
  readonly hasColumns: boolean;
  open(layout: MonitorLayout): MonitorSheet;
}

type Cell = number | string | null;

/** The rows asked for, a cell for each column. */
const rowsOf = ({ columns, scopes }: MonitorLayout, report: MonitorReport): Cell[][] =>
  report.rows.filter(({ scope }) => scopes.has(scope)).map((row) => cellsOf(columns, row, report));

const cellsOf = (columns: readonly MonitorColumn[], row: MonitorRow, report: MonitorReport): Cell[] =>
  columns.map((column) => column.value(row, report));

/** `na` for unknown; a real number with the column's digits. */
function textOf({ digits }: MonitorColumn, cell: Cell): string {
  if (cell === null) return 'na';
  return typeof cell === 'number' && digits !== undefined ? cell.toFixed(digits) : String(cell);
}

const space: MonitorFormat = {
  id: 'space',
  title: 'one blank between cells, none inside, for awk (the default)',
  hasColumns: true,
  open(layout) {
    const { columns, header } = layout;
    const line = (words: readonly string[]): string => `${words.join(' ')}\n`;
    return {
      head: header ? line(columns.map((column) => column.header)) : '',
      report: (report) =>
        rowsOf(layout, report)
          .map((cells) => line(columns.map((column, i) => word(textOf(column, cells[i] ?? null)))))
          .join(''),
    };
  },
};

const csv: MonitorFormat = {
  id: 'csv',
  title: 'comma-separated (RFC 4180, lines end in LF); all digits, nothing for unknown',
  hasColumns: true,
  open(layout) {
    const text = (cell: Cell): string => (cell === null ? '' : clean(String(cell)));
    const lines = (rows: readonly (readonly string[])[]): string =>
      rows.length === 0
        ? ''
        : stringify(
            rows.map((row) => [...row]),
            { record_delimiter: '\n' },
          );
    return {
      head: layout.header ? lines([layout.columns.map(({ header }) => header)]) : '',
      report: (report) => lines(rowsOf(layout, report).map((cells) => cells.map(text))),
    };
  },
};

const json: MonitorFormat = {
  id: 'json',
  title: 'one JSON object a row and line: column keys, raw values, null for unknown',
  hasColumns: true,
  open: (layout) => ({
    head: '',
    report: (report) =>
      rowsOf(layout, report)
        .map((cells) => `${JSON.stringify(Object.fromEntries(layout.columns.map(({ key }, i) => [key, cells[i]])))}\n`)
        .join(''),
  }),
};

const table: MonitorFormat = {
  id: 'table',
  title: 'framed, for people, one table a report',
  hasColumns: true,
  open: (layout) => ({
    head: '',
    report: (report) => {
      const { columns, header } = layout;
      const rows = rowsOf(layout, report);
      if (rows.length === 0) return '';
      const framed = new CliTable({
        ...(header ? { head: columns.map((column) => column.header) } : {}),
        colAligns: columns.map(({ type }) => (type === 'str' ? 'left' : 'right')),
        style: { head: [], border: [], compact: true },
      });
      framed.push(...rows.map((cells) => columns.map((column, i) => framedCell(column, cells[i] ?? null))));
      return `${framed.toString()}\n`;
    },
  }),
};

/** Quantities with their thousands apart. */
function framedCell(column: MonitorColumn, cell: Cell): string {
  if (typeof cell !== 'number' || column.unit === undefined || column.digits !== undefined) {
    return clean(textOf(column, cell));
  }
  return cell.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

const prometheus: MonitorFormat = {
  id: 'prometheus',
  title: "Prometheus' text format 0.0.4, a whole exposition a report",
  hasColumns: false,
  open: () => {
    const exposition = new Exposition();
    return { head: '', report: (report) => exposition.take(report) };
  },
};

const emf: MonitorFormat = {
  id: 'emf',
  title: "CloudWatch's embedded metric format, JSON lines",
  hasColumns: false,
  open: ({ namespace }) => ({ head: '', report: (report) => embeddedMetrics(report, namespace, report.unixMs) }),
};

export const MONITOR_FORMATS: readonly MonitorFormat[] = [space, csv, json, table, prometheus, emf];
