/** Damage to tables of text: cells, quotes, separators, columns. */
import type { KernelBounds, Mutation } from '../input.js';
import type { Random } from '../random.js';

const CELLS = [
  '',
  'N/A',
  '-1',
  '1e308',
  '99999999999999999999.9',
  'x',
  '"',
  '""',
  '"a""b"',
  '"a,b"',
  '"a\nb"',
  '1;2',
  '\t',
  '{}',
  '1.7e308',
  '0x10',
] as const;

type Rows = string[][];
type Editor = (rows: Rows, random: Random) => KernelBounds | undefined;

/** Of a row that is damaged by itself: one with an odd number of quotes runs on into the next. */
const ofRow = (row: readonly string[] | undefined): KernelBounds | undefined =>
  (row ?? []).join().split('"').length % 2 === 1 ? { lost: 1, added: 1 } : undefined;

const columnOf = (rows: Rows, random: Random): number => random.below(rows[0]?.length ?? 0);

const EDITORS: Readonly<Record<string, Editor>> = {
  'cell changed': (rows, random) => {
    const row = rows[1 + random.below(rows.length - 1)];
    const cell = random.of(CELLS);
    row?.splice(random.below(row.length), 1, cell);
    return ofRow(row);
  },
  'column changed': (rows, random) => {
    const [column, cell] = [columnOf(rows, random), random.of(CELLS)];
    for (const row of rows.slice(1)) if (column < row.length) row[column] = cell;
    return undefined;
  },
  'column removed': (rows, random) => {
    const column = columnOf(rows, random);
    for (const row of rows) row.splice(column, 1);
    return undefined;
  },
  'name of a column': (rows, random) => {
    rows[0]?.splice(columnOf(rows, random), 1, random.of(['', 'x', rows[0][0] ?? '', '"', 'Name', 'Start Time(us)']));
    return undefined;
  },
  'row of another length': (rows, random) => {
    const row = rows[random.below(rows.length)];
    if (random.chance(0.5)) row?.push(...Array<string>(random.few(50)).fill('7'));
    else row?.splice(random.below(row.length));
    return row === rows[0] ? undefined : ofRow(row);
  },
  'row doubled': (rows, random) => {
    const at = 1 + random.below(rows.length - 1);
    rows.splice(at, 0, [...(rows[at] ?? [])]);
    return { lost: 0, added: 1 };
  },
};

const joined = (rows: Rows, separator: string): Buffer =>
  Buffer.from(rows.map((row) => row.join(separator)).join('\n'));

/** Fields between commas: those with commas inside are damaged in the middle. */
export const CSV_MUTATIONS: Readonly<Record<string, Mutation>> = {
  ...Object.fromEntries(
    Object.entries(EDITORS).map(([name, edit]): [string, Mutation] => [
      name,
      (bytes, random) => {
        const rows = bytes
          .toString('utf8')
          .split('\n')
          .map((line) => line.split(','));
        const kernels = edit(rows, random);
        return { bytes: joined(rows, ','), ...(kernels === undefined ? undefined : { kernels }) };
      },
    ]),
  ),
  'another separator': (bytes, random) => ({
    bytes: Buffer.from(bytes.toString('utf8').replaceAll(',', random.of([';', '\t', ' , ']))),
  }),
};
