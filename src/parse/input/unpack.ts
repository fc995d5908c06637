/** Copies streams into temporary files, decompressing gzip, and finds files that a folder has twice, once compressed. */
import { readFileSync, createReadStream, statSync } from 'node:fs';
import { gunzipSync, crc32 } from 'node:zlib';
import { endOfSet, gunzipInto, isGzip, gunzipOf } from '../../record/lines/gunzip.js';
import { readFully, firstBytes, lastBytes, piecesOf } from '../files.js';
import type { TemporaryFile } from './temporary-file.js';
import { isSystemError } from '../../record/errors.js';

const PACKED = /\.gz$/;

/** Compressed files that are next to the file they were made from: the same name, size and checksum. */
export async function packedCopies(paths: readonly string[]): Promise<string[]> {
  const all = new Set(paths);
  const copies: string[] = [];
  for (const path of paths) {
    const original = path.replace(PACKED, '');
    if (original !== path && all.has(original) && (await isPacked(original, path))) copies.push(path);
  }
  return copies;
}

/** Bytes at the end of a gzip file: the checksum (CRC-32) and the size of its content, modulo 2^32. Source: RFC 1952. */
const TRAILER = 8;

async function isPacked(original: string, path: string): Promise<boolean> {
  try {
    const { size } = statSync(original);
    if (size === 0 || !isGzip(firstBytes(path, 2))) return false;
    const trailer = lastBytes(path, TRAILER);
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

/** Bytes inflated at a time. */
const CHECKED_PIECE = 64 * 1024;

/** The checksum of a gzip's content; null when the content has another size, or is damaged. */
async function checksumWithin(path: string, size: number): Promise<number | null> {
  let [held, checksum] = [0, 0];
  try {
    for await (const piece of gunzipOf(createReadStream(path), CHECKED_PIECE)) {
      held += piece.length;
      if (held > size) break;
      checksum = crc32(piece, checksum);
    }
    return held === size ? checksum : null;
  } catch (error) {
    // The code that reads this file reports the error.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

const MAGIC_BYTES = 2;

/** Bytes inflated at a time: each piece is a turn of the event loop. */
const PIECE = 512 * 1024;

/** Largest compressed file that is decompressed at once, and largest size of its content, in bytes. */
const SMALL = { compressed: 1024 * 1024, inflated: 16 * 1024 * 1024 } as const;

/**
 * What a small file of gzip holds, without the turns of the event loop that a stream takes.
 * @param size bytes of the file
 * @returns null for a file that is not small, and for one that is damaged: a stream gives what can be read of it
 */
export function inflatedAtOnce(path: string, size: number): Buffer | null {
  if (size > SMALL.compressed) return null;
  try {
    const packed = readFileSync(path);
    const { buffer, engine } = gunzipSync(packed, {
      maxOutputLength: SMALL.inflated,
      info: true,
    }) as unknown as Inflated;
    return endOfSet(packed) > engine.bytesWritten ? null : buffer;
  } catch {
    return null;
  }
}

/** What zlib returns when it is asked for more than the bytes. */
interface Inflated {
  readonly buffer: Buffer;
  /** `bytesWritten` is the number of compressed bytes that were consumed. */
  readonly engine: { readonly bytesWritten: number };
}

/** What a stream contained; 'cut' is a gzip of which only the first part could be decompressed. */
type Unpacked = 'nothing' | 'bytes' | 'gzip' | 'cut';

/**
 * Copies a stream, decompressing gzip. Of a truncated gzip, the part that can be decompressed is kept if it is JSON,
 * because a trace's reader can read part of a file and reports it. Other formats cannot be read in part.
 * @throws Error of zlib when it is damaged, or when it is truncated and not JSON
 */
export async function unpack(stream: AsyncIterable<Buffer>, into: TemporaryFile): Promise<Unpacked> {
  const pieces = fromHead(stream);
  const { done, value: head } = await pieces.next();
  if (done === true) return 'nothing';
  const all = startingWith(head, pieces);
  if (isGzip(head)) return (await gunzip(all, into)) ? 'gzip' : 'cut';
  for await (const piece of all) into.append(piece);
  return 'bytes';
}

/** The pieces of a stream. The first piece is long enough to recognise gzip. */
async function* fromHead(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const piece of stream) {
    if (head === null) yield piece;
    else if ((head = Buffer.concat([head, piece])).length >= MAGIC_BYTES) {
      yield head;
      head = null;
    }
  }
  if (head !== null && head.length > 0) yield head;
}

async function* startingWith(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  yield head;
  yield* rest;
}

/** @returns whether it is complete */
async function gunzip(pieces: AsyncIterable<Buffer>, into: TemporaryFile): Promise<boolean> {
  try {
    await gunzipInto(pieces, PIECE, (piece) => {
      into.append(piece);
    });
    return true;
  } catch (error) {
    const isCut = error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
    if (isCut && beginsAsJson(into.file)) return false;
    throw error;
  }
}

function beginsAsJson(file: number): boolean {
  const head = Buffer.alloc(4096);
  return /^\s*[{[]/.test(head.toString('latin1', 0, readFully(file, head, 0)));
}
