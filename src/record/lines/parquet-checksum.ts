/**
 * The checksum of a Parquet file, in the text that says which program has written it: a CRC-32 of all bytes of the file,
 * with zeros in place of its own digits. Programs that write a file again put a text of their own there. Checksums of the
 * format itself are those of single pages, and leave out all that says where and what the pages are.
 */
import { crc32 } from 'node:zlib';

const MARK = 'dparse crc32 ';
const DIGITS = 8;
const ZEROS = Buffer.from('0'.repeat(DIGITS));

/** The text of a file whose checksum is not known yet. */
export const CREATED_BY = MARK + '0'.repeat(DIGITS);

/** Bytes at the end of a file in which the text stands: behind it is a list with three bytes for each column. */
export const TAIL = 4096;

/** Where the digits of the checksum are in the last bytes of a file; null for a file without one. */
function digitsIn(tail: Buffer): number | null {
  // Texts of the profile may stand in front of it, never behind it.
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
  if (offset === null) throw new TypeError('a Parquet file without the text of its writer');
  bytes.write(crc32(bytes, before).toString(16).padStart(DIGITS, '0'), offset);
}

/**
 * Whether a file has the bytes that it was written with; null for a file without a checksum.
 * @param tail its last bytes, at least TAIL of a file that has as many
 * @param before the bytes before them, asked for where there is a checksum
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
