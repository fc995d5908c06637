/**
 * Folders of tables in Parquet or Arrow, as exporters of profilers write them: one file for each table, or several
 * numbered ones; and streams of several Arrow tables. The tables are copied into a temporary SQLite database, so that
 * the readers of databases can read them in bounded memory.
 */
import type Database from 'better-sqlite3';
import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { entryOf } from '../../containers/map-entry.js';
import { isSystemError, UserError } from '../../record/errors.js';
import { Growth, PackedFault } from '../../record/lines/packed.js';
import { asUserError, UnreadableInput } from '../files.js';
import { createDatabase } from './sqlite-library.js';
import { CELL_BYTES, type TableColumn, type TableRows } from './parquet-tables.js';
import { quote } from './tables.js';

/** Files of each table in order, by the table's name. */
export type TableFiles = ReadonlyMap<string, readonly string[]>;

const TABLE = /^(.+?)(?:_(\d{1,6}))?\.(?:parquet|arrows?)$/;

/**
 * The tables of each folder among some paths, by the folder. Where a folder has both formats, they are two exports of
 * the same tables, and those in Parquet are taken.
 */
export function tablesByFolder(paths: readonly string[]): ReadonlyMap<string, TableFiles> {
  const folders = new Map<string, Map<string, string[]>>();
  const withParquet = new Set(paths.filter(isParquet).map((path) => dirname(path)));
  const numberOf = (path: string): number => Number(TABLE.exec(basename(path))?.[2] ?? -1);
  for (const path of [...paths].sort((a, b) => numberOf(a) - numberOf(b))) {
    const [, table] = TABLE.exec(basename(path)) ?? [];
    const folder = dirname(path);
    if (table === undefined || (withParquet.has(folder) && !isParquet(path))) continue;
    const tables = entryOf(folders, folder, () => new Map<string, string[]>());
    entryOf(tables, table, () => []).push(path);
  }
  return folders;
}

const isParquet = (path: string): boolean => path.endsWith('.parquet');

/** Names that begin an Nsight Systems table. */
const NSIGHT = /^(?:StringIds|CUPTI_ACTIVITY_KIND_\w+|TARGET_INFO_\w+|META_DATA_\w+|NVTX_EVENTS)$/;
/**
 * Tables by which a device profile of Neuron Explorer is recognised: one of events or sums, and those that describe
 * them.
 */
const NEURON = ['Instruction', 'DmaPacket', 'SemaphoreUpdate', 'Summary'];
const NEURON_ABOUT = ['Metadata', 'SchemaFields', 'Instruction'];

/** Beginning of the tables of a Neuron Explorer system profile, and two more tables, which count only together. */
const NEURON_SYSTEM = /^SystemProfile/;
const NEURON_HOST = ['CpuUsage', 'HostMemUsage'];

/** The exporter that wrote a folder of tables, by their names; null for any other folder. */
export function exporterOf(tables: TableFiles): 'nsight' | 'neuron' | 'neuron-system' | null {
  const has = (names: readonly string[]): boolean => names.some((name) => tables.has(name));
  if (has(NEURON) && has(NEURON_ABOUT)) return 'neuron';
  const isOfSystem = [...tables.keys()].some((name) => NEURON_SYSTEM.test(name));
  if (isOfSystem || NEURON_HOST.every((name) => tables.has(name))) return 'neuron-system';
  return [...tables.keys()].some((name) => NSIGHT.test(name)) ? 'nsight' : null;
}

/**
 * Copies tables into a new database.
 * @param path file of the database, empty
 * @param name name in messages; by default that of the file
 * @throws UserError for a file that has another format, is damaged, or is compressed with an unsupported method
 */
export async function copyTables(tables: TableFiles, path: string, name?: string): Promise<void> {
  const database = createDatabase(path);
  try {
    const copies = new Map<string, TableCopy>();
    const copyOf = (table: string): TableCopy => entryOf(copies, table, () => new TableCopy(database, table));
    for (const [table, files] of tables) {
      for (const file of files) {
        const growth = new CopyGrowth(statSync(file).size);
        try {
          for await (const rows of await rowsOf(file)) copyOf(rows.table ?? table).insert(rows, growth);
        } catch (error) {
          throw asDamage(error, file, name);
        }
      }
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

const rowsOf = async (file: string): Promise<AsyncIterable<TableRows>> =>
  isParquet(file)
    ? (await import('./parquet-tables.js')).parquetRows(file)
    : (await import('./arrow-tables.js')).arrowRows(file);

function asDamage(error: unknown, file: string, where = file): unknown {
  if (error instanceof UserError) return error;
  if (isSystemError(error)) return asUserError(error, where);
  if (error instanceof PackedFault) return new UnreadableInput(error.message, { where });
  const format = isParquet(file) ? 'a Parquet' : 'an Arrow';
  const why = error instanceof Error && error.constructor === Error ? `: ${error.message}` : '';
  return new UnreadableInput(`is not ${format} file, or is damaged${why}`, { where, hint: 'export it again' });
}

/** The size of what is copied from a file, which must be in proportion to the file's. */
class CopyGrowth {
  readonly #growth: Growth;
  #copied = 0;

  /** @param size size of the file in bytes */
  constructor(size: number) {
    this.#growth = new Growth(size);
  }

  /** Counts the cells of some rows, without their strings. @throws PackedFault */
  addCells(count: number): void {
    this.#add(count * CELL_BYTES);
  }

  /** Counts the strings and blobs of a row. @throws PackedFault */
  addTexts(cells: readonly Cell[]): void {
    for (const cell of cells) if (typeof cell === 'string' || cell instanceof Buffer) this.#add(cell.length);
  }

  #add(bytes: number): void {
    this.#copied += bytes;
    this.#growth.check(this.#copied);
  }
}

type Cell = bigint | number | string | Buffer | null;

/** Copies the files of a table, whose columns are those of all its files. */
class TableCopy {
  readonly #columns = new Set<string>();

  constructor(
    readonly database: Database.Database,
    readonly table: string,
  ) {}

  insert({ columns, rows }: TableRows, growth: CopyGrowth): void {
    this.#declare(columns);
    if (columns.length === 0) return;
    growth.addCells(rows * columns.length);
    const insert = this.database.prepare(
      `INSERT INTO ${quote(this.table)} (${columns.map(({ name }) => quote(name)).join(', ')})
       VALUES (${columns.map(() => '?').join(', ')})`,
    );
    for (let row = 0; row < rows; row++) {
      const cells = columns.map(({ cellAt }) => cellOf(cellAt(row)));
      growth.addTexts(cells);
      insert.run(cells);
    }
  }

  /** Creates the table, or the columns that it lacks. */
  #declare(columns: readonly TableColumn[]): void {
    const isNew = this.#columns.size === 0;
    const missing = columns.filter(({ name }) => !this.#columns.has(name.toLowerCase()));
    const declared = missing.map(({ name, type }) => `${quote(name)} ${type}`);
    for (const { name } of missing) this.#columns.add(name.toLowerCase());
    if (isNew && declared.length > 0) this.database.exec(`CREATE TABLE ${quote(this.table)} (${declared.join(', ')})`);
    else for (const column of declared) this.database.exec(`ALTER TABLE ${quote(this.table)} ADD COLUMN ${column}`);
  }
}

/** Converts a value to SQLite's types: unsigned 64-bit integers become signed, lists and objects become JSON. */
function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return BigInt.asIntN(64, value);
  if (typeof value === 'number' || typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Uint8Array) return Buffer.from(value);
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner));
}
