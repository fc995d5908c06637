/** What `dprof monitor` can write: rows as text, CSV, JSON or a framed table, and what monitoring systems read. */
import { type CellValue } from '../../../table/column.js';
import type { MonitorColumn } from '../../../prof/monitor/monitor-columns.js';
import { embeddedMetrics } from '../../../prof/monitor/emf.js';
import { Exposition } from '../../../prof/monitor/prometheus.js';
import type { MonitorReport, MonitorRow, RowScope } from '../../../prof/monitor/monitor-report.js';
import { requireFormat, type Format, type Sheet } from '../../../write/format.js';

export interface MonitorLayout {
  readonly columns: readonly MonitorColumn[];
  readonly scopes: ReadonlySet<RowScope>;
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

/** What the columns of a row look at. */
interface Told {
  readonly row: MonitorRow;
  readonly report: MonitorReport;
}

const toldBy = ({ scopes }: MonitorLayout, report: MonitorReport): Told[] =>
  report.rows.filter(({ scope }) => scopes.has(scope)).map((row) => ({ row, report }));

/** How rows are written, with what stands for unknown. */
type Cell = (value: CellValue) => CellValue;
const asIs: Cell = (value) => value;
const emptyForUnknown: Cell = (value) => value ?? '';

const sheetOf = ({ columns, header }: MonitorLayout, format: Format, cell: Cell): Sheet<Told> =>
  format.open({
    columns: columns.map((column) => ({
      ...column,
      width: 0,
      value: ({ row, report }) => cell(column.value(row, report)),
    })),
    header,
    width: null,
  });

/** Rows one after the other, whatever report they are of. */
const rowsOf = (format: Format, title = format.title, cell = asIs): MonitorFormat => ({
  id: format.id,
  title,
  hasColumns: true,
  open(layout) {
    const sheet = sheetOf(layout, format, cell);
    return {
      head: sheet.head(),
      report: (report) => sheet.rows(toldBy(layout, report).map((told) => sheet.pack(told))),
    };
  },
});

/** Each report as a whole. */
const sheets = (format: Format, title: string): MonitorFormat => ({
  id: format.id,
  title,
  hasColumns: true,
  open: (layout) => ({
    head: '',
    report: (report) => {
      const rows = toldBy(layout, report);
      if (rows.length === 0) return '';
      const sheet = sheetOf(layout, format, asIs);
      return sheet.head() + sheet.rows(rows.map((told) => sheet.pack(told))) + [...sheet.end()].join('');
    },
  }),
});

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

export const MONITOR_FORMATS: readonly MonitorFormat[] = [
  rowsOf(requireFormat('space')),
  rowsOf(
    requireFormat('csv'),
    'comma-separated (RFC 4180, lines end in LF); all digits, nothing for unknown',
    emptyForUnknown,
  ),
  rowsOf(requireFormat('json'), 'one JSON object a row and line: column keys, raw values, null for unknown'),
  sheets(requireFormat('table'), 'framed, for people, one table a report'),
  prometheus,
  emf,
];
