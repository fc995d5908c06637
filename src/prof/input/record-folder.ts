/**
 * Records from a folder of Parquet files, as `dparse -f parquet` writes it: one file per record type and profile. The files
 * of a profile are merged by the line number of each record, which restores the original order.
 */
import { readdirSync, closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import {
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
  type ParquetScan,
  type RowGroup,
  type AsyncBuffer,
} from 'hyparquet';
import { entryOf } from '../../containers/map-entry.js';
import type { RecordField, RecordFields } from '../../record/fields/field-types.js';
import { RECORD_FIELDS, type TabularType } from '../../record/fields/record-fields.js';
import type { ProfileLine } from '../../record/record.js';
import { isSystemError, UserError, systemReason } from '../../record/errors.js';
import { checkColumn, checkFooter, checkGroups } from '../../record/lines/parquet-check.js';
import { validRecord } from './record-validation.js';
import type { RecordTypes } from '../analysis.js';
import { RecordCounts } from './record-counts.js';
import type { StreamStatus } from './stream-status.js';
import { hasItsBytes, TAIL } from '../../record/lines/parquet-checksum.js';

const PIECE = 1024 * 1024;

/** The bytes of a file, which is opened for each read because a folder may have more files than can be open at once. */
export class ParquetFile implements AsyncBuffer {
  readonly byteLength: number;
  /** Whether the file has a correct checksum. */
  readonly isChecked: boolean;

  /** @throws UserError when its checksum does not match its bytes */
  constructor(readonly path: string) {
    const file = openSync(path, 'r');
    try {
      this.byteLength = fstatSync(file).size;
      const tailAt = Math.max(0, this.byteLength - TAIL);
      const isRight = hasItsBytes(bytesOf(file, tailAt, this.byteLength), () => piecesOf(file, tailAt));
      if (isRight === false) throw damaged(path, 'its bytes have changed since it was written');
      this.isChecked = isRight === true;
    } finally {
      closeSync(file);
    }
  }

  slice(start: number, end = this.byteLength): ArrayBuffer {
    const isInside = Number.isSafeInteger(start) && start >= 0 && start <= end && end <= this.byteLength;
    if (!isInside) throw damaged(this.path, `it has ${this.byteLength} bytes, not bytes ${start} to ${end}`);
    const file = openSync(this.path, 'r');
    try {
      return bytesOf(file, start, end).buffer;
    } finally {
      closeSync(file);
    }
  }
}

function* piecesOf(file: number, end: number): Generator<Uint8Array> {
  for (let at = 0; at < end; at += PIECE) yield bytesOf(file, at, Math.min(end, at + PIECE));
}

function bytesOf(file: number, start: number, end: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.from(new ArrayBuffer(end - start));
  let filled = 0;
  while (filled < bytes.length) {
    const read = readSync(file, bytes, filled, bytes.length - filled, start + filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes;
}

/**
 * The error for a file that cannot be read as Parquet.
 * @param why the reason, if known
 */
const damaged = (path: string, why?: string): UserError =>
  new UserError(`is not a Parquet file, or is damaged${why === undefined ? '' : `: ${why}`}`, {
    where: path,
    hint: 'write the folder again with dparse -f parquet',
  });

/** Converts an exception during reading to an error that names the file. */
export function unreadable(path: string, error: unknown): UserError {
  if (error instanceof UserError) return error;
  if (isSystemError(error)) return new UserError(systemReason(error), { where: path, code: error.code });
  // Errors of other classes come from a library that failed on invalid data.
  return damaged(path, error instanceof Error && error.constructor === Error ? error.message : undefined);
}

/** Calls the function; an exception becomes an error that names the file. */
export async function withPath<T>(path: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw unreadable(path, error);
  }
}

type RecordType = TabularType;

/** A file with the records of one type of one profile. */
interface Part {
  readonly path: string;
  readonly type: RecordType;
  readonly rank: number | null;
  readonly profile: number;
}

/** `type=kernel/rank=7/part-0.parquet`; a string instead of a number means no rank. */
const PART = /^type=(\w+)[\\/]rank=([^\\/]*)[\\/]part-(\d+)\.parquet$/;

/** The record files in a folder; none for another kind of folder. */
function partsIn(folder: string): Part[] {
  const types = readdirSync(folder).filter((name) => name.startsWith('type='));
  const names = types.flatMap((type) =>
    readdirSync(join(folder, type), { recursive: true, encoding: 'utf8' }).map((name) => join(type, name)),
  );
  return names.sort().flatMap((name) => {
    const [, type = '', rank = '', profile = ''] = PART.exec(name) ?? [];
    if (!Object.hasOwn(RECORD_FIELDS, type)) return [];
    return [
      {
        path: join(folder, name),
        type: type as RecordType,
        rank: /^\d+$/.test(rank) ? Number(rank) : null,
        profile: Number(profile),
      },
    ];
  });
}

export function isRecordFolder(folder: string): boolean {
  try {
    return partsIn(folder).length > 0;
  } catch (error) {
    // Readers of profiles in the folder report what is wrong with it.
    if (isSystemError(error)) return false;
    throw error;
  }
}

/** Maximum number of JSON strings whose values are cached, because calls of an op repeat. */
const MOST_VALUES = 4096;

/** Cached values of JSON strings. */
class JsonValues {
  readonly #values = new Map<string, unknown>();

  of(text: string): unknown {
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    if (this.#values.size >= MOST_VALUES) this.#values.clear();
    const value: unknown = JSON.parse(text);
    this.#values.set(text, value);
    return value;
  }
}

/** A value as it is in a record: 64-bit integers become numbers, JSON strings are parsed. */
function valueOf({ kind }: RecordField, value: unknown, json: JsonValues): unknown {
  if (value === null || value === undefined) return undefined;
  if (typeof kind !== 'string') return objectOf(kind, value as RecordFields, json);
  if (kind === 'json') return typeof value === 'string' ? json.of(value) : undefined;
  if (kind === 'digits') return typeof value === 'bigint' ? value.toString() : undefined;
  if (kind === 'ints') return Array.isArray(value) ? value.map(Number) : undefined;
  return typeof value === 'bigint' ? Number(value) : value;
}

/** Sets a field; an optional field that is null is left out. */
function setField(record: Record<string, unknown>, field: RecordField, value: unknown, json: JsonValues): void {
  const read = valueOf(field, value, json);
  if (read !== undefined) record[field.name] = read;
  else if (!field.optional) record[field.name] = null;
}

function objectOf(fields: readonly RecordField[], values: RecordFields, json: JsonValues): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const field of fields) setField(object, field, values[field.name], json);
  return object;
}

/** The values of a column in a row group. */
type Values = ArrayLike<unknown>;

/** Column with the line number of a record. */
const LINE = 'line';

/** Reads the records of a part, one row group at a time as columns; each record is made when it is taken. */
class PartReader {
  /** The fields that the file has, without the rank, which is in the folder name. */
  readonly #fields: readonly RecordField[];
  #lines: Values = [];
  #columns: readonly (readonly [field: RecordField, values: Values])[] = [];
  #at = 0;
  #groups = 0;
  #kernels = 0;

  private constructor(
    private readonly part: Part,
    private readonly file: ParquetFile,
    private readonly scan: ParquetScan,
    private readonly json: JsonValues,
  ) {
    const known = new Set(parquetSchema(scan.metadata).children.map(({ element }) => element.name));
    this.#fields = RECORD_FIELDS[part.type].filter(({ name }) => known.has(name));
  }

  static async open(part: Part, json: JsonValues): Promise<PartReader> {
    const file = new ParquetFile(part.path);
    if (!file.isChecked) checkFooter(file.byteLength, (start, end) => file.slice(start, end));
    // Without this option the library would loop forever in its search for geographic columns when a schema element has a
    // negative number of children.
    const metadata = await parquetMetadataAsync(file, { geoparquet: false });
    if (!file.isChecked) checkGroups(metadata, file.byteLength);
    return new PartReader(part, file, await parquetScan({ file, metadata }), json);
  }

  get path(): string {
    return this.part.path;
  }

  /** Line number of the next record; infinite after the last, and before `load`. */
  get line(): number {
    return this.#at < this.#lines.length ? Number(this.#lines[this.#at]) : Infinity;
  }

  /**
   * The next record, which must exist.
   * @param onWrong called for a field of the wrong type, which JSON in a string may contain
   */
  take(onWrong: () => void): ProfileLine {
    const { type, rank } = this.part;
    const record: Record<string, unknown> = { type };
    try {
      for (const [field, values] of this.#columns) setField(record, field, values[this.#at], this.json);
    } catch (error) {
      // A string that is not JSON.
      throw unreadable(this.path, error);
    }
    this.#at++;
    if (type === 'profile') record['rank'] = rank;
    if (type === 'kernel') this.#kernels++;
    return validRecord(record, this.#kernels, onWrong);
  }

  /** Reads the next row group when all records of this one were taken. */
  async load(): Promise<void> {
    const group = this.#groups++;
    const range = this.scan.ranges[group];
    [this.#at, this.#lines, this.#columns] = [0, [], []];
    if (range === undefined) return;
    const read = (column: string): Promise<Values> => this.#read(column, group, range);
    const columns: [RecordField, Values][] = [];
    for (const field of this.#fields) {
      const isEmpty = isEmptyIn(this.scan.metadata.row_groups[group], field);
      // Most fields belong to only a few formats, so columns without any value are not read.
      if (!isEmpty) columns.push([field, await read(field.name)]);
      else if (!field.optional) columns.push([field, []]);
    }
    [this.#lines, this.#columns] = [await read(LINE), columns];
  }

  /** The values of a column in a row group. */
  async #read(column: string, group: number, range: ParquetScan['ranges'][number]): Promise<Values> {
    const { metadata } = this.scan;
    const about = metadata.row_groups[group];
    if (!this.file.isChecked && about !== undefined) {
      checkColumn(metadata, about, column, (start, end) => this.file.slice(start, end));
    }
    const values = await this.scan.readColumn({ column, ...range });
    const rows = range.rowEnd - range.rowStart;
    if (values.length !== rows) throw new Error(`column ${column} has ${values.length} values in ${rows} rows`);
    return values;
  }
}

/**
 * Whether a column is null in all rows of a group according to the file's statistics; these do not cover lists, which may
 * be empty.
 */
function isEmptyIn(group: RowGroup | undefined, { name, kind }: RecordField): boolean {
  if (typeof kind !== 'string' || kind === 'ints' || kind === 'texts') return false;
  const meta = group?.columns.find(({ meta_data: data }) => data?.path_in_schema[0] === name)?.meta_data;
  return meta?.statistics?.null_count === meta?.num_values;
}

const BATCH = 1000;

/**
 * The records of a folder, in batches, profile by profile.
 * @param types record types; files of other types are not read
 * @param status receives how the profiles end
 * @throws UserError for a damaged file
 */
export async function* readRecordFolder(
  folder: string,
  types: RecordTypes,
  status: StreamStatus,
): AsyncGenerator<readonly ProfileLine[]> {
  const profiles = new Map<number, Part[]>();
  for (const part of partsIn(folder)) {
    const isWanted = types.has(part.type) || part.type === 'profile' || part.type === 'end';
    if (isWanted) entryOf(profiles, part.profile, () => []).push(part);
  }
  const counts = new RecordCounts(
    (type) => types.has(type),
    ({ what, detail }) => status.troubles.push(new UserError(what, { ...detail, where: folder })),
  );
  for (const [, parts] of [...profiles].sort(([a], [b]) => a - b)) {
    for await (const batch of merged(parts, counts.countWrong)) {
      const taken = batch.map((record) => counts.take(record));
      for (const record of taken) if (record.type === 'profile' || record.type === 'end') status.take(record);
      yield taken.filter(({ type }) => types.has(type));
    }
  }
  status.losses.take(folder, counts);
  status.reachEnd();
}

async function* merged(parts: readonly Part[], onWrong: () => void): AsyncGenerator<readonly ProfileLine[]> {
  const json = new JsonValues();
  let readers: PartReader[] = [];
  for (const part of parts) {
    const reader = await withPath(part.path, () => PartReader.open(part, json));
    await withPath(part.path, () => reader.load());
    readers.push(reader);
  }
  let batch: ProfileLine[] = [];
  for (;;) {
    readers = readers.filter(({ line }) => line < Infinity);
    const [first] = readers;
    if (first === undefined) break;
    const reader = readers.reduce((least, other) => (other.line < least.line ? other : least), first);
    // All records before the next record of any other file.
    const limit = readers.reduce((least, other) => (other === reader ? least : Math.min(least, other.line)), Infinity);
    while (reader.line < Infinity && reader.line <= limit) {
      batch.push(reader.take(onWrong));
      if (batch.length >= BATCH) {
        yield batch;
        batch = [];
      }
      if (reader.line === Infinity) await withPath(reader.path, () => reader.load());
    }
  }
  yield batch;
}
