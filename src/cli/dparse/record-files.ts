/**
 * Records as Parquet files, one for each record type and profile, in folders that Hive, DuckDB, Spark and pandas read as
 * the columns `type` and `rank`. Each profile has separate files, so that several profiles of one rank stay distinct.
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { entryOf } from '../../containers/map-entry.js';
import { writeFully } from '../../parse/files.js';
import { isTabular, RECORD_FIELDS, type TabularType } from '../../record/fields/record-fields.js';
import type { ProfileLine } from '../../record/record.js';
import type { ParquetField } from '../../write/parquet/parquet-field.js';
import { ParquetRows } from '../../write/parquet/parquet-rows.js';
import { withIoErrors } from '../output.js';

/** Hive's name for a null value in a folder name. */
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__';

/** Path of a file: `type=kernel/rank=7/part-0.parquet`. */
const pathOf = (type: string, rank: number | null, profile: number): string =>
  join(`type=${type}`, `rank=${rank ?? NO_VALUE}`, `part-${profile}.parquet`);

/** Line number of a record in its profile, from 0, by which the order can be restored. */
const LINE: ParquetField = { name: 'line', kind: 'int' };

/** The file with the records of one type. */
class RecordFile {
  readonly #fields: readonly string[];
  readonly #rows: ParquetRows;
  readonly #file: number;

  constructor(
    type: TabularType,
    readonly path: string,
  ) {
    // The folder name has the rank; a column would duplicate it.
    const fields = RECORD_FIELDS[type].filter(({ name }) => name !== 'rank');
    this.#fields = fields.map(({ name }) => name);
    this.#rows = new ParquetRows([...fields, LINE]);
    this.#file = withIoErrors(path, () => {
      mkdirSync(dirname(path), { recursive: true });
      return openSync(path, 'wx');
    });
  }

  add(record: ProfileLine, line: number): void {
    const fields = record as unknown as Readonly<Record<string, unknown>>;
    const values = this.#fields.map((name) => fields[name]);
    values.push(line);
    this.#write(this.#rows.add(values));
  }

  finish(): void {
    this.#write(this.#rows.finish());
  }

  close(): void {
    withIoErrors(this.path, () => closeSync(this.#file));
  }

  #write(bytes: Uint8Array): void {
    withIoErrors(this.path, () => writeFully(this.#file, bytes));
  }
}

/** The files of one profile. */
export class RecordFiles {
  readonly #files = new Map<TabularType, RecordFile>();
  #rank: number | null = null;
  #line = 0;

  /** @param folder folder for the files of all profiles */
  constructor(private readonly folder: string) {}

  /** Adds a record; the profile record must be the first. @throws UserError when it cannot be written */
  add(record: ProfileLine): void {
    if (record.type === 'profile') this.#rank = record.rank;
    if (!isTabular(record)) return;
    const { type, profile } = record;
    const open = (): RecordFile => new RecordFile(type, join(this.folder, pathOf(type, this.#rank, profile)));
    entryOf(this.#files, type, open).add(record, this.#line++);
  }

  /** Completes the files when all records were added. */
  finish(): void {
    for (const file of this.#files.values()) file.finish();
  }

  close(): void {
    for (const file of this.#files.values()) file.close();
  }
}
