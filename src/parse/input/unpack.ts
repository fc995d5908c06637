/**
 * Copies streams into temporary files, decompressing them, and finds files that a folder contains both compressed and
 * uncompressed.
 */
import { readFileSync, createReadStream, statSync } from 'node:fs';
import { gunzipSync, crc32 } from 'node:zlib';
import {
  endOfSet,
  isGzip,
  isPacked,
  MAGIC_BYTES,
  PackedFault,
  peeked,
  unpackedName,
  unpackedOf,
} from '../../record/lines/packed.js';
import { readFully, firstBytes, lastBytes, piecesOf } from '../files.js';
import type { TemporaryFile } from './temporary-file.js';
import { isSystemError } from '../../record/errors.js';

/** Compressed files whose original is next to them, with the same name, size and checksum. */
export async function packedCopies(paths: readonly string[]): Promise<string[]> {
  const all = new Set(paths);
  const copies: string[] = [];
  for (const path of paths) {
    const original = unpackedName(path);
    if (original !== path && all.has(original) && (await isCopy(original, path))) copies.push(path);
  }
  return copies;
}

/** Bytes at the end of a gzip file: the checksum (CRC-32) and the size of its content, modulo 2^32. Source: RFC 1952. */
const TRAILER = 8;

async function isCopy(original: string, path: string): Promise<boolean> {
  try {
    const { size } = statSync(original);
    const head = firstBytes(path, MAGIC_BYTES);
    if (size === 0 || !isPacked(head)) return false;
    const trailer = lastBytes(path, isGzip(head) ? TRAILER : 0);
    // In a gzip with several members, or with bytes after it, the last bytes are not the trailer of the whole content.
    const isWhole = trailer.length === TRAILER && trailer.readUInt32LE(4) === size % 2 ** 32;
    const packed = isWhole ? trailer.readUInt32LE(0) : await checksumWithin(path, size);
    if (packed === null) return false;
    let checksum = 0;
    for (const piece of piecesOf(original, size, 0)) checksum = crc32(piece, checksum);
    return checksum === packed;
  } catch (error) {
    // The code that reads this file reports the error.
    if (isSystemError(error)) return false;
    throw error;
  }
}

/** The checksum of compressed content; null when the content has another size, or is damaged. */
async function checksumWithin(path: string, size: number): Promise<number | null> {
  let [held, checksum] = [0, 0];
  try {
    for await (const piece of unpackedOf(createReadStream(path))) {
      held += piece.length;
      if (held > size) break;
      checksum = crc32(piece, checksum);
    }
    return held === size ? checksum : null;
  } catch (error) {
    // The code that reads this file reports the error.
    if (error instanceof PackedFault || isSystemError(error)) return null;
    throw error;
  }
}

/** Largest compressed file that is decompressed at once, and largest size of its content, in bytes. */
const SMALL = { compressed: 1024 * 1024, inflated: 16 * 1024 * 1024 } as const;

/**
 * Content of a small gzip file, decompressed at once, because a stream takes several turns of the event loop.
 * @param size size of the file in bytes
 * @returns null for a file that is not a small gzip, is damaged, or is compressed twice: a stream then reads what can
 *   be read
 */
export function inflatedAtOnce(path: string, size: number): Buffer | null {
  if (size > SMALL.compressed) return null;
  try {
    const packed = readFileSync(path);
    const { buffer, engine } = gunzipSync(packed, {
      maxOutputLength: SMALL.inflated,
      info: true,
    }) as unknown as Inflated;
    return endOfSet(packed) > engine.bytesWritten || isPacked(buffer) ? null : buffer;
  } catch {
    return null;
  }
}

/** What zlib returns with the option `info`. */
interface Inflated {
  readonly buffer: Buffer;
  /** `bytesWritten` is the number of compressed bytes that were consumed. */
  readonly engine: { readonly bytesWritten: number };
}

/** Content of a stream; 'cut' means that only the first part of the compressed data could be read. */
type Unpacked = 'nothing' | 'bytes' | 'packed' | 'cut';

/**
 * Copies and decompresses a stream. If the data is truncated JSON, the part that can be decompressed is kept, because
 * the reader of a trace can read part of a file and reports the loss. Other formats cannot be read in part.
 * @throws PackedFault when it is damaged, or when it is truncated and not JSON
 */
export async function unpack(stream: AsyncIterable<Buffer>, into: TemporaryFile): Promise<Unpacked> {
  const { head, all } = await peeked(stream, MAGIC_BYTES);
  if (head.length === 0) return 'nothing';
  try {
    for await (const piece of unpackedOf(all)) into.append(piece);
    return isPacked(head) ? 'packed' : 'bytes';
  } catch (error) {
    if (error instanceof PackedFault && error.fault === 'cut' && beginsAsJson(into.file)) return 'cut';
    throw error;
  }
}

function beginsAsJson(file: number): boolean {
  const head = Buffer.alloc(4096);
  return /^\s*[{[]/.test(head.toString('latin1', 0, readFully(file, head, 0)));
}

/** Number of compressed bytes that are enough to detect a format, and size limit of their decompressed content. */
const START = { packed: 256 * 1024, unpacked: 16 * 1024 * 1024 } as const;

/**
 * The first bytes of compressed data, or of any other data.
 * @param bytes the data, or their first part
 * @param wanted number of bytes that are enough
 * @throws PackedFault when they are damaged
 */
export async function unpackedStart(bytes: Buffer, wanted: number = START.unpacked): Promise<Buffer> {
  const made: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of unpackedOf(pieces(bytes))) {
      made.push(piece);
      if ((size += piece.length) >= wanted) break;
    }
  } catch (error) {
    if (!(error instanceof PackedFault) || error.fault !== 'cut') throw error;
  }
  return Buffer.concat(made);
}

// eslint-disable-next-line @typescript-eslint/require-await -- the bytes of this stream are already in memory
async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** The first bytes of a compressed file. */
export const startOfPacked = (path: string, wanted?: number): Promise<Buffer> =>
  unpackedStart(firstBytes(path, START.packed), wanted);
