/**
 * Writes rows into a workbook for spreadsheets (Office Open XML, ECMA-376): one sheet with a header that stays in view
 * and can be filtered. Numbers are numbers, text is text and never a formula, unknown cells are empty.
 *
 * Rows are compressed as they come. write-excel-file, the library for this, keeps all rows (200,000 rows of ten cells
 * take 780 MB) and writes the time of day into the file, so that the same input would not give the same bytes. The archive
 * is therefore made with fflate.
 */
import type * as Fflate from 'fflate';
import { elementAt } from '../containers/element.js';
import { lateLibrary } from '../containers/late-library.js';
import { escapeControls } from '../record/control-characters.js';
import { UserError } from '../record/errors.js';
import { grouped } from '../record/plural.js';
import { textOf, type CellValue, type ColumnShape } from '../table/column.js';
import type { Layout, Sheet } from './columns.js';

/** Maximum rows of a sheet, with the header, and characters of a cell ("Excel specifications and limits", Microsoft). */
const MOST_ROWS = 1_048_576;
const MOST_CHARACTERS = 32_767;

/** Modification time of the files in the archive: the earliest that the format has, so that equal tables give equal files. */
const MODIFIED = '1980-01-01T00:00:00';
/** Width of text columns without a width of their own, and maximum width, in characters. */
const [FLEXIBLE_WIDTH, WIDEST] = [40, 60];

const fflate = lateLibrary<typeof Fflate>('fflate');

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = 'http://schemas.openxmlformats.org';
const MAIN = `xmlns="${OFFICE}/spreadsheetml/2006/main"`;
const RELATIONS = `${OFFICE}/officeDocument/2006/relationships`;
const PACKAGE = `${OFFICE}/package/2006`;
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const SHEET_PATH = 'xl/worksheets/sheet1.xml';

/** The files of the archive around the sheet, by path. */
const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml':
    `<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    `<Override PartName="/xl/workbook.xml" ContentType="${SHEET_TYPE}.sheet.main+xml"/>` +
    `<Override PartName="/xl/styles.xml" ContentType="${SHEET_TYPE}.styles+xml"/>` +
    `<Override PartName="/${SHEET_PATH}" ContentType="${SHEET_TYPE}.worksheet+xml"/></Types>`,
  '_rels/.rels': relations([['officeDocument', 'xl/workbook.xml']]),
  'xl/_rels/workbook.xml.rels': relations([
    ['worksheet', 'worksheets/sheet1.xml'],
    ['styles', 'styles.xml'],
  ]),
  'xl/workbook.xml':
    `<workbook ${MAIN} xmlns:r="${RELATIONS}"><sheets>` +
    '<sheet name="dprof" sheetId="1" r:id="rId1"/></sheets></workbook>',
  // The second format of cells is that of the header: bold.
  'xl/styles.xml':
    `<styleSheet ${MAIN}><fonts count="2"><font><sz val="11"/></font><font><b/><sz val="11"/></font></fonts>` +
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    '<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs>' +
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
};

function relations(targets: readonly (readonly [type: string, target: string])[]): string {
  const each = targets.map(
    ([type, target], i) => `<Relationship Id="rId${i + 1}" Type="${RELATIONS}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${PACKAGE}/relationships">${each.join('')}</Relationships>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Text of a cell in XML. Spreadsheets read `_x0041_` as the character with that code, so the `_` before such a code is
 * itself written as a code.
 */
const xmlText = (text: string): string =>
  fitting(escapeControls(text))
    .replace(/_(?=x[\da-f]{4}_)/gi, '_x005F_')
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>]/g, (character) => ENTITIES[character] ?? '');

const fitting = (text: string): string =>
  text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1)}…`;

/** The letters of a column: A to Z, AA, AB and so on. */
const lettersOf = (column: number): string =>
  (column < 26 ? '' : lettersOf(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26));

function cell(at: string, column: ColumnShape, value: CellValue): string {
  if (value === null) return '';
  if (typeof value === 'number' && Number.isFinite(value)) return `<c r="${at}"><v>${value}</v></c>`;
  return textCell(at, textOf(column, value));
}

const textCell = (at: string, text: string, style = ''): string =>
  `<c r="${at}" t="inlineStr"${style}><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`;

const widthOf = ({ width, header }: ColumnShape): number =>
  Math.min(WIDEST, Math.max(header.length + 3, width === 0 ? FLEXIBLE_WIDTH : width));

/** What comes before the rows. */
function sheetStart(columns: readonly ColumnShape[], hasHeader: boolean): string {
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  const widths = columns.map(
    (column, i) => `<col min="${i + 1}" max="${i + 1}" width="${widthOf(column)}" customWidth="1"/>`,
  );
  return (
    `${XML}<worksheet ${MAIN}><sheetViews><sheetView workbookViewId="0">${hasHeader ? pane : ''}</sheetView></sheetViews>` +
    `<cols>${widths.join('')}</cols><sheetData>`
  );
}

/** An archive whose bytes are kept until they are taken. */
class Archive {
  readonly #pieces: Uint8Array[] = [];
  readonly #zip = new (fflate().Zip)((error, bytes) => {
    if (error !== null) throw error;
    this.#pieces.push(bytes);
  });

  /** Starts a file, to which the returned function adds text. */
  file(path: string): (text: string, isLast?: boolean) => void {
    const { ZipDeflate, strToU8 } = fflate();
    const file = new ZipDeflate(path, { level: 6 });
    file.mtime = MODIFIED;
    this.#zip.add(file);
    return (text, isLast = false) => file.push(strToU8(text), isLast);
  }

  *end(): Generator<Uint8Array> {
    this.#zip.end();
    yield* this.#pieces;
  }
}

/**
 * The sheet of a table. Compressed rows are held until the end, where the index of the archive is.
 * @throws UserError for more rows than a sheet can have
 */
export function openWorkbook<Row>({ columns, header }: Layout<Row>): Sheet<Row> {
  const letters = columns.map((_, i) => lettersOf(i));
  const archive = new Archive();
  for (const [path, text] of Object.entries(PARTS)) archive.file(path)(XML + text, true);
  const add = archive.file(SHEET_PATH);
  let rows = 0;
  const row = (cellOf: (column: ColumnShape, i: number, at: string) => string): string => {
    if (++rows > MOST_ROWS) throw tooManyRows();
    const cells = columns.map((column, i) => cellOf(column, i, `${elementAt(letters, i)}${rows}`));
    return `<row r="${rows}">${cells.join('')}</row>`;
  };
  add(sheetStart(columns, header));
  if (header) add(row((column, _, at) => textCell(at, column.header, ' s="1"')));
  return {
    head: () => '',
    pack: (item) => columns.map((column) => column.value(item)),
    rows: (packed) => {
      const all = packed as readonly (readonly CellValue[])[];
      add(all.map((values) => row((column, i, at) => cell(at, column, elementAt(values, i)))).join(''));
      return '';
    },
    *end() {
      const filter = header ? `<autoFilter ref="A1:${letters.at(-1) ?? 'A'}${rows}"/>` : '';
      add(`</sheetData>${filter}</worksheet>`, true);
      yield* archive.end();
    },
  };
}

const tooManyRows = (): UserError =>
  new UserError(`a worksheet has at most ${grouped(MOST_ROWS - 1)} rows`, {
    hint: 'choose rows with --top or --where, or write -f csv or parquet',
  });
