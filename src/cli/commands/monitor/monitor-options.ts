/** Options and help of `dprof monitor`. */
import {
  chooseMonitorColumns,
  defaultMonitorColumns,
  MONITOR_COLUMNS,
  type MonitorColumn,
} from '../../../prof/neuron/monitor/monitor-columns.js';
import { labelledLine } from '../../../table/readable.js';
import { columnList } from '../../screens/layout.js';
import { CLOUDWATCH_METRICS } from '../../../prof/neuron/monitor/cloudwatch-metrics.js';
import { PROMETHEUS_FAMILIES } from '../../../prof/neuron/monitor/prometheus-families.js';
import {
  MONITOR_GROUPS,
  parseGroups,
  parseTagFilter,
  parsePeriod,
} from '../../../prof/neuron/monitor/monitor-config.js';
import { DEFAULT_SCOPES, SCOPES, type RowScope } from '../../../prof/neuron/monitor/monitor-report.js';
import { nearest, UsageError, requireNamed } from '../../../record/errors.js';
import { fitted } from '../../../write/fitted-table.js';
import { READING_NAMES, unfit, WIDTH_OPTION, widthOf } from '../../shared-options.js';
import { HELP_OPTION, MAX_CHARS_OPTION, OUTPUT_OPTION, wrapped, type Arguments, type Tool } from '../../arguments.js';
import type { MonitorAddress } from './monitor-server.js';
import { MONITOR_FORMATS, type MonitorFormat } from './monitor-formats.js';

const NAMESPACE = 'Neuron';

const FORMAT_IDS = MONITOR_FORMATS.map(({ id }) => id);
const KEYS = MONITOR_COLUMNS.map(({ key }) => key);
const SCOPE_NAMES = Object.keys(SCOPES);
const GROUPS = Object.keys(MONITOR_GROUPS);

export const MONITOR: Tool = {
  name: 'dprof monitor',
  usage: 'dprof monitor [OPTION...] [FILE]',
  schemaOf: (given) =>
    given.on('columns') || given.on('metrics') ? null : given.on('stats') ? 'monitor-stats' : 'monitor',
  about: ['Reports of neuron-monitor, each written as soon as it is read.'],
  operands: ['FILE: neuron-monitor lines, or dparse records made from them (also .gz). Default: stdin.'],
  options: [
    { name: 'format', short: 'f', takes: 'F', help: FORMAT_IDS.join(', '), values: FORMAT_IDS },
    WIDTH_OPTION,
    MAX_CHARS_OPTION,
    {
      name: 'cols',
      short: 'c',
      takes: 'COLS',
      help: 'columns, comma-separated; --columns lists them',
      values: KEYS,
      list: true,
    },
    {
      name: 'rows',
      takes: 'LIST',
      help: `${SCOPE_NAMES.join(', ')}, all`,
      values: [...SCOPE_NAMES, 'all'],
      list: true,
    },
    { name: 'no-header', help: 'no header line' },
    { name: 'tag-filter', takes: 'RE', help: 'only processes whose tag the regular expression RE matches' },
    {
      name: 'groups',
      takes: 'LIST',
      help: "only these metric groups, by the monitor's names",
      values: GROUPS,
      list: true,
    },
    { name: 'config', takes: 'FILE', help: "groups, tags and periods of neuron-monitor's configuration FILE" },
    { name: 'period', takes: 'T', help: 'combine reports into periods of T (30s, 5m)' },
    { name: 'stats', help: 'mean, extremes and percentiles of each metric over all reports', conflicts: ['last'] },
    {
      name: 'fail-if',
      takes: 'COND',
      help: 'exit with 1 when a row meets COND (as in --where), with 3 when that is unknown',
    },
    {
      name: 'listen',
      takes: 'ADDR',
      help: 'serve the last report to Prometheus at [HOST:]PORT (127.0.0.1)',
      conflicts: ['stats', 'last', 'output'],
    },
    { name: 'last', help: 'only the last report; with -o, OUT is replaced by each new report' },
    { name: 'timestamp', takes: 'T', help: 'CloudWatch: now, or when the first report began (ISO or Unix s)' },
    { name: 'namespace', takes: 'NAME', help: `CloudWatch: namespace of the metrics (${NAMESPACE})` },
    OUTPUT_OPTION,
    { name: 'quiet', short: 'q', help: 'only failures and lost data on stderr' },
    { name: 'columns', help: 'list the columns' },
    { name: 'metrics', help: 'list the metrics of prometheus, emf and put-metric-data' },
    HELP_OPTION,
  ],
  unfit: {
    ...unfit(['where', 'device'], '--rows, --groups and --tag-filter choose'),
    ...unfit(['step', 'from', 'to'], 'reports have no steps; use --period T or --last'),
    ...unfit(['sort', 'top'], 'reports are written as they arrive; use --stats for statistics'),
    ...unfit([...READING_NAMES, 'peaks'], 'monitor does not read a profile'),
  },
  notes: [
    [
      ...wrapped('Groups: ', GROUPS),
      `Rows: ${DEFAULT_SCOPES.join(', ')} without --rows.`,
      "Percentages are 0 to 100; prometheus' ratios are 0 to 1.",
      'Prometheus: each report is an exposition; counters are sums since the first report.',
      'emf, put-metric-data: the monitor writes no time; without --timestamp, metrics have a',
      '     time only if a collector added it to the reports.',
      'Longer periods: counts are added, utilisations and rates averaged over time,',
      '     memory is the last value; only p0 and p100 of latencies are known.',
      '--fail-if: any column of the reports, shown or not; with --stats, of the statistics.',
      '     Each condition joined by || needs a matching row with a known value.',
      'Memory: one report or one period; --stats: 8 bytes per value, percentiles of at most 16 million.',
    ],
  ],
  examples: [
    'neuron-monitor | dprof monitor -c tag,core,util,devmem --rows core',
    "dprof monitor -f csv --tag-filter '^train' --groups neuroncore_counters reports.jsonl",
    'neuron-monitor | dprof monitor -f prometheus --last -o /var/lib/node_exporter/neuron.prom',
    'neuron-monitor | dprof monitor -f emf --timestamp now',
    'dprof monitor --stats -c util,devmem,done --rows core,runtime -f table reports.jsonl',
    'neuron-monitor | dprof monitor --listen 8000',
    "dprof monitor -q --fail-if 'eccmemu>0 || eccsramu>0 || ehardware>0' reports.jsonl > /dev/null",
  ],
};

export const columnsText = (): string => columnList(MONITOR_COLUMNS, [10, 14, 6]);

export const metricsText = (): string =>
  [
    'prometheus (*: not among those of neuron-monitor-prometheus.py):',
    ...PROMETHEUS_FAMILIES.map(({ name, type, labels, own: isOurs }) => {
      const names = labels.length === 0 ? '' : `{${labels.join(',')}}`;
      return `  ${isOurs === true ? '*' : ' '} ${labelledLine(type, `${name}${names}`, 7)}`;
    }),
    'emf, put-metric-data:',
    ...CLOUDWATCH_METRICS.map(([scope, , name, unit]) => `    ${scope.padEnd(8)} ${unit.padEnd(12)} ${name}`),
    '    core     Bytes        neuroncore_memory_usage_total',
    '',
  ].join('\n');

/** @throws UsageError for invalid options */
export function readMonitorArguments(given: Arguments) {
  const [file, ...others] = given.operands;
  if (others.length > 0) throw new UsageError(`monitor takes one FILE, not ${others.length + 1}`, 'join them with cat');
  const listen = given.read('listen', parseAddress) ?? null;
  const width = widthOf(given);
  const format = requireMonitorFormat(
    given.text('format') ?? (listen !== null ? 'prometheus' : width === null ? 'space' : fitted.id),
  );
  refuseStrays(given, format);
  const scopes = given.read('rows', parseScopes) ?? DEFAULT_SCOPES;
  return {
    show: (['columns', 'metrics'] as const).find((name) => given.on(name)) ?? ('reports' as const),
    file,
    document: given.document,
    output: given.text('output'),
    listen,
    quiet: given.on('quiet'),
    format,
    columns: chooseMonitorColumns(given.text('cols') ?? defaultMonitorColumns(scopes)),
    /** Columns to compute statistics of; null for reports. */
    metrics: given.on('stats') ? metricsOf(given.text('cols')) : null,
    failIf: given.text('fail-if'),
    config: given.text('config'),
    /** Report period in ns. */
    period: given.read('period', requirePeriod),
    scopes: new Set(scopes),
    header: given.on('header'),
    ...(format.id === fitted.id && width !== null ? { width } : {}),
    namespace: given.read('namespace', parseNamespace) ?? NAMESPACE,
    wanted: { groups: given.read('groups', parseGroups), tags: given.read('tag-filter', parseTagFilter) },
    last: given.on('last'),
    /**
     * Time of reports: the time of reading them, or the Unix time in ns of the first one's start; undefined for their own
     * times.
     */
    time: given.read('timestamp', parseTime),
  };
}

export const isStdin = (file: string | undefined): file is undefined | '-' => file === undefined || file === '-';

export type MonitorRequest = Readonly<ReturnType<typeof readMonitorArguments>>;

/** Rejects options that the format does not use. */
function refuseStrays(given: Arguments, format: MonitorFormat): void {
  for (const name of ['cols', 'rows']) {
    if (given.text(name) !== undefined && !format.hasColumns) {
      throw new UsageError(
        `--${name} cannot be combined with --format ${format.id}`,
        'its metrics are fixed; --metrics lists them',
      );
    }
  }
  if (given.on('stats') && !format.hasColumns) {
    throw new UsageError(
      `--stats cannot be combined with --format ${format.id}`,
      'choose a table format, e.g. --format table',
    );
  }
  if (given.text('listen') !== undefined) {
    if (format.id !== 'prometheus')
      throw new UsageError(`--listen works only with --format prometheus, not ${format.id}`);
  }
  for (const name of ['timestamp', 'namespace']) {
    if (given.text(name) !== undefined && format.ofCloudWatch !== true) {
      throw new UsageError(`--${name} works only with --format emf or put-metric-data`);
    }
  }
}

/** The selected columns that are measurements. */
function metricsOf(list: string | undefined): readonly MonitorColumn[] {
  const chosen = list === undefined ? MONITOR_COLUMNS : chooseMonitorColumns(list);
  const metrics = chosen.filter(({ measures }) => measures !== undefined);
  if (metrics.length > 0) return metrics;
  throw new UsageError(`--stats -c ${list ?? ''} selects no metric`, 'choose metrics such as util, devmem, done');
}

/** Parses the address to listen on: this machine only unless a host is given; an IPv6 address is written in `[…]`. */
function parseAddress(text: string): MonitorAddress {
  const [, ipv6, host = '127.0.0.1', digits = ''] =
    /^(?:(?:\[([\da-fA-F:.]+)\]|([^\s:[\]/]+)):)?(\d{1,5})$/.exec(text) ?? [];
  const port = digits === '' ? NaN : Number(digits);
  if (port <= 65_535) return { host: ipv6 ?? host, port };
  throw new UsageError(`--listen takes [HOST:]PORT, not '${text}'`, '8000, 0.0.0.0:8000');
}

function requirePeriod(text: string): number {
  const period = parsePeriod(text);
  if (period === null) throw new UsageError(`--period takes a time, not '${text}'`, '30s, 5m, 1m30s');
  return period;
}

const requireMonitorFormat = (id: string): MonitorFormat =>
  requireNamed('format', id, MONITOR_FORMATS, (format) => format.id);

const isScope = (name: string): name is RowScope => Object.hasOwn(SCOPES, name);

function parseScopes(list: string): RowScope[] {
  const all = Object.keys(SCOPES).filter(isScope);
  return list.split(',').flatMap((part) => {
    const name = part.trim();
    if (name === 'all') return all;
    if (isScope(name)) return [name];
    const near = nearest(name, [...all, 'all']);
    throw new UsageError(
      `unknown rows '${name}'`,
      near === null ? `known: ${all.join(', ')}, all` : `did you mean ${near}?`,
    );
  });
}

/** Checks a namespace against CloudWatch's allowed characters and length. */
function parseNamespace(text: string): string {
  if (/^[^:][\w.\-/#: ]{0,254}$/.test(text) && text.trim() !== '') return text;
  throw new UsageError(
    `'${text}' is not a valid CloudWatch namespace`,
    'use letters, digits and . - _ / # :, at most 255',
  );
}

function parseTime(text: string): 'now' | { readonly startUnixNs: string } {
  if (text === 'now') return 'now';
  const unix = /^(\d{9,10})(?:\.(\d{1,9}))?$/.exec(text);
  if (unix !== null) return { startUnixNs: `${unix[1] ?? ''}${(unix[2] ?? '').padEnd(9, '0')}` };
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (ms >= 0) return { startUnixNs: `${BigInt(ms) * 1_000_000n}` };
  throw new UsageError(`--timestamp takes now or a time, not '${text}'`, '2025-01-31T12:00:00Z, or Unix seconds');
}
