/**
 * Tables in Arrow as Nsight Systems exports them, made from its SQLite export, because no exporter's own files are
 * public: by "Arrow Format Description" of its documentation.
 */
import {
  binary,
  columnFromArray,
  float64,
  int64,
  tableFromColumns,
  tableToIPC,
  utf8,
  type Table,
} from '@uwdata/flechette';
import { rowsByTable, typeOf, valueOf, type Row, type TableFiles } from './write-tables.js';

interface ArrowOptions {
  readonly format?: 'stream' | 'file';
  /** Rows of a record batch. */
  readonly batch?: number;
}

const TYPES = { INT64: int64, DOUBLE: float64, STRING: utf8, BYTE_ARRAY: binary, BOOLEAN: int64 } as const;

/** @param name of the table, for its schema; null to leave it out */
function tableOf(rows: readonly Row[], name: string | null, batch: number): Table {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].map((column) => {
    const type = typeOf(rows.map((row) => row[column]));
    const cells = rows.map((row) => valueOf(row[column], type));
    return [column, columnFromArray(cells, TYPES[type](), { maxBatchRows: batch })] as const;
  });
  const table = tableFromColumns(Object.fromEntries(columns));
  if (name !== null) table.schema.metadata = new Map([['table_name', name]]);
  return table;
}

const bytesOf = (table: Table, format: 'stream' | 'file'): Uint8Array => {
  const bytes = tableToIPC(table, { format });
  if (bytes === null) throw new Error('nothing was written');
  return bytes;
};

/** The tables of a database, one file each, as `nsys export --type arrowdir` writes them. */
export function arrowOfDatabase(database: Buffer, { format = 'stream', batch = 1000 }: ArrowOptions = {}): TableFiles {
  const tables = Object.entries(rowsByTable(database));
  return Object.fromEntries(
    tables.map(([name, rows]) => [`${name}.arrow`, bytesOf(tableOf(rows, null, batch), format)]),
  );
}

/** The tables of a database in one stream after another, as `nsys export --type arrow` writes them. */
export function arrowStreamsOfDatabase(database: Buffer, { batch = 1000 }: ArrowOptions = {}): Buffer {
  const tables = Object.entries(rowsByTable(database));
  return Buffer.concat(tables.map(([name, rows]) => bytesOf(tableOf(rows, name, batch), 'stream')));
}
