/**
 * Tables in Arrow's IPC format, one record batch at a time. A stream is a sequence of messages: a schema, batches of
 * dictionaries and of records, and an end. A file contains one stream between its two marks, and a footer, which repeats
 * where its messages are. Source: "Arrow Columnar Format", section "Serialization and Interprocess Communication".
 *
 * Nsight Systems writes one file per table, or the streams of all tables one after another, whose schemas have the names
 * of the tables in their metadata. Source: NVIDIA Nsight Systems documentation, "Arrow Format Description".
 */
import type { DataType, Table } from '@uwdata/flechette';
import type * as Fzstd from 'fzstd';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { lateLibrary } from '../../containers/late-library.js';
import { Growth, PackedFault } from '../../record/lines/packed.js';
import { firstBytes, readFully } from '../files.js';
import type { TableColumn, TableRows } from './table-rows.js';

/** Key of the name of a table in the metadata of its schema. */
const TABLE_NAME = 'table_name';

/** Maximum size of the schema of a table in bytes. */
const LARGEST_SCHEMA = 1024 * 1024;

/** Whether a file is a stream of tables that have names, as `nsys export --type arrow` writes it. */
export function isStreamOfTables(path: string): boolean {
  const start = firstBytes(path, PREFIX);
  if (start.length < PREFIX || start.readInt32LE(0) !== CONTINUES) return false;
  const size = start.readUInt32LE(4);
  return size <= LARGEST_SCHEMA && firstBytes(path, PREFIX + size).includes(TABLE_NAME);
}

/**
 * Reads the rows of a file or stream.
 * @throws Error for a file that is not Arrow, is damaged, or is cut off
 * @throws PackedFault for one that is compressed by an unsupported method, or grows out of proportion
 */
export async function* arrowRows(path: string): AsyncGenerator<TableRows> {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const decode = await decoder(size);
    let before: Uint8Array[] = [];
    for (const { kind, bytes } of messagesOf(file, size)) {
      if (kind === SCHEMA) before = [];
      else if (before.length === 0) throw new Error('it has no schema');
      if (kind === RECORDS || kind === SCHEMA) yield rowsOf(decode([...before, bytes]));
      if (kind === SCHEMA || kind === DICTIONARY) before.push(bytes);
      // Each batch of records is decoded with all dictionaries before it.
      if (before.length > MOST_DICTIONARIES) throw new Error(`it has more than ${MOST_DICTIONARIES} dictionaries`);
    }
  } finally {
    closeSync(file);
  }
}

const MOST_DICTIONARIES = 1000;

/** Loads the decoder of messages; the first message is the schema. @param size of the file in bytes */
async function decoder(size: number): Promise<(messages: Uint8Array[]) => Table> {
  const { CompressionType, setCompressionCodec, tableFromIPC } = await import('@uwdata/flechette');
  const encode = (bytes: Uint8Array): Uint8Array => bytes;
  const growth = new Growth(size);
  setCompressionCodec(CompressionType.ZSTD, {
    encode,
    decode: (bytes, unpacked) => {
      growth.check(unpacked);
      return fzstd().decompress(bytes, new Uint8Array(unpacked));
    },
  });
  setCompressionCodec(CompressionType.LZ4_FRAME, {
    encode,
    decode: () => {
      throw new PackedFault('damaged', 'is compressed by LZ4, which is not read: export it without compression');
    },
  });
  return (messages) => tableFromIPC(messages, { useBigInt: true, useBigIntTimestamp: true });
}

const fzstd = lateLibrary<typeof Fzstd>('fzstd');

/** The rows of a table with at most one batch of records. */
function rowsOf({ schema, children }: Table): TableRows {
  if (schema.endianness !== 0) throw new Error('it is big-endian');
  const columns = schema.fields.map(({ name, type }, i): TableColumn => {
    const values = children[i]?.data[0];
    return {
      name,
      type: typeIn(type),
      cellAt: (row) => {
        const cell: unknown = values?.at(row);
        if (cell === undefined) throw new Error(`column ${name} ends in row ${row}`);
        return cell;
      },
    };
  });
  const rows = children[0]?.length ?? 0;
  for (const [i, { length }] of children.entries())
    if (length !== rows) throw new Error(`column ${columns[i]?.name ?? ''} has ${length} values in ${rows} rows`);
  return { table: schema.metadata?.get(TABLE_NAME) ?? null, columns, rows };
}

/** Type of a column in SQLite, by the numbers of the types in Arrow's `Schema.fbs`. */
function typeIn(type: DataType): TableColumn['type'] {
  const { typeId } = 'dictionary' in type ? type.dictionary : type;
  return TYPES[typeId] ?? 'TEXT';
}

/** Integers, floats, booleans, decimals, dates, times, timestamps and durations; everything else is text or bytes. */
const TYPES: Readonly<Record<number, TableColumn['type']>> = {
  ...{ 2: 'INTEGER', 3: 'REAL', 6: 'INTEGER', 7: 'REAL' },
  ...{ 8: 'INTEGER', 9: 'INTEGER', 10: 'INTEGER', 18: 'INTEGER' },
};

/** Begins each message since Arrow 0.15, before its size. */
const CONTINUES = -1;
const PREFIX = 8;
const FILE_MARK = 'ARROW1';
/** Kinds of message in Arrow's `Message.fbs`. */
const [SCHEMA, DICTIONARY, RECORDS] = [1, 2, 3];

interface Message {
  readonly kind: number;
  /** With the prefix, and the body. */
  readonly bytes: Uint8Array;
}

/**
 * The messages of the streams of a file.
 * @param size of the file in bytes
 * @throws Error when the last stream does not end, or the file is not Arrow
 */
function* messagesOf(file: number, size: number): Generator<Message> {
  const read = (start: number, end: number): Buffer => {
    if (end > size) throw new Error(`it has only ${size} bytes`);
    // Not from the pool of small buffers: numbers of 64 bits must be at multiples of 8 bytes.
    const bytes = Buffer.from(new ArrayBuffer(end - start));
    readFully(file, bytes, start);
    return bytes;
  };
  const isMarked = (at: number): boolean =>
    at >= 0 && read(at, Math.min(at + FILE_MARK.length, size)).toString('latin1') === FILE_MARK;
  const isFile = isMarked(0);
  if (isFile && !isMarked(size - FILE_MARK.length)) throw new Error('it is cut off');
  let hasEnded = false;
  for (let at = isFile ? PREFIX : 0; !(hasEnded && (isFile || at >= size));) {
    const first = read(at, at + 4).readInt32LE(0);
    const head = at + (first === CONTINUES ? PREFIX : 4);
    const length = first === CONTINUES ? read(at + 4, head).readInt32LE(0) : first;
    if (length < 0) throw new Error('it is not a stream of messages');
    hasEnded = length === 0;
    const about = hasEnded ? { kind: 0, body: 0 } : messageOf(read(head, head + length));
    const end = head + length + about.body;
    if (!hasEnded) yield { kind: about.kind, bytes: read(at, end) };
    at = end;
  }
}

/** What the table of a message, a FlatBuffer, says: its kind, and the size of its body in bytes. */
function messageOf(bytes: Buffer): { readonly kind: number; readonly body: number } {
  const table = bytes.readUInt32LE(0);
  const fields = table - bytes.readInt32LE(table);
  const offsetOf = (field: number): number => {
    const at = 4 + 2 * field;
    return at < bytes.readUInt16LE(fields) ? bytes.readUInt16LE(fields + at) : 0;
  };
  const [kind, body] = [offsetOf(1), offsetOf(3)];
  const size = body === 0 ? 0n : bytes.readBigInt64LE(table + body);
  if (size < 0n) throw new Error('it is not a stream of messages');
  return { kind: kind === 0 ? 0 : bytes.readUInt8(table + kind), body: Number(size) };
}
