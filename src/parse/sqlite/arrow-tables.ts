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
import type { TableColumn, TableRows } from './parquet-tables.js';

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
 * @throws Error for a file that is not Arrow, is damaged, or is cut off in a message
 * @throws PackedFault for one that is compressed with an unsupported method, or grows out of proportion
 */
export async function* arrowRows(path: string): AsyncGenerator<TableRows> {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const decode = await decoder(size);
    let table: MessagesOfTable | null = null;
    for (const message of messagesOf(file, size)) {
      if (table !== null && table.isDue(message.kind)) yield* rowsOf(decode(table.take()));
      if (message.kind === SCHEMA) table = new MessagesOfTable(message);
      else if (table === null) throw new Error('it has no schema');
      else table.add(message);
    }
    if (table !== null) yield* rowsOf(decode(table.take()));
  } finally {
    closeSync(file);
  }
}

const MOST_DICTIONARIES = 1000;
/** Batches of records are decoded together up to this size, in bytes. */
const GROUP = 8 * 1024 * 1024;

/**
 * What is needed to decode the next records of a table: the schema, and the current messages of each dictionary. The
 * dictionaries are decoded anew with each group of records, which is thus at least as large as they are.
 */
class MessagesOfTable {
  /** The latest messages by the dictionary's id: one that replaces it, and those that add to it. */
  readonly #dictionaries = new Map<bigint, readonly Message[]>();
  #records: Message[] = [];
  /** Bytes of the records to decode, and the number from which they are decoded. */
  #bytes = 0;
  #most = GROUP;

  constructor(private readonly schema: Message) {}

  /** @throws Error for too many messages of dictionaries */
  add(message: Message): void {
    const { kind, dictionary } = message;
    if (kind === RECORDS) {
      this.#records.push(message);
      this.#bytes += message.bytes.length;
    }
    if (dictionary === null) return;
    const known = dictionary.isDelta ? (this.#dictionaries.get(dictionary.id) ?? []) : [];
    this.#dictionaries.set(dictionary.id, [...known, message]);
    const all = this.#current;
    if (all.length > MOST_DICTIONARIES) throw new Error(`it has more than ${MOST_DICTIONARIES} dictionaries`);
    this.#most = all.reduce((sum, { bytes }) => sum + bytes.length, GROUP);
  }

  /** Whether to decode before a message of a kind is added: dictionaries alone are not decoded. */
  isDue(kind: number): boolean {
    if (kind === SCHEMA) return true;
    return kind === RECORDS ? this.#bytes >= this.#most : this.#records.length > 0;
  }

  /** The messages to decode; the records are given only once. */
  take(): Uint8Array[] {
    const messages = [this.schema, ...this.#current, ...this.#records];
    [this.#records, this.#bytes] = [[], 0];
    return messages.map(({ bytes }) => bytes);
  }

  get #current(): Message[] {
    return [...this.#dictionaries.values()].flat();
  }
}

/** Loads the decoder of messages; the first message is the schema. @param size size of the file in bytes */
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
      throw new PackedFault('damaged', 'is compressed with LZ4, which is not supported: export it without compression');
    },
  });
  return (messages) => tableFromIPC(messages, { useBigInt: true, useBigIntTimestamp: true });
}

const fzstd = lateLibrary<typeof Fzstd>('fzstd');

/** The rows of each batch of records; none without batches, but the columns. */
function* rowsOf({ schema, children }: Table): Generator<TableRows> {
  if (schema.endianness !== 0)
    throw new PackedFault('damaged', 'has numbers in big-endian order, which is not supported: export it on a little-endian machine'); // prettier-ignore
  const table = schema.metadata?.get(TABLE_NAME) ?? null;
  const batches = children[0]?.data.length ?? 0;
  for (let batch = 0; batch < Math.max(batches, 1); batch++) {
    const parts = children.map(({ data }) => data[batch]);
    const rows = parts[0]?.length ?? 0;
    const columns = schema.fields.map(({ name, type }, i): TableColumn => {
      const [values, length] = [parts[i], parts[i]?.length ?? 0];
      if (length !== rows) throw new Error(`column ${name} has ${length} values in ${rows} rows`);
      const cellAt = (row: number): unknown => {
        const cell: unknown = values?.at(row);
        if (cell === undefined) throw new Error(`column ${name} ends in row ${row}`);
        return cell;
      };
      return { name, type: typeIn(type), cellAt };
    });
    yield { table, columns, rows };
  }
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
  /** Which dictionary it replaces, or adds to; null for other messages. */
  readonly dictionary: { readonly id: bigint; readonly isDelta: boolean } | null;
  /** With the prefix, and the body. */
  readonly bytes: Uint8Array;
}

/**
 * The messages of the streams of a file. A stream may end without a mark, at the end of the file.
 * @param size size of the file in bytes
 * @throws Error when a message is cut off, or the file is not Arrow
 */
function* messagesOf(file: number, size: number): Generator<Message> {
  const read = (start: number, end: number): Buffer => {
    if (end > size) throw new Error(`it has only ${size} bytes`);
    // Buffers from Node's pool may be misaligned, and 64-bit numbers must be at multiples of 8 bytes.
    const bytes = Buffer.from(new ArrayBuffer(end - start));
    readFully(file, bytes, start);
    return bytes;
  };
  const isMarked = (at: number): boolean =>
    at >= 0 && read(at, Math.min(at + FILE_MARK.length, size)).toString('latin1') === FILE_MARK;
  const isFile = isMarked(0);
  if (isFile && !isMarked(size - FILE_MARK.length)) throw new Error('it is cut off');
  let hasEnded = false;
  for (let at = isFile ? PREFIX : 0; isFile ? !hasEnded : at < size || at === 0;) {
    const first = read(at, at + 4).readInt32LE(0);
    const head = at + (first === CONTINUES ? PREFIX : 4);
    const length = first === CONTINUES ? read(at + 4, head).readInt32LE(0) : first;
    if (length < 0) throw new Error('it is not a stream of messages');
    hasEnded = length === 0;
    const about = hasEnded ? null : messageOf(read(head, head + length));
    const end = head + length + (about?.body ?? 0);
    if (about !== null) yield { ...about, bytes: read(at, end) };
    at = end;
  }
}

/** What a message, a FlatBuffer, says: its kind, its dictionary, and the size of its body in bytes. */
function messageOf(bytes: Buffer): Omit<Message, 'bytes'> & { readonly body: number } {
  const table = bytes.readUInt32LE(0);
  const fieldOf = fieldsOf(bytes, table);
  const [kindAt, headerAt, bodyAt] = [fieldOf(1), fieldOf(2), fieldOf(3)];
  const kind = kindAt === null ? 0 : bytes.readUInt8(kindAt);
  const body = bodyAt === null ? 0n : bytes.readBigInt64LE(bodyAt);
  if (body < 0n) throw new Error('it is not a stream of messages');
  if (kind !== DICTIONARY || headerAt === null) return { kind, dictionary: null, body: Number(body) };
  const partOf = fieldsOf(bytes, headerAt + bytes.readUInt32LE(headerAt));
  const [idAt, deltaAt] = [partOf(0), partOf(2)];
  const id = idAt === null ? 0n : bytes.readBigInt64LE(idAt);
  return { kind, dictionary: { id, isDelta: deltaAt !== null && bytes.readUInt8(deltaAt) !== 0 }, body: Number(body) };
}

/** Where the fields of a table in a FlatBuffer are; null for those with their default. */
function fieldsOf(bytes: Buffer, table: number): (field: number) => number | null {
  const fields = table - bytes.readInt32LE(table);
  return (field) => {
    const at = 4 + 2 * field;
    const offset = at < bytes.readUInt16LE(fields) ? bytes.readUInt16LE(fields + at) : 0;
    return offset === 0 ? null : table + offset;
  };
}
