/** Options of `dprof`, for the parser, the help and completion. */
import { columnList } from '../screens/layout.js';
import { COLUMNS, columnOf, DEFAULT_COLUMNS, requireColumnAmong } from '../../prof/columns/columns.js';
import type { KernelColumn } from '../../prof/annotate.js';
import { DEVICES, type Rates } from '../../prof/roofline/devices.js';
import type { Peaks, StatedRates } from '../../prof/roofline/peaks.js';
import { escapeControls } from '../../record/control-characters.js';
import { CONVENTION_NAMES, parseConvention } from '../../prof/report/report.js';
import { parseKernelId } from '../../prof/report/explain.js';
import { parseWhere } from '../../prof/query/kernel-query.js';
import { parseSortKeys } from '../../prof/query/sort.js';
import { UsageError } from '../../record/errors.js';
import { grouped } from '../../record/plural.js';
import { splitKeys } from '../../table/column.js';
import type { Format } from '../../write/columns.js';
import { fitted } from '../../write/fitted-table.js';
import { FORMATS, requireFormat } from '../../write/formats.js';
import { USAGE } from '../command.js';
import { MOST_GROUPS } from '../../prof/by/groups.js';
import {
  HELP_OPTION,
  integer,
  MAX_CHARS_OPTION,
  OUTPUT_OPTION,
  SILENT_OPTION,
  VERSION_OPTION,
  type Arguments,
  type Option,
  type Tool,
} from '../arguments.js';
import { PEAKS_OPTION, readPeaks } from '../peaks-option.js';
import { refuseTerminal, terminalWidth } from '../output.js';
import { MEMORY_OF_PROFILES, readInputs, readReading } from '../records-command.js';
import { CHOICE_OPTIONS, readChoice } from '../choice-options.js';
import { READING_OPTIONS, sortOption, TOP_OPTION, WHERE_OPTION } from '../shared-options.js';
import { AGGREGATES } from '../../prof/by/aggregates.js';
import { parseGrouping, type Grouping } from '../../prof/by/grouping.js';
import { HOST_COLUMNS, parseHostGrouping, type HostGrouping } from '../../prof/by/host/host-table-columns.js';
import { HOST_TABLES } from '../../prof/by/host/host-table.js';

const BY_OPTIONS: readonly Option[] = [
  {
    name: 'by',
    takes: 'KEYS',
    help: 'one row per value of KEYS; range, hostop, api',
    conflicts: ['explain'],
    values: [...COLUMNS.map(({ key }) => key), ...Object.keys(HOST_TABLES).filter((name) => name !== 'api')],
    list: true,
  },
  { name: 'tree', help: '--by: expand lists into levels with subtotals' },
  { name: 'depth', takes: 'N', help: '--by: first N entries of lists, or N levels of a tree' },
];

/** Characters of key, header and unit in the lists of `--by`. */
const GROUP_WIDTHS = [10, 12, 7] as const;

/** The columns of groups, for `--by KEYS --columns`. */
export const aggregatesText = (): string => columnList(AGGREGATES, GROUP_WIDTHS);

/** The columns of tables about the host. */
export const hostColumnsText = (): string => columnList(HOST_COLUMNS, GROUP_WIDTHS);

/**
 * Parses a request for a table about the host; undefined when --by names keys of kernels.
 * @throws UsageError for invalid options
 */
function readHostGrouping(given: Arguments, top: number | undefined): HostGrouping | undefined {
  const by = given.text('by');
  const grouping =
    by === undefined ? null : parseHostGrouping({ by, columns: given.text('cols'), sort: given.text('sort'), top });
  if (grouping === null) return undefined;
  const stray = ['where', 'tree', 'depth'].find(
    (name) => given.text(name) !== undefined || given.switched(name) !== undefined,
  );
  if (stray === undefined) return grouping;
  throw new UsageError(`--${stray} works only on kernels, and --by ${by ?? ''} lists CPU events`);
}

/** Parses the options of `--by`; undefined when it is not given. @throws UsageError for invalid options */
function readGrouping(given: Arguments, top: number | undefined): Grouping | undefined {
  const by = given.text('by');
  const tree = given.switched('tree');
  const depth = given.read('depth', (text) => integer('--depth', text, 1));
  if (by === undefined) {
    const stray = tree !== undefined ? 'tree' : depth !== undefined ? 'depth' : null;
    if (stray !== null) throw new UsageError(`--${stray} needs --by`);
    return undefined;
  }
  return parseGrouping({ by, columns: given.text('cols'), sort: given.text('sort'), top, depth, tree });
}

/** Maximum characters of a line in the format columns; a whole line is kept in memory. */
const WIDEST = 10_000;

const KEYS = COLUMNS.map(({ key }) => key);
const FORMAT_IDS = FORMATS.map(({ id }) => id);

const OPTIONS: readonly Option[] = [
  {
    name: 'cols',
    short: 'c',
    takes: 'COLS',
    help: 'columns, comma-separated; --columns lists them',
    values: KEYS,
    list: true,
  },
  { name: 'width', short: 'w', takes: 'N', help: 'fixed-width columns, lines of at most N (0: no limit)' },
  {
    name: 'format',
    short: 'f',
    takes: 'F',
    help: 'table, csv (or --csv), json, parquet and others',
    values: FORMAT_IDS,
  },
  { name: 'csv', help: 'same as --format csv', conflicts: ['width'] },
  MAX_CHARS_OPTION,
  WHERE_OPTION,
  sortOption(KEYS),
  { ...TOP_OPTION, help: `${TOP_OPTION.help}; in a tree, per parent` },
  ...BY_OPTIONS,
  ...CHOICE_OPTIONS,
  { name: 'no-header', help: 'no header line' },
  PEAKS_OPTION,
  {
    name: 'convention',
    takes: 'NAME',
    help: 'pyprof: FLOPs and bytes as PyProf counts them',
    values: CONVENTION_NAMES,
  },
  {
    name: 'explain',
    takes: 'IDX',
    help: 'show how one kernel was counted (IDX or PROFILE:IDX)',
  },
  ...READING_OPTIONS,
  OUTPUT_OPTION,
  SILENT_OPTION,
  { name: 'columns', help: 'list the columns and their meaning' },
  { name: 'devices', help: 'list known devices, their peak rates and sources' },
  HELP_OPTION,
  VERSION_OPTION,
];

export const DPROF: Tool = {
  name: 'dprof',
  usage: USAGE,
  schemaOf: (given) => {
    if (['version', 'columns', 'devices'].some((name) => given.on(name))) return null;
    if (given.text('explain') !== undefined) return 'explanation';
    const by = given.text('by');
    return by === undefined ? 'kernels' : Object.hasOwn(HOST_TABLES, by) ? 'host' : 'groups';
  },
  about: ['Shows which op and layer launched each kernel, and its FLOPs and bytes.'],
  operands: ['FILE: a profile, dparse records, or a net.dict. Default: stdin.'],
  options: OPTIONS,
  notes: [
    [
      'Memory: at most 300 MB; --sort adds the text of the rows (with --top N, of N rows),',
      `--by 25 bytes per kernel and 250 per row, for at most ${grouped(MOST_GROUPS)} groups.`,
      MEMORY_OF_PROFILES,
    ],
  ],
  examples: [
    'dparse net.sqlite | dprof -w 120',
    'dprof -c op,kernel,sil,tc,flops --sort sil --top 20 -f table net.sqlite',
    'dprof --by op,dir --top 20 -f table net.sqlite',
    "dprof --csv --where 'op==conv2d && sil>10000' net.jsonl > conv.csv",
    "dprof -c op,sil net.jsonl | awk 'NR>1 {t[$1]+=$2} END {for (o in t) print t[o], o}'",
  ],
};

/** Help of `dprof`, for one screen. The manual page has all options and examples, and explains each column. */
export const DPROF_HELP: Tool = {
  ...DPROF,
  options: OPTIONS.filter(({ name }) => name !== 'csv' && name !== 'convention'),
  notes: [],
  examples: DPROF.examples.slice(1, 2),
};

export const columnsText = (): string => columnList(COLUMNS, [8, 10, 7]);

const rates = (unit: string, peaks: Rates): string =>
  `${unit} ${
    Object.entries(peaks)
      .map(([type, rate]) => `${type} ${Number((rate / 1e12).toPrecision(5))}`)
      .join(' ') || 'na'
  }`;

function deviceLine({ name, bytesPerS, matrix, vector }: StatedRates, source: string): string {
  const bandwidth = bytesPerS === null ? 'na' : String(Number((bytesPerS / 1e9).toPrecision(5)));
  return `${name.padEnd(15)} ${bandwidth.padStart(4)} GB/s; TFLOP/s: ${rates('matrix', matrix)}; ${rates('vector', vector)}; ${source}\n`;
}

/**
 * The device table, with GB/s and TFLOP/s.
 * @param given the device of --peaks, which comes first, with the rates that its vendor states
 */
export function devicesText(given: Peaks | null): string {
  const first = given === null ? '' : deviceLine(given, given.source);
  const stated = given?.stated === undefined ? '' : deviceLine(given.stated, 'stated by the vendor');
  return [escapeLines(first), escapeLines(stated), ...DEVICES.map((row) => deviceLine(row, row.source))].join('');
}

/** Texts of a file may contain control characters. */
const escapeLines = (line: string): string => (line === '' ? '' : `${escapeControls(line.trimEnd())}\n`);

const AGGREGATE_KEYS = AGGREGATES.map(({ key }) => key);

/** @throws UsageError for a key that only groups have, and for an unknown key, with the nearest known one */
function requireKernelColumn(key: string): KernelColumn {
  if (columnOf(key) === undefined && AGGREGATE_KEYS.includes(key))
    throw new UsageError(`column '${key}' works only with --by`, `dprof --by op -c ${key}`);
  return requireColumnAmong(key, AGGREGATE_KEYS);
}

/** @throws UsageError for invalid options */
export function readReport(given: Arguments) {
  const { files } = readInputs(given);
  const width = given.read('width', (text) => integer('-w', text, undefined, WIDEST)) ?? null;
  const top = given.read('top', (text) => integer('--top', text, 1));
  const show = (['version', 'columns', 'devices'] as const).find((name) => given.on(name)) ?? ('report' as const);
  const hostGrouping = readHostGrouping(given, top);
  const grouping = hostGrouping === undefined ? readGrouping(given, top) : undefined;
  const isGrouped = grouping !== undefined || hostGrouping !== undefined;
  const columnsShown: 'host' | 'aggregates' | 'columns' =
    hostGrouping !== undefined ? 'host' : isGrouped ? 'aggregates' : 'columns';
  const terminal = terminalWidth(given.text('output'));
  const format = chooseFormat(given.text('format'), given.on('csv'), width, terminal);
  if (format.binary === true && show === 'report') refuseTerminal(given.text('output'), format.id);
  return {
    show: show === 'columns' ? columnsShown : show,
    /** Input files; empty for stdin. */
    files,
    output: given.text('output'),
    document: given.document,
    quiet: given.on('quiet'),
    reading: readReading(given),
    choice: readChoice(given, DPROF),
    columns: splitKeys('-c', (isGrouped ? undefined : given.text('cols')) ?? DEFAULT_COLUMNS).map(requireKernelColumn),
    format,
    width: width !== null && width > 0 ? width : format === fitted ? terminal : null,
    header: given.on('header'),
    where: given.read('where', parseWhere),
    /** The filter as text, for groups of partial answers, which have other columns. */
    whereText: given.text('where'),
    sort: isGrouped ? undefined : given.read('sort', (text) => parseSortKeys(text, requireKernelColumn)),
    top,
    /** Groups with their columns and order, for one row per group instead of one per kernel. */
    grouping,
    /** Table with one row for each name of a host activity. */
    hostGrouping,
    explain: given.read('explain', parseKernelId),
    /** Peak rates for all devices of the input. */
    device: readPeaks(given),
    /** Convention for counting work; null for the default. */
    convention: given.read('convention', parseConvention) ?? null,
  };
}

export type ReportRequest = Readonly<ReturnType<typeof readReport>>;

/** Formats that keep to a width. */
const WITH_WIDTH = ['columns', 'table', 'fitted'];

/** @param terminal width of the terminal that the report goes to; null for any other output */
function chooseFormat(id: string | undefined, csv: boolean, width: number | null, terminal: number | null): Format {
  if (csv && id !== undefined && id !== 'csv')
    throw new UsageError(`--csv cannot be combined with --format ${id}`, 'use one of them');
  // As in PyProf, a width of 0 or less means no columns.
  const implied = csv ? 'csv' : width !== null && width > 0 ? 'columns' : 'space';
  if (implied === 'space' && id === undefined && width === null && terminal !== null) return fitted;
  const format = requireFormat(id ?? implied);
  if (width !== null && id !== undefined && !WITH_WIDTH.includes(id))
    throw new UsageError(
      `-w cannot be combined with --format ${id}`,
      `-w works with --format ${WITH_WIDTH.join(', ')}`,
    );
  return format;
}
