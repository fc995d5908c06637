/** Formats of `dprof monitor`: the table formats, and those that monitoring systems read. */
import type { Column } from '../../../table/column.js';
import { embeddedMetrics, putMetricData } from '../../../prof/neuron/monitor/cloudwatch-metrics.js';
import type { MonitorLine } from '../../../prof/neuron/monitor/monitor-columns.js';
import { Exposition } from '../../../prof/neuron/monitor/prometheus-families.js';
import type { MonitorReport, RowScope } from '../../../prof/neuron/monitor/monitor-report.js';
import { DEFAULT_WIDTH, leastWidth, tableText, type Format } from '../../../write/columns.js';
import { FORMATS } from '../../../write/formats.js';

interface MonitorLayout {
  readonly columns: readonly Column<MonitorLine>[];
  readonly scopes: ReadonlySet<RowScope>;
  readonly header: boolean;
  /** Width of the terminal, for the format `fitted`; the format's default when undefined. */
  readonly width?: number;
  /** CloudWatch namespace of the metrics. */
  readonly namespace: string;
}

/** The text of each report, in turn. */
interface MonitorSheet {
  /** Text before the first report. */
  readonly head: string;
  report(report: MonitorReport): string;
}

export interface MonitorFormat {
  readonly id: string;
  readonly title: string;
  /** Whether it shows rows and columns that the user can choose. */
  readonly hasColumns: boolean;
  /** Whether its metrics have a CloudWatch namespace and time. */
  readonly ofCloudWatch?: true;
  open(layout: MonitorLayout): MonitorSheet;
}

/** The rows of a report to show. */
export const linesOf = ({ scopes }: Pick<MonitorLayout, 'scopes'>, report: MonitorReport): MonitorLine[] =>
  report.rows.filter(({ scope }) => scopes.has(scope)).map((row) => ({ row, report }));

/** In CSV, an unknown value is an empty field, as monitoring systems expect. */
const emptyForUnknown = (column: Column<MonitorLine>): Column<MonitorLine> => ({
  ...column,
  value: (line) => column.value(line) ?? '',
});

/** A format with the rows of all reports one after the other. */
const rowsOf = (format: Format): MonitorFormat => ({
  id: format.id,
  title: format.title,
  hasColumns: true,
  open(layout) {
    const columns = format.id === 'csv' ? layout.columns.map(emptyForUnknown) : layout.columns;
    const width = Math.max(DEFAULT_WIDTH, leastWidth(columns));
    const sheet = format.open({ columns, header: layout.header, width });
    return {
      head: sheet.head(),
      report: (report) => sheet.rows(linesOf(layout, report).map((line) => sheet.pack(line))),
    };
  },
});

/** A format with one table for each report. */
const tablesOf = (format: Format): MonitorFormat => ({
  id: format.id,
  title: `${format.title}; one table per report`,
  hasColumns: true,
  open: (layout) => ({
    head: '',
    report: (report) => {
      const rows = linesOf(layout, report);
      if (rows.length === 0) return '';
      return [...tableText(format, { columns: layout.columns, rows }, layout)].join('');
    },
  }),
});

const prometheus: MonitorFormat = {
  id: 'prometheus',
  title: "Prometheus' text format 0.0.4, one exposition per report",
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
  ofCloudWatch: true,
  open: ({ namespace }) => ({ head: '', report: (report) => embeddedMetrics(report, namespace, report.unixMs) }),
};

const requests: MonitorFormat = {
  id: 'put-metric-data',
  title: "requests of CloudWatch's PutMetricData, JSON lines",
  hasColumns: false,
  ofCloudWatch: true,
  open: ({ namespace }) => ({ head: '', report: (report) => putMetricData(report, namespace, report.unixMs) }),
};

/** Formats that need all rows of a table before they can write the first line. */
const WHOLE: ReadonlySet<string> = new Set(['table', 'fitted']);

/** Monitoring has no last report, but a binary table can only be written at the end. */
const TEXT_FORMATS = FORMATS.filter(({ binary }) => binary !== true);

export const MONITOR_FORMATS: readonly MonitorFormat[] = [
  ...TEXT_FORMATS.map((format) => (WHOLE.has(format.id) ? tablesOf(format) : rowsOf(format))),
  prometheus,
  emf,
  requests,
];
