/** Workbooks hold what JSON lines do: the same columns, values and unknowns, with text that is never a formula. */
import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { COLUMNS } from '../../src/prof/columns/columns.js';
import { tableText } from '../../src/write/columns.js';
import { loadFormat, requireFormat } from '../../src/write/formats.js';
import { textOf, column, int, str, type CellValue, type Column, type ColumnShape } from '../../src/table/column.js';
import { freshPath } from '../support/fresh-path.js';
import { runCli } from '../support/run-cli.js';
import { itSlow } from '../support/sets.js';
import { ROOT } from '../support/shared.js';

const sample = (name: string): string => join(ROOT, 'samples', name);

type Cell = string | number | null;

const SHEET = 'xl/worksheets/sheet1.xml';
const ROW = /<row r="(\d+)">(.*?)<\/row>/gs;
const CELL =
  /<c r="([A-Z]+)\d+"(?: t="(inlineStr)")?(?: s="1")?>(?:<v>(.*?)<\/v>|<is><t xml:space="preserve">(.*?)<\/t><\/is>)<\/c>/gs;

const plainText = (xml: string): string =>
  xml
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
    .replace(/_x005F_/g, '_');

const indexOf = (letters: string): number =>
  Array.from(letters).reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0) - 1;

const partsOf = (bytes: Uint8Array): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(unzipSync(bytes)).map(([path, content]) => [path, strFromU8(content)]));

/** The cells of a workbook by row; null for empty ones. */
function cellsOf(bytes: Uint8Array, columns: number): Cell[][] {
  const xml = partsOf(bytes)[SHEET] ?? '';
  return [...xml.matchAll(ROW)].map(([, , cells = '']) => {
    const row = Array.from<Cell>({ length: columns }).fill(null);
    for (const [, at = '', isText, number, text = ''] of cells.matchAll(CELL))
      row[indexOf(at)] = isText === undefined ? Number(number) : plainText(text);
    return row;
  });
}

async function workbookOf<Row>(columns: readonly Column<Row>[], rows: Iterable<Row>, header = true): Promise<Buffer> {
  const format = await loadFormat(requireFormat('xlsx'));
  const pieces = [...tableText(format, { columns, rows }, { header })];
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
}

const KEYS = COLUMNS.map(({ key }) => key).join(',');

/** The cell of a value in JSON. */
const expected = (shape: ColumnShape, value: CellValue): Cell =>
  value === null || typeof value === 'number' ? value : textOf(shape, value);

describe('xlsx', () => {
  for (const name of ['lenet.nsys.sqlite', 'lenet.pt.trace.json.gz', 'attention.ntff', 'ascend_pt']) {
    it(`has all columns of the report of ${name}`, async () => {
      const path = freshPath('.xlsx');
      const args = ['-q', '-c', KEYS, sample(name)];
      const written = await runCli('dprof', [...args, '-f', 'xlsx', '-o', path]);
      const { stdout } = await runCli('dprof', [...args, '-f', 'jsonl']);
      expect(written.code, written.stderr).to.equal(0);
      const rows = stdout.split('\n').flatMap((line) => {
        const row = line === '' ? {} : (JSON.parse(line) as Readonly<Record<string, CellValue>>);
        return 'idx' in row ? [COLUMNS.map((shape) => expected(shape, row[shape.key] ?? null))] : [];
      });
      expect(rows.length).to.be.greaterThan(0);
      expect(cellsOf(readFileSync(path), COLUMNS.length)).to.deep.equal([COLUMNS.map(({ header }) => header), ...rows]);
    });
  }

  const TEXT = column<string>('text', 'Text', str(0), 'a text', (row) => row);
  const LENGTH = column<string>('length', 'Length', int(6), 'its length', (row) => (row === '' ? null : row.length));

  it('has text as it is, with controls escaped, and no cell for what is unknown', async () => {
    const texts = ['=1+1', '<a> & "b"', '_x0041_', ' two  blanks ', 'bell\u0007', 'naïve ✓ 😀', ''];
    const cells = cellsOf(await workbookOf([TEXT, LENGTH], texts), 2);
    expect(cells.slice(1).map(([text]) => text)).to.deep.equal([
      ...['=1+1', '<a> & "b"', '_x0041_', ' two  blanks ', 'bell\\u0007', 'naïve ✓ 😀', ''],
    ]);
    expect(cells.slice(1).map(([, length]) => length)).to.deep.equal([4, 9, 7, 13, 5, 10, null]);
    expect(partsOf(await workbookOf([TEXT], ['_x0041_']))[SHEET]).to.contain('>_x005F_x0041_<');
  });

  it('shortens text beyond the characters that a cell can have', async () => {
    const [cell] = cellsOf(await workbookOf([TEXT], ['y'.repeat(32_768)], false), 1)[0] ?? [];
    expect(cell).to.equal(`${'y'.repeat(32_766)}…`);
  });

  it('numbers columns beyond Z with two letters', async () => {
    const columns = Array.from({ length: 60 }, (_, i) => column<number>(`c${i}`, `C${i}`, int(6), '', () => i));
    const [header = [], row] = cellsOf(await workbookOf(columns, [0]), 60);
    expect([header[25], header[26], header[52]]).to.deep.equal(['C25', 'C26', 'C52']);
    expect(row).to.deep.equal(columns.map((_, i) => i));
  });

  itSlow('refuses more rows than a sheet can have, and writes nothing', async () => {
    const error = await workbookOf([LENGTH], Array.from<string>({ length: 1_048_576 }).fill('')).catch(
      (failure: unknown) => failure,
    );
    expect(String((error as { readonly line?: string }).line)).to.match(
      /at most 1,048,575 rows.*--top.*csv or parquet/,
    );
  });

  it('is the same for the same table', async () => {
    const [first, second] = [await workbookOf([TEXT], ['a']), await workbookOf([TEXT], ['a'])];
    expect(first.equals(second)).to.equal(true);
    // The year of the first file, from 1980.
    expect(first.readUInt16LE(12) >> 9).to.equal(0);
  });

  it('leaves no file when the columns are wrong', async () => {
    const path = freshPath('.xlsx');
    const { code, stderr } = await runCli('dprof', [
      '-f',
      'xlsx',
      '-o',
      path,
      '-c',
      'nothing',
      sample('attention.ntff'),
    ]);
    expect([code, existsSync(path)], stderr).to.deep.equal([2, false]);
  });
});
