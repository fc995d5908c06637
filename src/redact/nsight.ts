/**
 * Redacts SQLite exports of Nsight Systems: a new database with the known tables, columns and rows, so that no page of the
 * old one is left. A string to which several tables refer is replaced as the first of its kinds in `PRECEDENCE`.
 */
import { realpathSync } from 'node:fs';
import { entryOf } from '../containers/map-entry.js';
import { firstBytes } from '../parse/files.js';
import { createDatabase, openDatabase, type NewDatabase } from '../parse/sqlite/sqlite-library.js';
import { quote } from '../parse/sqlite/tables.js';
import { openCopy, usesLog, type OpenedDatabase } from '../parse/sqlite/wal-copy.js';
import { meaningOf } from '../parse/readers/nsight/session.js';
import type { DiagnosticName } from '../record/diagnostics.js';
import { EVENT } from '../parse/readers/nsight/nvtx.js';
import { TENSORRT_CALL } from '../parse/trace/markers/markers.js';
import { JsonMembers, nodeText, parseNode, Word, type JsonNode } from './json-node.js';
import { NSIGHT_COLUMNS, NSIGHT_ENUMS, NSIGHT_ROWS, NSIGHT_TABLES, type NsightText } from './nsight-columns.js';
import type { TextKind, TextRules } from './texts.js';
import { isToolText } from './words.js';

/** A cell with integers of 64 bits. */
type Cell = bigint | number | string | Buffer | null;

/** Kinds of strings; the first one applies to a string that has several. */
const PRECEDENCE: readonly (TextKind | 'json')[] = ['kernel', 'api', 'range', 'layer', 'activity', 'json', 'symbol', 'domain', 'path', 'thread', 'process']; // prettier-ignore

const HEADER_BYTES = 100;

function open(path: string): OpenedDatabase {
  const file = realpathSync(path);
  return usesLog(firstBytes(file, HEADER_BYTES), file)
    ? openCopy(file)
    : { database: openDatabase(file), remove: () => undefined };
}

/**
 * Writes the redacted copy of an export.
 * @param into path of an empty file, or of a file that does not exist
 */
export function redactNsight(path: string, into: string, rules: TextRules): void {
  const { database, remove } = open(path);
  try {
    const copy = createDatabase(into);
    try {
      new NsightCopy(database, copy, rules).write();
      copy.exec('COMMIT');
    } finally {
      copy.close();
    }
  } finally {
    database.close();
    remove();
  }
}

interface Column {
  readonly name: string;
  readonly text: NsightText | undefined;
  readonly isKey: boolean;
}

/** The table of NVTX, whose rows name ranges, and also domains, threads and categories. */
const NVTX = 'NVTX_EVENTS';
/** Prefix of the tables with the names of codes. */
const ENUM = 'ENUM_';
/** Messages of the profiler that readers count, in words that they recognise. */
const MESSAGES: Readonly<Partial<Record<DiagnosticName, string>>> = {
  'profiler-without-permission': 'insufficient privilege',
  'profiler-driver-not-supported': 'driver is not supported',
  'profiler-not-initialised': 'CUPTI is not initialized',
  'profiler-saw-no-device': 'no CUDA events',
};

class NsightCopy {
  /** Names of domains by process and id. */
  readonly #domains = new Map<string, string>();
  /** The kind of each string that is used. */
  readonly #kinds = new Map<bigint, TextKind | 'json'>();
  readonly #payloads: PayloadCopy;

  constructor(
    private readonly from: OpenedDatabase['database'],
    private readonly into: NewDatabase,
    private readonly rules: TextRules,
  ) {
    this.#payloads = new PayloadCopy((table) => this.#all(table, ['domainId', 'schemaId', 'idx', 'type', 'offset']));
  }

  write(): void {
    const tables = this.from
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
      .pluck()
      .all() as string[];
    this.#readDomains(tables);
    for (const table of tables) this.#readStrings(table);
    for (const table of tables) {
      if (table.startsWith('sqlite_')) continue;
      if (table.startsWith(ENUM) && NSIGHT_ENUMS.has(table.slice(ENUM.length))) this.#copyNames(table);
      else if (rulesOf(table) === undefined) this.rules.drop('tables', this.#count(table) > 0 ? 1 : 0);
      else this.#copy(table);
    }
    for (const type of ['view', 'trigger', 'index'])
      this.rules.drop(`${type === 'index' ? 'indexe' : type}s`, Number(this.from.prepare("SELECT count(*) FROM sqlite_master WHERE type = ? AND sql IS NOT NULL").pluck().get(type))); // prettier-ignore
  }

  #count(table: string): number {
    return Number(
      this.from
        .prepare(`SELECT count(*) FROM ${quote(table)}`)
        .pluck()
        .get(),
    );
  }

  #columnsOf(table: string): readonly string[] {
    return this.from.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];
  }

  /** The cells of some columns; a missing column is null. */
  #all(table: string, columns: readonly string[], condition = 'TRUE'): IterableIterator<Cell[]> {
    const there = new Set(this.#columnsOf(table));
    if (there.size === 0) return [][Symbol.iterator]();
    const cells = columns.map((column) => (there.has(column) ? quote(column) : 'NULL')).join(', ');
    const sql = `SELECT ${cells} FROM ${quote(table)} WHERE ${condition}`;
    return this.from.prepare(sql).raw().safeIntegers().iterate() as IterableIterator<Cell[]>;
  }

  #readDomains(tables: readonly string[]): void {
    if (!tables.includes(NVTX) || !this.#columnsOf(NVTX).includes('eventType')) return;
    const rows = this.#all(NVTX, ['globalTid', 'domainId', 'text', 'textId'], `eventType = ${EVENT.domain}`);
    const strings = tables.includes('StringIds')
      ? this.from.prepare('SELECT value FROM StringIds WHERE id = ?').pluck()
      : null;
    for (const [thread, domain, text, id] of [...rows]) {
      const name = typeof text === 'string' ? text : (strings?.get(id) ?? null);
      if (typeof name === 'string') this.#domains.set(domainKey(thread, domain), name);
    }
  }

  /** Finds the strings to which a table refers, and the kind of each. */
  #readStrings(table: string): void {
    const { strings } = rulesOf(table) ?? {};
    const there = new Set(this.#columnsOf(table));
    for (const [column, kind] of Object.entries(strings ?? {})) {
      if (!there.has(column) || kind === null) continue;
      if (kind !== 'nvtx') {
        for (const [id] of this.#all(table, [column], `TRUE GROUP BY ${quote(column)}`))
          this.#use(id, kind as TextKind);
        continue;
      }
      const groups = ['eventType', 'domainId', '"globalTid" >> 24'].filter((name) => name.startsWith('"') ? there.has('globalTid') : there.has(name)); // prettier-ignore
      const condition = `${quote(column)} IS NOT NULL GROUP BY ${[quote(column), ...groups].join(', ')}`;
      for (const [id, type, domain, thread] of this.#all(
        table,
        [column, 'eventType', 'domainId', 'globalTid'],
        condition,
      ))
        this.#use(id, this.#nvtxKind(type, domain, thread));
    }
  }

  #use(id: Cell | undefined, kind: TextKind | 'json'): void {
    if (typeof id !== 'bigint') return;
    const known = this.#kinds.get(id);
    if (known === undefined || PRECEDENCE.indexOf(kind) < PRECEDENCE.indexOf(known)) this.#kinds.set(id, kind);
  }

  #nvtxKind(type: Cell | undefined, domain: Cell | undefined, thread: Cell | undefined): TextKind {
    if (type === BigInt(EVENT.domain)) return 'domain';
    if (type === BigInt(EVENT.thread)) return 'thread';
    return this.#domains.get(domainKey(thread, domain)) === 'TensorRT' ? 'layer' : 'range';
  }

  #copyNames(table: string): void {
    this.into.exec(`CREATE TABLE ${quote(table)} (id INTEGER PRIMARY KEY, name TEXT, label TEXT)`);
    const insert = this.into.prepare(`INSERT OR IGNORE INTO ${quote(table)} VALUES (?, ?, ?)`);
    const shown = (cell: Cell | undefined): string | null =>
      typeof cell === 'string' && isToolText(cell) ? cell : null;
    for (const [id, name, label] of this.#all(table, ['id', 'name', 'label']))
      if (typeof id === 'bigint') insert.run(id, shown(name), shown(label));
  }

  #copy(table: string): void {
    const columns = this.#copied(table);
    if (columns.length === 0) {
      this.rules.drop('tables');
      return;
    }
    const types = columns.map(({ name, text, isKey }) => `${quote(name)} ${text === undefined ? 'INTEGER' : 'TEXT'}${isKey ? ' PRIMARY KEY' : ''}`); // prettier-ignore
    this.into.exec(`CREATE TABLE ${quote(table)} (${types.join(', ')})`);
    const insert = this.into.prepare(
      `INSERT OR IGNORE INTO ${quote(table)} VALUES (${columns.map(() => '?').join(', ')})`,
    );
    const names = columns.map(({ name }) => name);
    const at = (name: string): number => names.indexOf(name);
    const [type, domain, thread, id] = [at('eventType'), at('domainId'), at('globalTid'), at('id')];
    const kept = Object.hasOwn(NSIGHT_ROWS, table) ? NSIGHT_ROWS[table] : undefined;
    const isStrings = table === 'StringIds';
    let rows = 0;
    for (const row of this.#all(table, names, kept)) {
      rows++;
      const kind = isStrings ? this.#kinds.get(row[id] as bigint) : undefined;
      if (isStrings && kind === undefined) {
        this.rules.drop('strings that no copied row refers to');
        continue;
      }
      const ofNvtx = table === NVTX ? this.#nvtxKind(row[type], row[domain], row[thread]) : undefined;
      insert.run(...columns.map(({ text }, i) => this.#cell(row[i] ?? null, text === 'nvtx' ? ofNvtx : isStrings && text !== undefined ? kind : text))); // prettier-ignore
    }
    if (kept !== undefined) this.rules.drop(`rows of ${table}`, this.#count(table) - rows);
  }

  #copied(table: string): readonly Column[] {
    const info = this.from.prepare('SELECT name, pk FROM pragma_table_info(?)').all(table) as {
      name: string;
      pk: number;
    }[];
    const { texts = {} } = rulesOf(table) ?? {};
    const keys = info.filter(({ pk }) => pk > 0).length;
    const known = info.filter(({ name }) => NSIGHT_COLUMNS.has(name) && texts[name] !== null);
    this.rules.drop('columns', info.length - known.length);
    return known.map(({ name, pk }) => ({
      name,
      text: table === 'StringIds' && name === 'value' ? 'text' : texts[name],
      isKey: pk > 0 && keys === 1 && name === 'id',
    }));
  }

  /** The cell to write: numbers stay; texts are replaced by a rule of their kind, and left out of columns of numbers. */
  #cell(cell: Cell, kind: NsightText | undefined): Cell {
    if (cell === null || typeof cell === 'bigint' || typeof cell === 'number') return cell;
    if (kind === 'payload') return this.#payloads.copy(cell);
    if (typeof cell !== 'string' || kind === undefined || kind === null) {
      this.rules.drop('cells');
      return null;
    }
    if (kind === 'message') return MESSAGES[meaningOf(cell)] ?? this.rules.redact('text', cell);
    if (kind === 'json') return jsonPayload(cell, this.rules);
    if (kind === 'nvtx') return this.rules.redact('range', cell);
    if (kind === 'layer' && TENSORRT_CALL.test(cell))
      return `${this.rules.pseudonyms.identifier('range', cell).replace(/^r/, 'R')}::call`;
    return this.rules.redact(kind, cell);
  }
}

const rulesOf = (table: string): (typeof NSIGHT_TABLES)[string] | undefined => {
  const name = table.replace(/_V\d{1,2}$/, '');
  return Object.hasOwn(NSIGHT_TABLES, name) ? NSIGHT_TABLES[name] : undefined;
};

const domainKey = (thread: Cell | undefined, domain: Cell | undefined): string =>
  `${typeof thread === 'bigint' ? thread >> 24n : ''}/${typeof domain === 'bigint' ? domain : 0n}`;

/** Keys of NCCL's JSON payloads that readers need. */
const PAYLOAD_KEYS: ReadonlySet<string> = new Set([
  'commHash',
  'count',
  'nRanks',
  'peer',
  'root',
  'seqNumber',
  'dataType',
  'rank',
]);

function jsonPayload(text: string, rules: TextRules): string | null {
  if (text === '') return text;
  const node = parseNode(text);
  if (!(node instanceof JsonMembers)) {
    rules.drop('payloads');
    return null;
  }
  const members = node.members.flatMap(([key, value]): (readonly [string, JsonNode])[] => {
    if (!PAYLOAD_KEYS.has(key)) return [];
    if (value instanceof Word || (typeof value === 'string' && /^(?:\d{1,20}|0x[\da-f]{1,16})$/i.test(value)))
      return [[key, value]];
    return key === 'dataType' && typeof value === 'string' && isToolText(value.replace(/^nccl/i, ''))
      ? [[key, value]]
      : [];
  });
  rules.drop('keys of payloads', node.members.length - members.length);
  return nodeText(new JsonMembers(members));
}

/** Bytes of NVTX's integer types by code. */
const INTEGER_BYTES: Readonly<Record<number, number>> = {
  5: 4,
  6: 4,
  11: 1,
  12: 1,
  13: 2,
  14: 2,
  15: 4,
  16: 4,
  17: 8,
  18: 8,
  22: 8,
};
const PAYLOAD_HEADER = 32;

/** Types and offsets of entries by domain and schema, then by position. */
type PayloadSchemas = Map<string, Map<number, { readonly type: number; readonly offset: number }>>;

/** Binary payloads of NVTX ranges: the integers of known schemas stay, all other bytes become 0. */
class PayloadCopy {
  #schemas: PayloadSchemas | null = null;

  constructor(private readonly entries: (table: string) => IterableIterator<Cell[]>) {}

  copy(cell: string | Buffer): string | Buffer | null {
    const bytes = typeof cell === 'string' ? Buffer.from(cell, 'hex') : cell;
    if (bytes.length < PAYLOAD_HEADER) return null;
    const copy = Buffer.alloc(bytes.length);
    bytes.copy(copy, 0, 0, PAYLOAD_HEADER);
    const [domain, schema, , offset] = [0, 8, 16, 24].map((at) => bytes.readBigUInt64LE(at));
    const from = Number(offset ?? 0n) >= PAYLOAD_HEADER ? Number(offset) : PAYLOAD_HEADER;
    const entries = (this.#schemas ??= this.#read()).get(`${domain}:${schema}`) ?? new Map<number, never>();
    let end = 0;
    for (const [, { type, offset: stated }] of [...entries].sort(([a], [b]) => a - b)) {
      const size = INTEGER_BYTES[type];
      if (size === undefined) continue;
      const at = stated > 0 ? stated : Math.ceil(end / size) * size;
      end = at + size;
      if (from + end <= bytes.length) bytes.copy(copy, from + at, from + at, from + end);
    }
    return typeof cell === 'string' ? copy.toString('hex').toUpperCase() : copy;
  }

  #read(): PayloadSchemas {
    const schemas: PayloadSchemas = new Map();
    for (const [domain, schema, index, type, offset] of this.entries('NVTX_PAYLOAD_SCHEMA_ENTRIES'))
      entryOf(schemas, `${String(domain)}:${String(schema)}`, () => new Map()).set(Number(index), {
        type: Number(type),
        offset: Number(offset ?? 0),
      });
    return schemas;
  }
}
