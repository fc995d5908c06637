/** The rows of a table in Parquet, one group of rows at a time. */
import type * as Fzstd from 'fzstd';
import type { Compressors, DecodedArray, ParquetParsers, RowGroup } from 'hyparquet';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { lateLibrary } from '../../containers/late-library.js';
import { Growth } from '../../record/lines/packed.js';
import { readFully } from '../files.js';

/** A column of some rows of a table. */
export interface TableColumn {
  readonly name: string;
  /** Type in SQLite. */
  readonly type: 'INTEGER' | 'REAL' | 'TEXT';
  readonly cellAt: (row: number) => unknown;
}

/** Some rows of a table. */
export interface TableRows {
  /** Name of the table; null when only the file's name states it. */
  readonly table: string | null;
  readonly columns: readonly TableColumn[];
  readonly rows: number;
}

/** Minimum size of a value in memory, in bytes. */
export const CELL_BYTES = 8;

/**
 * Reads the rows of a file.
 * @throws Error for a file that is not Parquet, is damaged, or is compressed with an unsupported method
 */
export async function* parquetRows(path: string): AsyncGenerator<TableRows> {
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
    const elements = parquetSchema(metadata).children.map(({ element }) => element);
    const scan = await parquetScan({ ...READING, file: buffer, metadata });
    const empty = elements.map(({ name, type }) => columnOf(name, type, []));
    yield { table: null, columns: empty, rows: 0 };
    for (const [group, range] of scan.ranges.entries()) {
      const rows = range.rowEnd - range.rowStart;
      // A run of equal values takes a few bytes, whatever its length.
      new Growth(byteLength).check(rows * elements.length * CELL_BYTES);
      const columns: TableColumn[] = [];
      for (const { name, type } of elements) {
        const about = metadata.row_groups[group];
        if (about !== undefined && canBeChecked(about)) checkColumn(metadata, about, name, slice);
        const values = await scan.readColumn({ column: name, ...range });
        if (values.length !== rows) throw new Error(`column ${name} has ${values.length} values in ${rows} rows`);
        columns.push(columnOf(name, type, values));
      }
      yield { table: null, columns, rows };
    }
  } finally {
    closeSync(file);
  }
}

const columnOf = (name: string, type: string | undefined, values: DecodedArray): TableColumn => ({
  name,
  type: TYPES[type ?? ''] ?? 'TEXT',
  cellAt: (row): unknown => values[row],
});

/**
 * Whether this module can decompress the pages of a group and check their sizes. For other compressions, only the
 * library checks.
 */
const canBeChecked = ({ columns }: RowGroup): boolean =>
  columns.every(({ meta_data: meta }) => meta?.codec === 'SNAPPY' || meta?.codec === 'UNCOMPRESSED');

const TYPES: Readonly<Record<string, TableColumn['type']>> = {
  BOOLEAN: 'INTEGER',
  INT32: 'INTEGER',
  INT64: 'INTEGER',
  FLOAT: 'REAL',
  DOUBLE: 'REAL',
};

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

const READING = { parsers: PARSERS, compressors: COMPRESSORS, geoparquet: false } as const;
