/** Files of a folder that are there twice, compressed and not. */
import { createReadStream, statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { isSystemError } from '../../record/errors.js';
import { gunzipOf, isGzip } from '../../record/lines/gunzip.js';
import { firstBytes, lastBytes, piecesOf } from '../files.js';

const PACKED = /\.gz$/;

/** Those of the files that are compressed, and beside the file that they are made of: it has their name, size and checksum. */
export async function packedCopies(paths: readonly string[]): Promise<string[]> {
  const all = new Set(paths);
  const copies: string[] = [];
  for (const path of paths) {
    const original = path.replace(PACKED, '');
    if (original !== path && all.has(original) && (await isPacked(original, path))) copies.push(path);
  }
  return copies;
}

/** Bytes at the end of a gzip: the checksum of what it holds (CRC-32), and the size, modulo 2^32. Source: RFC 1952. */
const TRAILER = 8;

async function isPacked(original: string, path: string): Promise<boolean> {
  try {
    const { size } = statSync(original);
    if (size === 0 || !isGzip(firstBytes(path, 2))) return false;
    const trailer = lastBytes(path, TRAILER);
    // A gzip of several members, or with bytes behind, ends with no trailer of all that it holds.
    const isWhole = trailer.length === TRAILER && trailer.readUInt32LE(4) === size % 2 ** 32;
    const packed = isWhole ? trailer.readUInt32LE(0) : await checksumWithin(path, size);
    if (packed === null) return false;
    let checksum = 0;
    for (const piece of piecesOf(original, size, 0)) checksum = crc32(piece, checksum);
    return checksum === packed;
  } catch (error) {
    // Whoever reads it says so.
    if (isSystemError(error)) return false;
    throw error;
  }
}

/** Bytes inflated at a time. */
const PIECE = 64 * 1024;

/** The checksum of what a gzip holds; null where that has another size, or is damaged. */
async function checksumWithin(path: string, size: number): Promise<number | null> {
  let [held, checksum] = [0, 0];
  try {
    for await (const piece of gunzipOf(createReadStream(path), PIECE)) {
      held += piece.length;
      if (held > size) break;
      checksum = crc32(piece, checksum);
    }
    return held === size ? checksum : null;
  } catch (error) {
    // Whoever reads it says so.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
