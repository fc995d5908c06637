/** Tables that TraceLens made of the traces, in ../shared/data/kineto/oracle. */
import { readFileSync } from 'node:fs';
import type { TraceArgument } from '../../docs/differences/tracelens.js';
import { dtypeBytes } from '../../src/record/element-types.js';
import type { OpCall } from '../../src/record/record.js';

/** What an `itShared` of a trace's table needs. */
export const tableOf = (trace: string, table: string): string => `data/kineto/oracle/${trace}.${table}.csv`;

type Row = Readonly<Record<string, string>>;

const cellsOf = (line: string): string[] =>
  [...line.matchAll(/(?<=^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    (quoted ?? plain ?? '').replaceAll('""', '"'),
  );

/** Rows of a CSV by its header; cells may be quoted, and hold commas and doubled quotes then. */
export function readCsv(path: string): Row[] {
  const [header = [], ...rows] = readFileSync(path, 'utf8').trimEnd().split(/\r?\n/).map(cellsOf);
  return rows.map((cells) => Object.fromEntries(header.map((name, i) => [name, cells[i] ?? ''])));
}

const TOKENS: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null', '(': '[', ')': ']' };
/** A string, a word, a bracket, a comma before a closing bracket, the dot of `1.`. */
const TOKEN = /'([^']*)'|\b(?:True|False|None)\b|,(?=\s*[)\]])|[()]|(?<=\d)\.(?!\d)/g;

/** A Python literal of tuples, lists, numbers and strings. */
const pythonValue = (text: string): unknown =>
  JSON.parse(
    text.replaceAll(TOKEN, (token, quoted?: string) =>
      quoted === undefined ? (TOKENS[token] ?? '') : JSON.stringify(quoted),
    ),
  );

/** An argument's value: `1.`, `[3, 3]`, `True`; a string where it is nothing else, undefined where it is missing. */
function valueOf(text: string): unknown {
  if (text === '' || text === 'None') return undefined;
  try {
    return pythonValue(text);
  } catch {
    return text;
  }
}

/** Element types in C++'s words, and in ours. */
const DTYPES: Readonly<Record<string, string>> = {
  'c10::BFloat16': 'bfloat16',
  'c10::Half': 'float16',
  float: 'float32',
  double: 'float64',
  int: 'int32',
  'long int': 'int64',
  'unsigned char': 'uint8',
  bool: 'bool',
};

/** One argument in few words: `[64,8] bfloat16`, `[[8,8],[8]]` for a tensor list, the value of anything else. */
const argumentText = (shape: unknown, dtype: string, value: unknown): string =>
  value === undefined || value === null ? `${JSON.stringify(shape ?? [])} ${dtype}` : JSON.stringify(value);

/** A call with its arguments as one string, so that calls of a trace and rows of a table compare. */
export function keyOf({ mod, op, args }: OpCall): string {
  const texts = args.map(({ shape, items, dtype = '', value }) =>
    argumentText(items === undefined ? shape : items.map((item) => item.shape ?? []), dtype, value),
  );
  return [`${mod}::${op}`, ...texts].join(' | ');
}

/** What TraceLens says of all calls of an op with the same arguments. */
export interface OpTotals {
  readonly key: string;
  /** Without its module. */
  readonly op: string;
  readonly args: readonly TraceArgument[];
  /** Rows of the table: it distinguishes strides. */
  rows: number;
  calls: number;
  /** Null where it has no model of the op. */
  flops: number | null;
  bytes: number | null;
}

function readRow(row: Row): OpTotals {
  const cell = (name: string): unknown => pythonValue(row[name] ?? '');
  const [dims, types, values] = [cell('Input Dims'), cell('Input type'), cell('Concrete Inputs')] as [
    number[][],
    string[],
    string[],
  ];
  const dtypes = types.map((type) => DTYPES[type] ?? '');
  const args = dims.map((shape, i) => ({
    shape,
    size: dtypeBytes(dtypes[i] ?? '') ?? 0,
    value: valueOf(values[i] ?? ''),
  }));
  const texts = args.map(({ shape, value }, i) => argumentText(shape, dtypes[i] ?? '', value));
  const name = row['name'] ?? '';
  const calls = Number(row['operation_count']);
  const times = (text: string | undefined, factor: number): number | null =>
    row['has_perf_model'] !== 'True' || text === undefined || text === '' ? null : Number(text) * factor;
  return {
    ...{ key: [name, ...texts].join(' | '), op: name.replace(/^aten::/, ''), args, rows: 1, calls },
    flops: times(row['GFLOPS'], calls * 1e9),
    bytes: times(row['Data Moved (MB)'], calls * 2 ** 20),
  };
}

const plus = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

/** The rows of `unified_perf_summary.csv`, those with equal arguments as one. */
export function opTotals(path: string): OpTotals[] {
  const totals = new Map<string, OpTotals>();
  for (const row of readCsv(path).map(readRow)) {
    const sum = totals.get(row.key);
    if (sum === undefined) totals.set(row.key, row);
    else {
      sum.rows++;
      sum.calls += row.calls;
      sum.flops = plus(sum.flops, row.flops);
      sum.bytes = plus(sum.bytes, row.bytes);
    }
  }
  return [...totals.values()];
}
