/** Files of a folder that are there twice, compressed and not. */
import { statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { isSystemError } from '../../record/errors.js';
import { firstBytes, lastBytes, piecesOf } from '../files.js';
import { isGzip } from './unpack.js';

const PACKED = /\.gz$/;

/** Those of the files that are compressed, and beside the file that they are made of: it has their name, size and checksum. */
export function packedCopies(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return paths.filter((path) => {
    const original = path.replace(PACKED, '');
    return original !== path && all.has(original) && isPacked(original, path);
  });
}

/** Bytes at the end of a gzip: the checksum of what it holds (CRC-32), and the size, modulo 2^32. Source: RFC 1952. */
const TRAILER = 8;

function isPacked(original: string, path: string): boolean {
  try {
    const { size } = statSync(original);
    if (size === 0 || !isGzip(firstBytes(path, 2))) return false;
    const trailer = lastBytes(path, TRAILER);
    if (trailer.length < TRAILER || trailer.readUInt32LE(4) !== size % 2 ** 32) return false;
    let checksum = 0;
    for (const piece of piecesOf(original, size, 0)) checksum = crc32(piece, checksum);
    return checksum === trailer.readUInt32LE(0);
  } catch (error) {
    // Whoever reads it says so.
    if (isSystemError(error)) return false;
    throw error;
  }
}
