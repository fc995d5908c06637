/**
 * Records from a folder of Parquet files, as `dparse -f parquet` writes it: a file a type of record and profile. The files
 * of a profile are merged by the number of each record's line, so that records come in the order of before.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import type { AsyncBuffer, FileMetaData } from 'hyparquet';
import { entryOf } from '../../containers/map-entry.js';
import { RECORD_FIELDS, type RecordField } from '../../record/record-fields.js';
import type { ProfileLine } from '../../record/record.js';
import { UserError } from '../../record/errors.js';
import type { RecordFields } from './field-checks.js';
import { validLine } from './line-validation.js';
import { validKernel } from './record-validation.js';
import type { RecordTypes } from './records.js';
import type { StreamStatus } from './stream-status.js';

type RecordType = ProfileLine['type'];

/** A file of records of one type of one profile. */
interface Part {
  readonly path: string;
  readonly type: RecordType;
  readonly rank: number | null;
  readonly profile: number;
}

/** `type=kernel/rank=7/part-0.parquet`; another text than a number in place of the rank is none. */
const PART = /^type=(\w+)[\\/]rank=([^\\/]*)[\\/]part-(\d+)\.parquet$/;

/** The files of records in a folder; none for a folder of something else. */
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

export const isRecordFolder = (folder: string): boolean => partsIn(folder).length > 0;

/** JSON texts of which the values are kept: calls of an op repeat theirs. */
const MOST_VALUES = 4096;

/** Values of JSON texts. */
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

/** A value as a record has it: numbers of 64 bits as numbers, JSON as what it stands for. */
function valueOf({ kind }: RecordField, value: unknown, json: JsonValues): unknown {
  if (value === null || value === undefined) return undefined;
  if (typeof kind !== 'string') return recordOf(kind, value as RecordFields, json);
  if (kind === 'json') return typeof value === 'string' ? json.of(value) : undefined;
  if (kind === 'digits') return typeof value === 'bigint' ? value.toString() : undefined;
  if (kind === 'ints') return Array.isArray(value) ? value.map(Number) : undefined;
  return typeof value === 'bigint' ? Number(value) : value;
}

/** The fields in order of the table; what is null and may be absent is absent. */
function recordOf(fields: readonly RecordField[], row: RecordFields, json: JsonValues): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const field of fields) {
    const value = valueOf(field, row[field.name], json);
    if (value !== undefined) record[field.name] = value;
    else if (!field.optional) record[field.name] = null;
  }
  return record;
}

interface Numbered {
  readonly line: number;
  readonly record: ProfileLine;
}

/** The records of a part, a group of rows at a time, and the next of them. */
class PartReader {
  #group: readonly Numbered[] = [];
  #at = 0;
  #row = 0;
  #groups = 0;
  #kernels = 0;

  private constructor(
    private readonly part: Part,
    private readonly file: AsyncBuffer,
    private readonly metadata: FileMetaData,
    private readonly json: JsonValues,
  ) {}

  static async open(part: Part, json: JsonValues): Promise<PartReader> {
    const file = await asyncBufferFromFile(part.path);
    return new PartReader(part, file, await parquetMetadataAsync(file), json);
  }

  get path(): string {
    return this.part.path;
  }

  /** The next record; null after the last, and before `load`. */
  get next(): Numbered | null {
    return this.#group[this.#at] ?? null;
  }

  /** Goes on to the record after the next. @returns whether its group has to be loaded */
  shift(): boolean {
    return ++this.#at >= this.#group.length;
  }

  /** Reads the next group of rows. */
  async load(): Promise<void> {
    const { file, metadata, part } = this;
    const group = metadata.row_groups[this.#groups++];
    this.#at = 0;
    this.#group = [];
    if (group === undefined) return;
    const rowStart = this.#row;
    const rowEnd = (this.#row += Number(group.num_rows));
    const rows = await parquetReadObjects({ file, metadata, rowStart, rowEnd });
    this.#group = rows.map((row: RecordFields, i) => ({
      line: typeof row['line'] === 'bigint' ? Number(row['line']) : rowStart + i,
      record: this.#record(part, row),
    }));
  }

  #record({ type, rank }: Part, row: RecordFields): ProfileLine {
    const values = { ...row, rank };
    const record = { type, ...recordOf(RECORD_FIELDS[type], values, this.json) };
    return type === 'kernel' ? validKernel(record, ++this.#kernels) : validLine(record);
  }
}

const BATCH = 1000;

/**
 * The records of a folder, in batches, profile by profile.
 * @param types of records; the files of others are not read
 * @param status receives how the profiles end
 * @throws UserError for a file that is damaged
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
  for (const [, parts] of [...profiles].sort(([a], [b]) => a - b)) {
    for await (const batch of merged(parts)) {
      for (const record of batch) if (record.type === 'profile' || record.type === 'end') status.take(record);
      yield batch.filter(({ type }) => types.has(type));
    }
  }
  status.reachEnd();
}

async function* merged(parts: readonly Part[]): AsyncGenerator<readonly ProfileLine[]> {
  const json = new JsonValues();
  let readers: PartReader[] = [];
  for (const part of parts) {
    const reader = await withPath(part.path, () => PartReader.open(part, json));
    await withPath(part.path, () => reader.load());
    readers.push(reader);
  }
  let batch: ProfileLine[] = [];
  for (;;) {
    readers = readers.filter(({ next }) => next !== null);
    const [first] = readers;
    if (first === undefined) break;
    const reader = readers.reduce((least, one) => (lineOf(one) < lineOf(least) ? one : least), first);
    // All that comes before the next record of any other file.
    const limit = readers.reduce((least, one) => (one === reader ? least : Math.min(least, lineOf(one))), Infinity);
    for (let next; (next = reader.next) !== null && next.line <= limit;) {
      batch.push(next.record);
      if (batch.length >= BATCH) {
        yield batch;
        batch = [];
      }
      if (reader.shift()) await withPath(reader.path, () => reader.load());
    }
  }
  yield batch;
}

const lineOf = ({ next }: PartReader): number => next?.line ?? Infinity;

/** Reads; an error becomes one that names the file. */
async function withPath<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UserError) throw error;
    const what = `is no Parquet file, or a damaged one: ${error instanceof Error ? error.message : String(error)}`;
    throw new UserError(what, { where: path, hint: 'write the folder again with dparse -f parquet' });
  }
}
