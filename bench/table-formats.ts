/**
 * Whether framed tables may be drawn plainly: what `table` costs beside whole tables given to cli-table3.
 *
 *   npm run bench formats -- [ROWS]
 *
 * Writes the same rows in both ways, in turn, and prints the ratio of processor time, plain to ours, of each pair.
 */
import CliTable from 'cli-table3';
import type { Column } from '../src/table/column.js';
import type { Packed } from '../src/write/format.js';
import { requireFormat } from '../src/write/formats.js';
import { median } from './measure.js';
import { KERNEL_NAMES } from './texts.js';

const PAIRS = 9;
const BATCH = 1000;

interface Kernel {
  readonly index: number;
  readonly name: string;
  readonly layer: string;
}

/** As many columns, and as wide ones, as a report has. */
const COLUMNS: readonly Column<Kernel>[] = [
  ...(['idx', 'sil', 'flops', 'bytes', 'tc'] as const).map((key, i): Column<Kernel> => ({
    ...{ key, header: key, type: 'int', width: 10, doc: '' },
    value: ({ index }) => (index * 7919 * (i + 1)) % 1e9,
  })),
  {
    key: 'op',
    header: 'op',
    type: 'str',
    width: 10,
    doc: '',
    value: ({ index }) => ['conv2d', 'linear'][index % 2] ?? '',
  },
  { key: 'layer', header: 'layer', type: 'str', width: 0, doc: '', value: ({ layer }) => layer },
  { key: 'kernel', header: 'kernel', type: 'str', width: 0, doc: '', value: ({ name }) => name },
  { key: 'grid', header: 'grid', type: 'str', width: 0, doc: '', value: ({ index }) => [index % 64, 1, 1] },
];

const rowsOf = (count: number): Kernel[] =>
  Array.from({ length: count }, (_, index) => ({
    index,
    name: KERNEL_NAMES[index % KERNEL_NAMES.length]?.demangled ?? '',
    layer: `net/stage${index % 4}/block${index % 24}`,
  }));

/** In batches, as a report writes. @returns characters written */
function ours(format: string, rows: readonly Kernel[]): number {
  const sheet = requireFormat(format).open({ columns: COLUMNS, header: true, width: null });
  let size = sheet.head().length;
  for (let at = 0; at < rows.length; at += BATCH) {
    const packed: Packed[] = rows.slice(at, at + BATCH).map((row) => sheet.pack(row));
    size += sheet.rows(packed).length;
  }
  for (const piece of sheet.end()) size += piece.length;
  return size;
}

const PLAIN: Readonly<Record<string, (rows: readonly Kernel[]) => number>> = {
  /** Cells as ours, the whole table to the library. */
  table: (rows) => {
    const table = new CliTable({
      head: COLUMNS.map(({ header }) => header),
      colAligns: COLUMNS.map(({ type }) => (type === 'str' ? 'left' : 'right')),
      style: { head: [], border: [], compact: true },
    });
    for (const cells of cellsOf('table', rows)) table.push(cells);
    return table.toString().length;
  },
};

function cellsOf(format: string, rows: readonly Kernel[]): string[][] {
  const sheet = requireFormat(format).open({ columns: COLUMNS, header: true, width: null });
  return rows.map((row) => {
    const packed = sheet.pack(row);
    return typeof packed === 'string' ? packed.split('\t') : [...(packed as readonly string[])];
  });
}

function cpuSeconds(work: () => number): number {
  const before = process.cpuUsage();
  if (work() === 0) throw new Error('nothing was written');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** cli-table3 takes many minutes for a table of as many rows as a profile easily has. */
const ROWS = 1_000;

for (const [format, plain] of Object.entries(PLAIN)) {
  const rows = rowsOf(Number(process.argv[2] ?? ROWS));
  const pairs = Array.from({ length: PAIRS }, () => {
    const own = cpuSeconds(() => ours(format, rows));
    return { own, library: cpuSeconds(() => plain(rows)) };
  });
  const ratios = pairs.map(({ own, library }) => library / own);
  const texts = pairs.map(({ own, library }) => `${library.toFixed(2)}/${own.toFixed(2)}`);
  process.stdout.write(
    `${format}, ${rows.length} rows: plain library to ours ${median(ratios).toFixed(2)} ` +
      `(${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}; CPU s ${texts.join(', ')})\n`,
  );
}
