/** Files of a folder that are there twice, compressed and not. */
import { statSync } from 'node:fs';
import { isSystemError } from '../../record/errors.js';
import { firstBytes, lastBytes } from '../files.js';
import { isGzip } from './unpack.js';

const PACKED = /\.gz$/;

/** Those of the files that are compressed, and beside the file that they are made of: it has their name and their size. */
export function packedCopies(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return paths.filter((path) => {
    const original = path.replace(PACKED, '');
    return original !== path && all.has(original) && isPacked(original, path);
  });
}

/** Bytes of the size at the end of a gzip, which is modulo 2^32. */
const SIZE_BYTES = 4;

function isPacked(original: string, path: string): boolean {
  try {
    const { size } = statSync(original);
    if (size === 0 || !isGzip(firstBytes(path, 2))) return false;
    const end = lastBytes(path, SIZE_BYTES);
    return end.length === SIZE_BYTES && end.readUInt32LE() === size % 2 ** 32;
  } catch (error) {
    // Whoever reads it says so.
    if (isSystemError(error)) return false;
    throw error;
  }
}
