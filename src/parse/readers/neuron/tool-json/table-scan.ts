/**
 * First pass: small tables are kept in memory, rows of large tables are indexed. Tables may come in any order, and so may
 * the keys of a row.
 */
import { entryOf } from '../../../../containers/map-entry.js';
import { isJsonObject, ExactDecoder } from '../../../json/json-value.js';
import { elementAt } from '../../../../containers/element.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { UserError } from '../../../../record/errors.js';
import { Fields } from '../../../json/event-fields.js';
import { ByteWindow } from '../../../input/byte-window.js';
import { JsonCursor } from '../../../json/json-cursor.js';
import { endOfValue, OPEN_BRACE, OPEN_BRACKET, QUOTE, CUT, endOfNested } from '../../../json/json-bytes.js';
import {
  LONGEST_ROW,
  RowIndex,
  useOfTable,
  TIMED_TABLES,
  EMPTY_ROW,
  type KeptTable,
  type TableUse,
  type TimedTable,
  type ToolRow,
} from './json-tables.js';

/** Maximum number of rows and bytes of one small table, and of names of subgraphs. */
const MOST_ROWS = 50_000;
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_SUBGRAPHS = 4096;

export class ToolFile {
  readonly activities = new RowIndex();
  readonly layers = new RowIndex();
  readonly kept = new Map<string, ToolRow[]>();
  /** Names of the subgraphs in rows, in order of appearance. */
  readonly subgraphs: string[] = [];

  rows(table: KeptTable): readonly ToolRow[] {
    return this.kept.get(table) ?? [];
  }

  /** The only row of a table; an empty one when it is missing. */
  row(table: KeptTable): ToolRow {
    return this.kept.get(table)?.[0] ?? EMPTY_ROW;
  }
}

/** @throws UserError when the file is not a JSON object */
export function scanToolFile(path: string, name: string, diagnostics: Diagnostics, step?: number): ToolFile {
  const window = new ByteWindow(path, step);
  try {
    const scan = new ToolFileScan(new JsonCursor(window), diagnostics);
    const whole = scan.read();
    if (whole === null) {
      throw new UserError('is not a JSON object', {
        where: name,
        hint: 'dparse reads what neuron-explorer view --output-format json writes',
      });
    }
    if (!whole) diagnostics.count('truncated-input');
    return scan.file;
  } finally {
    window.close();
  }
}

class ToolFileScan {
  readonly file = new ToolFile();
  readonly #decoder = new ExactDecoder();
  readonly #scans: ReadonlyMap<TimedTable, RowScan> = new Map(
    TIMED_TABLES.map(([table, ...keys]) => [table, new RowScan(keys)]),
  );
  readonly #subgraphs: Buffer[] = [];
  #subgraph: Buffer = Buffer.alloc(0);
  readonly #keptBytes = new Map<string, number>();

  constructor(
    private readonly cursor: JsonCursor,
    private readonly diagnostics: Diagnostics,
  ) {}

  /** @returns whether the top-level object is complete; null when the file has none */
  read(): boolean | null {
    if (this.cursor.next() !== OPEN_BRACE) return null;
    const whole = this.cursor.members((table) => this.#table(table));
    this.diagnostics.count('not-json', this.#decoder.notJson);
    return whole;
  }

  /**
   * Reads one table.
   * @returns false when the file ends inside the table
   */
  #table(table: string): boolean {
    const first = this.cursor.next();
    const use = useOfTable(table);
    if (use === 'unknown') this.diagnostics.count('unknown-table');
    if (use !== 'unknown' && use !== 'ignored') {
      if (first === OPEN_BRACKET) return this.cursor.items((first) => this.#take(table, use, first));
      // A table with a single row may be an object instead of a list.
      if (first === OPEN_BRACE) return this.#take(table, use, first);
    }
    return this.cursor.passValue();
  }

  /**
   * Reads one row.
   * @returns false when the file ends inside the row
   */
  #take(table: string, use: TableUse, first: number): boolean {
    if (first !== OPEN_BRACE) {
      this.diagnostics.count('malformed-event');
      return this.cursor.passValue();
    }
    return typeof use === 'number' ? this.#index(use) : this.#keep(table);
  }

  #index(table: number): boolean {
    const [name] = elementAt(TIMED_TABLES, table);
    const scan = this.#scans.get(name) as RowScan;
    const row = this.cursor.whole((bytes, at, end) => scan.read(bytes, at, end));
    if (row === null) return false;
    const length = row.to - row.from;
    if (!scan.isWhole) this.diagnostics.count('malformed-event');
    else if (Number.isNaN(scan.time) || length > LONGEST_ROW) this.diagnostics.count('row-passed-over');
    else {
      if (scan.isRepeated) this.diagnostics.count('repeated-key');
      this.#noteSubgraph(row.bytes, scan.subgraphFrom, scan.subgraphTo);
      this.#indexOf(name).add(table, scan.time, this.cursor.offset, length);
    }
    this.cursor.pass(length);
    return true;
  }

  #indexOf(table: TimedTable): RowIndex {
    return table === 'layer_summary' ? this.file.layers : this.file.activities;
  }

  #noteSubgraph(bytes: Buffer, from: number, to: number): void {
    if (from === to || bytes.compare(this.#subgraph, 0, this.#subgraph.length, from, to) === 0) return;
    const name = bytes.subarray(from, to);
    const known = this.#subgraphs.find((each) => each.equals(name));
    this.#subgraph = known ?? Buffer.from(name);
    if (known !== undefined || this.#subgraphs.length >= MOST_SUBGRAPHS) return;
    this.#subgraphs.push(this.#subgraph);
    this.file.subgraphs.push(name.toString('utf8'));
  }

  #keep(table: string): boolean {
    const { kept } = this.file;
    const span = this.cursor.whole(endOfValue);
    if (span === null) return false;
    const size = span.to - span.from;
    const rows = entryOf(kept, table, () => []);
    const bytes = this.#keptBytes.get(table) ?? 0;
    if (rows.length >= MOST_ROWS || bytes + size > MOST_BYTES) this.diagnostics.count('row-passed-over');
    else {
      const row = this.#decoder.decode(span.bytes, span.from, span.to);
      if (isJsonObject(row)) rows.push(row);
      else this.diagnostics.count('malformed-event');
      this.#keptBytes.set(table, bytes + size);
    }
    this.cursor.pass(size);
    return true;
  }
}

/** Time and subgraph of a row, found in its bytes without decoding it. */
class RowScan {
  readonly #fields: Fields;
  /** Codes of the keys of the subgraph's name, in order of precedence. They follow the codes of the time's keys. */
  readonly #subgraphs: readonly [plain: number, qualified: number];
  /** In the file's unit; NaN when the row has none. */
  time = NaN;
  /** Range of the subgraph's name in the bytes; empty when the row names none. */
  subgraphFrom = 0;
  subgraphTo = 0;
  /** Whether the row is a complete object. */
  isWhole = false;
  /** Whether a key occurs twice, or the row has two times. */
  isRepeated = false;

  /** @param timeKeys keys under which the time may be */
  constructor(private readonly timeKeys: readonly string[]) {
    this.#fields = new Fields([...timeKeys, 'subgraph', 'fully_qualified_subgraph']);
    this.#subgraphs = [timeKeys.length, timeKeys.length + 1];
  }

  /** Reads the object that opens at `at`. @returns the offset after it, or CUT */
  read(bytes: Buffer, at: number, end: number): number {
    const odd = { repeatedKeys: 0, notJson: 0 };
    const to = this.#fields.read(bytes, at, end, odd);
    this.isWhole = to >= 0;
    if (to < 0) return to === CUT ? CUT : endOfNested(bytes, at, end);
    this.isRepeated = odd.repeatedKeys > 0;
    this.#noteTime();
    this.#noteSubgraph(bytes);
    return to;
  }

  /** The value of its last key is used. */
  #noteTime(): void {
    this.time = NaN;
    let last = -1;
    for (let code = 0; code < this.timeKeys.length; code++) {
      const [from, time] = [elementAt(this.#fields.from, code), this.#fields.number(code)];
      if (Number.isNaN(time)) continue;
      if (last !== -1) this.isRepeated = true;
      if (from > last) [last, this.time] = [from, time];
    }
  }

  #noteSubgraph(bytes: Buffer): void {
    const { from, to } = this.#fields;
    this.subgraphFrom = this.subgraphTo = 0;
    for (const code of this.#subgraphs) {
      const begin = elementAt(from, code);
      if (!this.#fields.has(code) || bytes[begin - 1] !== QUOTE) continue;
      const isRooted = code !== this.#subgraphs[0] && bytes[begin] === SLASH;
      [this.subgraphFrom, this.subgraphTo] = [isRooted ? begin + 1 : begin, elementAt(to, code)];
      return;
    }
  }
}

const SLASH = 0x2f;
