/** Rows of TraceLens' unified_perf_summary.csv: each an op as the dispatcher ran it, with FLOPs and bytes of its model. */
import { readFileSync } from 'node:fs';
import type { Arg, ArgValue, OpCall } from '../../src/record/record.js';
import { aten, none, t } from './calls.js';

export interface OracleRow {
  /** Without `aten::`. */
  readonly op: string;
  readonly call: OpCall;
  readonly flops: number;
  readonly bytes: number;
}

const DTYPES: Readonly<Record<string, string>> = {
  float: 'float32',
  'c10::BFloat16': 'bfloat16',
  'long int': 'int64',
};

/** The cells of a line, quoted or not. */
const cells = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    (quoted ?? plain ?? '').replaceAll('""', '"'),
  );

/** `((8, 16), (16,), ())` → [[8, 16], [16], []] */
const extents = (text: string): number[][] =>
  JSON.parse(text.replaceAll(',)', ')').replaceAll('(', '[').replaceAll(')', ']')) as number[][];

const words = (text: string): string[] => [...text.matchAll(/'([^']*)'/g)].map(([, word = '']) => word);

/** `True`, `1.`, `[3, 3]`, `[True, False]`. */
function literal(text: string): ArgValue | undefined {
  const json = text.replaceAll('True', 'true').replaceAll('False', 'false').replace(/\.$/, '');
  try {
    return JSON.parse(json) as ArgValue;
  } catch {
    return undefined;
  }
}

function argument(shape: readonly number[], type: string, text: string): Arg {
  const dtype = DTYPES[type];
  if (dtype !== undefined) return t(shape, dtype);
  if (type === '') return none;
  const value = literal(text);
  return value === undefined ? { name: '', type: 'unknown' } : { name: '', type: typeof value, value };
}

/** The rows with a performance model. */
export function oracleRows(path: string): OracleRow[] {
  const [head = '', ...lines] = readFileSync(path, 'utf8').split(/\r?\n/);
  const columns = cells(head);
  return lines.map(cells).flatMap((row) => {
    const cell = (name: string): string => row[columns.indexOf(name)] ?? '';
    if (cell('GFLOPS') === '') return [];
    const [types, texts] = [words(cell('Input type')), words(cell('Concrete Inputs'))];
    const args = extents(cell('Input Dims')).map((shape, i) => argument(shape, types[i] ?? '', texts[i] ?? ''));
    const op = cell('name').replace(/^aten::/, '');
    const [flops, bytes] = [Number(cell('GFLOPS')) * 1e9, Number(cell('Data Moved (MB)')) * 2 ** 20];
    return [{ op, call: aten(op, ...args), flops, bytes }];
  });
}
