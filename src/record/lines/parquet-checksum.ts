/**
 * The checksum of a Parquet file, stored in the text that names the writing program: a CRC-32 of all bytes of the file,
 * with zeros in place of its digits. Programs that rewrite a file replace this text. The format's checksums cover only
 * single pages, and not the metadata that says where and what the pages are.
 */
import { crc32 } from 'node:zlib';

const MARK = 'dparse crc32 ';
const DIGITS = 8;
const ZEROS = Buffer.from('0'.repeat(DIGITS));

/** The text while the checksum is unknown yet. */
export const CREATED_BY = MARK + '0'.repeat(DIGITS);

/**
 * Length in bytes of the end of a file that contains the text; it is followed by a list with three bytes for each column.
 */
export const TAIL = 4096;

/** Position of the checksum's digits in the last bytes of a file; null for a file without a checksum. */
function digitsIn(tail: Buffer): number | null {
  // Strings of the profile may precede it, but never follow it.
  const offset = tail.lastIndexOf(MARK);
  return offset < 0 || offset + CREATED_BY.length > tail.length ? null : offset + MARK.length;
}

/**
 * Writes the checksum into the last bytes of a file.
 * @param end the last bytes, changed in place
 * @param before the CRC-32 of all bytes before them
 */
export function setChecksum(end: Uint8Array, before: number): void {
  const bytes = Buffer.from(end.buffer, end.byteOffset, end.byteLength);
  const offset = digitsIn(bytes);
  if (offset === null) throw new TypeError('a Parquet file without the name of the program that wrote it');
  bytes.write(crc32(bytes, before).toString(16).padStart(DIGITS, '0'), offset);
}

/**
 * Whether a file still has the bytes that were written; null for a file without a checksum.
 * @param tail its last bytes, at least TAIL if the file has as many
 * @param before returns the bytes before them; called when there is a checksum
 */
export function hasItsBytes(tail: Buffer, before: () => Iterable<Uint8Array>): boolean | null {
  const offset = digitsIn(tail);
  if (offset === null) return null;
  let checksum = 0;
  for (const piece of before()) checksum = crc32(piece, checksum);
  for (const piece of [tail.subarray(0, offset), ZEROS, tail.subarray(offset + DIGITS)])
    checksum = crc32(piece, checksum);
  return checksum.toString(16).padStart(DIGITS, '0') === tail.toString('latin1', offset, offset + DIGITS);
}
