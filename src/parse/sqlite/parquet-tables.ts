/**
 * Folders of Parquet tables, as exporters of profilers write them: one file for each table, or several numbered ones.
 * The tables are copied into a temporary SQLite database, so that the readers of databases can read them in bounded
 * memory.
 */
import type Database from 'better-sqlite3';
import type * as Fzstd from 'fzstd';
import type { Compressors, DecodedArray, ParquetParsers, RowGroup, SchemaElement } from 'hyparquet';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { entryOf } from '../../containers/map-entry.js';
import { lateLibrary } from '../../containers/late-library.js';
import { UserError } from '../../record/errors.js';
import { Growth, PackedFault } from '../../record/lines/packed.js';
import { readFully, UnreadableInput } from '../files.js';
import { createDatabase } from './sqlite-library.js';
import { quote } from './tables.js';

/** Files of each table in order, by the table's name. */
export type TableFiles = ReadonlyMap<string, readonly string[]>;

const TABLE = /^(.+?)(?:_(\d{1,6}))?\.parquet$/;

/** The tables of each folder among some paths, by the folder. */
export function tablesByFolder(paths: readonly string[]): ReadonlyMap<string, TableFiles> {
  const folders = new Map<string, Map<string, string[]>>();
  const numberOf = (path: string): number => Number(TABLE.exec(basename(path))?.[2] ?? -1);
  for (const path of [...paths].sort((a, b) => numberOf(a) - numberOf(b))) {
    const [, table] = TABLE.exec(basename(path)) ?? [];
    if (table === undefined) continue;
    const tables = entryOf(folders, dirname(path), () => new Map<string, string[]>());
    entryOf(tables, table, () => []).push(path);
  }
  return folders;
}

/** Names that begin a table of Nsight Systems. */
const NSIGHT = /^(?:StringIds|CUPTI_ACTIVITY_KIND_\w+|TARGET_INFO_\w+|META_DATA_\w+|NVTX_EVENTS)$/;
/**
 * Tables by which a device profile of Neuron Explorer is recognised: one of events or sums, and those that describe
 * them.
 */
const NEURON = ['Instruction', 'DmaPacket', 'SemaphoreUpdate', 'Summary'];
const NEURON_ABOUT = ['Metadata', 'SchemaFields', 'Instruction'];

/** The exporter that wrote a folder of tables, by their names; null for any other folder. */
export function exporterOf(tables: TableFiles): 'nsight' | 'neuron' | null {
  const has = (names: readonly string[]): boolean => names.some((name) => tables.has(name));
  if (has(NEURON) && has(NEURON_ABOUT)) return 'neuron';
  return [...tables.keys()].some((name) => NSIGHT.test(name)) ? 'nsight' : null;
}

/**
 * Copies tables into a new database.
 * @param path file of the database, empty
 * @throws UserError for a file that is not Parquet, is damaged, or is compressed by an unsupported method
 */
export async function copyTables(tables: TableFiles, path: string): Promise<void> {
  const database = createDatabase(path);
  try {
    for (const [table, files] of tables) {
      const copy = new TableCopy(database, table);
      for (const file of files) {
        try {
          await copy.take(file);
        } catch (error) {
          throw asDamage(error, file);
        }
      }
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

function asDamage(error: unknown, where: string): unknown {
  if (error instanceof UserError) return error;
  if (error instanceof PackedFault) return new UnreadableInput(error.message, { where });
  const why = error instanceof Error && error.constructor === Error ? `: ${error.message}` : '';
  return new UnreadableInput(`is not a Parquet file, or is damaged${why}`, { where, hint: 'export it again' });
}

type Cell = bigint | number | string | Buffer | null;

/** Copies the files of a table, whose columns are those of all its files. */
class TableCopy {
  readonly #columns = new Set<string>();

  constructor(
    readonly database: Database.Database,
    readonly table: string,
  ) {}

  async take(path: string): Promise<void> {
    const { parquetMetadataAsync, parquetScan, parquetSchema } = await import('hyparquet');
    const { checkColumn, checkFooter, checkGroups } = await import('../../record/lines/parquet-check.js');
    const file = openSync(path, 'r');
    try {
      const { size: byteLength } = fstatSync(file);
      const slice = (start: number, end = byteLength): ArrayBuffer => {
        if (!(start >= 0 && start <= end && end <= byteLength)) throw new Error(`it has only ${byteLength} bytes`);
        const bytes = new ArrayBuffer(end - start);
        readFully(file, new Uint8Array(bytes), start);
        return bytes;
      };
      checkFooter(byteLength, slice);
      const buffer = { byteLength, slice };
      const metadata = await parquetMetadataAsync(buffer, { geoparquet: false });
      checkGroups(metadata, byteLength);
      const names = this.#declare(parquetSchema(metadata).children.map(({ element }) => element));
      const scan = await parquetScan({
        file: buffer,
        metadata,
        parsers: PARSERS,
        compressors: COMPRESSORS,
        geoparquet: false,
      });
      for (const [group, range] of scan.ranges.entries()) {
        // A run of equal values takes a few bytes, whatever its length.
        new Growth(byteLength).check((range.rowEnd - range.rowStart) * names.length * CELL_BYTES);
        const columns: DecodedArray[] = [];
        for (const column of names) {
          const about = metadata.row_groups[group];
          if (about !== undefined && canBeChecked(about)) checkColumn(metadata, about, column, slice);
          columns.push(await scan.readColumn({ column, ...range }));
        }
        this.#insert(names, columns, range.rowEnd - range.rowStart);
      }
    } finally {
      closeSync(file);
    }
  }

  /** Creates the table, or the columns that it lacks. @returns the names of the columns */
  #declare(elements: readonly SchemaElement[]): string[] {
    const isNew = this.#columns.size === 0;
    const missing = elements.filter(({ name }) => !this.#columns.has(name.toLowerCase()));
    const declared = missing.map((element) => `${quote(element.name)} ${TYPES[element.type ?? ''] ?? 'TEXT'}`);
    for (const { name } of missing) this.#columns.add(name.toLowerCase());
    if (isNew && declared.length > 0) this.database.exec(`CREATE TABLE ${quote(this.table)} (${declared.join(', ')})`);
    else for (const column of declared) this.database.exec(`ALTER TABLE ${quote(this.table)} ADD COLUMN ${column}`);
    return elements.map(({ name }) => name);
  }

  #insert(names: readonly string[], columns: readonly DecodedArray[], rows: number): void {
    if (names.length === 0) return;
    for (const [i, values] of columns.entries())
      if (values.length !== rows)
        throw new Error(`column ${names[i] ?? ''} has ${values.length} values in ${rows} rows`);
    const marks = names.map(() => '?').join(', ');
    const insert = this.database.prepare(
      `INSERT INTO ${quote(this.table)} (${names.map(quote).join(', ')}) VALUES (${marks})`,
    );
    for (let row = 0; row < rows; row++) insert.run(columns.map((values) => cellOf(values[row])));
  }
}

/**
 * Whether this module can decompress the pages of a group and check their sizes. For other compressions, only the
 * library checks.
 */
const canBeChecked = ({ columns }: RowGroup): boolean =>
  columns.every(({ meta_data: meta }) => meta?.codec === 'SNAPPY' || meta?.codec === 'UNCOMPRESSED');

/** Minimum size of a value in memory, in bytes. */
const CELL_BYTES = 8;

const TYPES: Readonly<Record<string, string>> = {
  BOOLEAN: 'INTEGER',
  INT32: 'INTEGER',
  INT64: 'INTEGER',
  FLOAT: 'REAL',
  DOUBLE: 'REAL',
};

/** Converts a value to SQLite's types: unsigned 64-bit integers become signed, lists and objects become JSON. */
function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return BigInt.asIntN(64, value);
  if (typeof value === 'number' || typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Uint8Array) return Buffer.from(value);
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner));
}

/** Times stay the same numbers as in the file, because readers know their units. */
const PARSERS: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (value) => value,
  timestampFromMicroseconds: (value) => value,
  timestampFromNanoseconds: (value) => value,
  dateFromDays: (value) => value,
};

const fzstd = lateLibrary<typeof Fzstd>('fzstd');

/** Size limit of a page in bytes. Writers make pages of a few megabytes. */
const LARGEST_PAGE = 256 * 1024 * 1024;

/** The size of a page as the file states it. @throws Error when it is too large */
function pageSize(size: number): number {
  if (size < 0 || size > LARGEST_PAGE) throw new Error(`a page of ${size} bytes`);
  return size;
}

const COMPRESSORS: Compressors = {
  GZIP: (bytes, size) => gunzipSync(bytes, { maxOutputLength: pageSize(size) + 1 }),
  BROTLI: (bytes, size) => brotliDecompressSync(bytes, { maxOutputLength: pageSize(size) + 1 }),
  ZSTD: (bytes, size) => fzstd().decompress(bytes, new Uint8Array(pageSize(size))),
};
