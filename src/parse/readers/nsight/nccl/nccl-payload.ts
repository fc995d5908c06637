/**
 * Reads NCCL's NVTX payloads, binary or as JSON.
 *
 * Sources: NCCL, src/include/nvtx_payload_schemas.h and src/collectives.cc of 2.18 to 2.28 (names of entries; up to 2.24 a
 * collective's payload has no communicator); Nsight Systems documentation, "Recipe Composite Tables" (fields of JSON).
 */
import { elementType } from '../../../../record/element-types.js';
import { fieldOf, textOf, ExactDecoder } from '../../../json/json-value.js';
import { entryOf } from '../../../../containers/map-entry.js';
import { integerOf, type Cell, type SqliteFile } from '../../../sqlite/sqlite.js';

const ENTRIES = 'NVTX_PAYLOAD_SCHEMA_ENTRIES';

const HEADER_BYTES = 32;

/** Maximum number of entries and schemas that are kept. NCCL has a few dozen schemas of up to eight entries. */
const MOST_ENTRIES = 10_000;

interface EntryType {
  readonly bytes: number;
  readonly read: (from: Buffer, at: number) => bigint;
}

const type = (bytes: number, read: (from: Buffer, at: number) => bigint | number): EntryType => ({
  bytes,
  read: (from, at) => BigInt(read(from, at)),
});
const int32 = type(4, (from, at) => from.readInt32LE(at));
const uint32 = type(4, (from, at) => from.readUInt32LE(at));
const int64 = type(8, (from, at) => from.readBigInt64LE(at));
const uint64 = type(8, (from, at) => from.readBigUInt64LE(at));

/** Integer types by NVTX's codes: `int`, `unsigned int`, those of fixed size, `size_t`. */
const ENTRY_TYPES: ReadonlyMap<number, EntryType> = new Map([
  [5, int32],
  [6, uint32],
  [11, type(1, (from, at) => from.readInt8(at))],
  [12, type(1, (from, at) => from.readUInt8(at))],
  [13, type(2, (from, at) => from.readInt16LE(at))],
  [14, type(2, (from, at) => from.readUInt16LE(at))],
  [15, int32],
  [16, uint32],
  [17, int64],
  [18, uint64],
  [22, uint64],
]);

interface Entry {
  readonly name: string;
  readonly type: number;
  /** Null when it follows from the previous entries. */
  readonly offset: number | null;
}

/** Values of a payload by the names of its entries; integers only. */
type Payload = ReadonlyMap<string, bigint>;

/**
 * Decodes binary payloads of NVTX ranges, using the schemas that the program registered.
 *
 * A payload in the export (`nsys export --include-blobs=true`) has a header of four little-endian 64-bit integers: domain,
 * schema, size of the payload, and its offset. Schemas are repeated for each process, but do not say to which process they
 * belong.
 *
 * Sources: Nsight Systems documentation, "SQLite Schema Reference" (tables); NVTX, nvToolsExtPayload.h (types of entries,
 * offsets); the header by github.com/GindaChen/nsys-ai, src/nsys_ai/nccl_communicator.py.
 */
export class PayloadSchemas {
  /** Entries by domain and schema, then by position in the schema. */
  readonly #schemas = new Map<string, Map<number, Entry>>();

  constructor(database: SqliteFile) {
    const columns = ['domainId', 'schemaId', 'idx', 'type', 'name', 'offset'];
    let entries = 0;
    for (const [domain, schema, index, kind, name, offset] of database.rows(ENTRIES, columns)) {
      if (typeof name !== 'string' || entries++ >= MOST_ENTRIES) continue;
      const known = entryOf(this.#schemas, `${integerOf(domain)}:${integerOf(schema)}`, () => new Map<number, Entry>());
      const position = integerOf(offset);
      known.set(integerOf(index), { name, type: integerOf(kind), offset: position > 0 ? position : null });
    }
  }

  /** Decodes a payload; null when it is damaged, or the export lacks its schema. */
  decode(cell: Cell): Payload | null {
    const bytes = typeof cell === 'string' ? Buffer.from(cell, 'hex') : cell;
    if (!Buffer.isBuffer(bytes) || bytes.length < HEADER_BYTES) return null;
    const [domain, schema, size, stated] = [0, 8, 16, 24].map((at) => bytes.readBigUInt64LE(at));
    const entries = this.#schemas.get(`${domain}:${schema}`);
    if (entries === undefined || size === undefined) return null;
    const length = BigInt(bytes.length);
    const offset = [stated ?? 0n, BigInt(HEADER_BYTES)].find((at) => at >= HEADER_BYTES && at + size <= length);
    if (offset === undefined) return null;
    return read(bytes.subarray(Number(offset), Number(offset + size)), entries);
  }
}

/**
 * Reads the entries of a payload; null when one lies beyond the end. An entry without an offset is aligned to its own size.
 */
function read(payload: Buffer, entries: ReadonlyMap<number, Entry>): Payload | null {
  const values = new Map<string, bigint>();
  let end = 0;
  for (const [, { name, type: code, offset }] of [...entries].sort(([a], [b]) => a - b)) {
    const kind = ENTRY_TYPES.get(code);
    // For enumerations and strings, the table does not state a size, but the entries after them have offsets.
    if (kind === undefined) continue;
    const at = offset ?? Math.ceil(end / kind.bytes) * kind.bytes;
    end = at + kind.bytes;
    if (end > payload.length) return null;
    values.set(name, kind.read(payload, at));
  }
  return values;
}

/** Each field is null when it is not stated. */
export interface NcclFacts {
  /** Hash of the communicator in hexadecimal, the same on all of its ranks. */
  readonly communicator: string | null;
  /** Size of one message, as passed to the call, in bytes. */
  readonly bytes: number | null;
  readonly dtype: string | null;
  /** Number of ranks in the communicator. */
  readonly ranks: number | null;
  /** Number of the peer rank in the communicator. */
  readonly peer: number | null;
  readonly root: number | null;
  readonly ordinal: number | null;
}

export const NO_FACTS: NcclFacts = {
  communicator: null,
  bytes: null,
  dtype: null,
  ranks: null,
  peer: null,
  root: null,
  ordinal: null,
};

const countOf = (value: bigint | undefined): number | null =>
  value === undefined || value < 0n || value > Number.MAX_SAFE_INTEGER ? null : Number(value);

/** A call that fails has communicator 0. */
const communicatorOf = (hash: bigint | undefined): string | null =>
  hash === undefined || hash <= 0n ? null : `0x${hash.toString(16)}`;

export function factsOfPayload(payload: Payload): NcclFacts {
  return {
    ...NO_FACTS,
    communicator: communicatorOf(payload.get('NCCL communicator ID')),
    // Up to 2.19 the entry of a broadcast and of a message is called `Bytes`.
    bytes: countOf(payload.get('Message size [bytes]') ?? payload.get('Bytes')),
    ranks: countOf(payload.get('No. of ranks')),
    peer: countOf(payload.get('Peer rank') ?? payload.get('Peer')),
    root: countOf(payload.get('Root')),
  };
}

/** Size limit of a JSON text that is parsed, in bytes. */
const MOST_BYTES = 64 * 1024;

/**
 * Facts from a JSON payload; null when the text is not a JSON object. Integers may be numbers or strings, in decimal or as
 * `0x…`.
 */
export function factsOfJson(text: string): NcclFacts | null {
  const bytes = Buffer.from(text);
  if (bytes.length > MOST_BYTES) return null;
  const value = new ExactDecoder().decode(bytes, 0, bytes.length);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const integer = (key: string): bigint | undefined => integerIn(fieldOf(value, key));
  const type = elementType((textOf(fieldOf(value, 'dataType')) ?? '').replace(/^nccl/i, ''));
  const count = countOf(integer('count'));
  return {
    ...NO_FACTS,
    communicator: communicatorOf(integer('commHash')),
    bytes: count === null || type === null ? null : count * type.bytes,
    dtype: type?.dtype ?? null,
    ranks: countOf(integer('nRanks')),
    peer: countOf(integer('peer')),
    root: countOf(integer('root')),
    ordinal: countOf(integer('seqNumber')),
  };
}

function integerIn(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && /^(?:\d{1,20}|0x[\da-f]{1,16})$/i.test(value) ? BigInt(value) : undefined;
}
