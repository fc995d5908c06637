/** What `dprof` can be asked: one table for the parser and the help. */
import yargs from 'yargs';
import { chooseColumns } from '../prof/choose.js';
import { COLUMNS, DEFAULT_COLUMNS, type Column } from '../prof/columns.js';
import { parseKernelId, type KernelId } from '../prof/explain.js';
import { parseSort, type SortKey } from '../prof/sort.js';
import { parseWhere, type Condition } from '../prof/where.js';
import { nearest, UsageError } from '../record/errors.js';
import { FORMATS, requireFormat, type Format } from '../write/format.js';

interface Option {
  readonly name: string;
  readonly short?: string;
  /** Name of the value; a switch has none. */
  readonly takes?: string;
  readonly help: string;
}

const OPTIONS: readonly Option[] = [
  { name: 'cols', short: 'c', takes: 'COLS', help: `columns, comma-separated (${DEFAULT_COLUMNS})` },
  { name: 'width', short: 'w', takes: 'N', help: 'columns of fixed width, no line wider than N' },
  { name: 'csv', help: 'same as --format csv' },
  { name: 'format', short: 'f', takes: 'F', help: FORMATS.map(({ id }) => id).join(', ') },
  { name: 'where', takes: 'EXPR', help: 'only kernels where EXPR holds: == != > >= < <= ~ !~ && || ( )' },
  { name: 'sort', takes: 'COLS', help: 'numbers largest first, text A to Z; +COL up, -COL down' },
  { name: 'top', takes: 'N', help: 'only the first N rows' },
  { name: 'no-header', help: 'no header line' },
  { name: 'explain', takes: 'IDX', help: 'where the numbers of one kernel come from (IDX or PROFILE:IDX)' },
  { name: 'output', short: 'o', takes: 'OUT', help: 'write to OUT, which appears when it is complete' },
  { name: 'quiet', short: 'q', help: 'no summary and no progress on stderr' },
  { name: 'columns', help: 'list the columns with what they mean' },
  { name: 'help', short: 'h', help: 'this text' },
  { name: 'version', help: 'version' },
];

const EXAMPLES = [
  'dparse net.sqlite | dprof -w 120',
  'dprof -c op,kernel,sil,tc,flops --sort sil --top 20 -f table net.sqlite',
  "dprof --csv --where 'op==conv2d && sil>10000' net.dict > conv.csv",
  "dprof -c op,sil net.dict | awk 'NR>1 {t[$1]+=$2} END {for (o in t) print t[o], o}'",
];

export const USAGE = 'dprof [OPTION...] [FILE]';

export function helpText(): string {
  const rows = OPTIONS.map(({ name, short, takes, help }) => {
    const left = `${short === undefined ? '    ' : `-${short}, `}--${name}${takes === undefined ? '' : ` ${takes}`}`;
    return `  ${left.padEnd(20)} ${help}`;
  });
  return [
    `Usage: ${USAGE}`,
    'Which op and layer launched each kernel, how many FLOPs and bytes it needed.',
    '',
    'FILE: records of dparse (also .gz), a net.dict of PyProf, or a profile. Default: stdin.',
    '',
    'Options:',
    ...rows,
    '',
    ...wrapped('Columns: ', COLUMNS.map(({ key }) => key).join(' ')),
    'Memory: about 150 MB; --sort adds the text of its rows (with --top N, of N rows).',
    '',
    'Examples:',
    ...EXAMPLES.map((example) => `  ${example}`),
    '',
  ].join('\n');
}

function wrapped(label: string, text: string): string[] {
  const lines = [label];
  for (const item of text.split(' ')) {
    const line = lines[lines.length - 1] ?? '';
    if (line.length + item.length + 1 > 80) lines.push(`${' '.repeat(label.length)}${item}`);
    else lines[lines.length - 1] = line.endsWith(' ') ? line + item : `${line} ${item}`;
  }
  return lines;
}

export function columnsText(): string {
  return COLUMNS.map(({ key, header, unit, doc }) => {
    return `${key.padEnd(8)} ${header.padEnd(10)} ${(unit ?? '').padEnd(5)} ${doc}\n`;
  }).join('');
}

export interface Request {
  readonly show: 'report' | 'help' | 'columns' | 'version';
  readonly file: string | undefined;
  readonly output: string | undefined;
  readonly quiet: boolean;
  readonly columns: readonly Column[];
  readonly format: Format;
  readonly width: number | null;
  readonly header: boolean;
  readonly where: Condition | undefined;
  readonly sort: readonly SortKey[] | undefined;
  readonly top: number | undefined;
  readonly explain: KernelId | undefined;
}

/**
 * Reads the arguments.
 * @throws UsageError for anything that cannot be meant
 */
export function readArguments(args: readonly string[]): Request {
  const given = parse(args);
  const text = (name: string): string | undefined => {
    const value = given[name];
    return typeof value === 'string' ? value : undefined;
  };
  const maybe = <T>(name: string, read: (value: string) => T): T | undefined => {
    const value = text(name);
    return value === undefined ? undefined : read(value);
  };
  const files = given._;
  if (files.length > 1)
    throw new UsageError(`one FILE, not ${files.length}`, 'dparse takes several and makes one stream of them');
  const asked = (['help', 'version', 'columns'] as const).find((name) => given[name] === true);
  const width = maybe('width', (value) => integer('-w', value)) ?? null;
  return {
    show: asked ?? 'report',
    file: files[0],
    output: text('output'),
    quiet: given['quiet'] === true,
    columns: chooseColumns(text('cols') ?? DEFAULT_COLUMNS),
    format: chooseFormat(text('format'), given['csv'] === true, width),
    width: width !== null && width > 0 ? width : null,
    header: given['header'] !== false,
    where: maybe('where', parseWhere),
    sort: maybe('sort', parseSort),
    top: maybe('top', (value) => integer('--top', value, 1)),
    explain: maybe('explain', parseKernelId),
  };
}

function chooseFormat(id: string | undefined, csv: boolean, width: number | null): Format {
  if (csv && width !== null) throw new UsageError('--csv and -w exclude each other', 'choose one');
  if (csv && id !== undefined && id !== 'csv')
    throw new UsageError(`--csv and --format ${id} exclude each other`, 'choose one');
  // As in PyProf, a width of 0 or less asks for no columns.
  const implied = csv ? 'csv' : width !== null && width > 0 ? 'columns' : 'space';
  const format = requireFormat(id ?? implied);
  if (width !== null && id !== undefined && id !== 'columns') {
    throw new UsageError(`-w and --format ${id} exclude each other`, '-w goes with columns');
  }
  return format;
}

function integer(option: string, text: string, least = -Infinity): number {
  const value = /^[+-]?\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(value) || value < least) throw new UsageError(`${option} takes a number, not '${text}'`);
  return value;
}

type Given = Readonly<Record<string, unknown>> & { readonly _: readonly string[] };

function parse(args: readonly string[]): Given {
  const parser = yargs()
    .help(false)
    .version(false)
    .exitProcess(false)
    .locale('en')
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'duplicate-arguments-array': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .strictOptions()
    .fail((message, error) => {
      throw asUsageError(message, error);
    });
  for (const { name, short, takes } of OPTIONS) {
    const alias = short === undefined ? {} : { alias: short };
    const key = name.replace(/^no-/, '');
    if (takes === undefined) parser.option(key, { boolean: true, ...alias });
    else parser.option(key, { string: true, requiresArg: true, ...alias });
  }
  const given = parser.parseSync(joinSort(args));
  return { ...given, _: given._.map(String) };
}

/** `--sort -sil`: the value looks like an option to any parser. */
function joinSort(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    if (joined.at(-1) === '--sort' && /^-[a-z]/.test(arg)) joined[joined.length - 1] = `--sort=${arg}`;
    else joined.push(arg);
  }
  return joined;
}

function asUsageError(message: string | null, error: unknown): Error {
  const text = message ?? (error instanceof Error ? error.message : String(error));
  const unknown = /^Unknown arguments?: ([^,\s]+)/.exec(text)?.[1];
  if (unknown !== undefined) {
    const near = nearest(
      unknown,
      OPTIONS.map(({ name }) => name),
    );
    const dashes = unknown.length === 1 ? '-' : '--';
    const hint = near === null || unknown.length === 1 ? 'dprof --help lists them' : `did you mean --${near}?`;
    return new UsageError(`unknown option ${dashes}${unknown}`, hint);
  }
  const needs = /^Not enough arguments following: (\S+)/.exec(text)?.[1];
  if (needs !== undefined) return new UsageError(`${needs.length === 1 ? '-' : '--'}${needs} needs a value`);
  return new UsageError(text, `usage: ${USAGE}`);
}
