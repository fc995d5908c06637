/**
 * Streaming reader of tar archives: ustar (POSIX.1-1988), pax (POSIX.1-2001) and GNU's long names. A member whose size
 * exceeds the rest of the archive is truncated.
 */
import { ArchiveFault, type ByteStream } from './byte-stream.js';

const BLOCK = 512;
/** Size limit of pax headers and long names. */
const LONGEST_EXTRA = 1024 * 1024;
const MOST_MEMBERS = 200_000;

export interface TarMember {
  /** Name without a leading './'. */
  readonly name: string;
  readonly size: number;
  /** Contents of the file. Call this at most once, before the next member is requested; the caller checks `size`. */
  read(): Buffer;
  /** The same, in pieces. All pieces must be requested. */
  pieces(): Generator<Buffer>;
}

/** A header field up to its NUL byte. */
export function cText(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString('utf8');
}

/** A number in octal, or in base 256 (GNU) when the highest bit of the field is set; NaN when it is neither. */
function number(block: Buffer, start: number, length: number): number {
  if ((block.readUInt8(start) & 0x80) === 0) {
    const digits = block
      .toString('latin1', start, start + length)
      .replace(/^ +/, '')
      .split(/[ \0]/, 1)
      .join();
    return /^[0-7]*$/.test(digits) ? Number(`0o${digits || '0'}`) : NaN;
  }
  const rest = block.subarray(start + 1, start + length);
  return rest.reduce((value, byte) => value * 256 + byte, block.readUInt8(start) & 0x7f);
}

const CHECKSUM = { start: 148, length: 8 };

/** Verifies the checksum of a header: the sum of its bytes, with the checksum field counted as spaces. */
function isHeader(block: Buffer): boolean {
  let sum = 8 * 0x20;
  block.forEach((byte, i) => {
    if (i < CHECKSUM.start || i >= CHECKSUM.start + CHECKSUM.length) sum += byte;
  });
  return number(block, CHECKSUM.start, CHECKSUM.length) === sum;
}

/** Whether bytes look like the beginning of a tar archive. */
export const isTar = (head: Buffer): boolean =>
  head.length >= BLOCK && head.toString('latin1', 257, 262) === 'ustar' && isHeader(head.subarray(0, BLOCK));

/**
 * `path` and `size` of a pax header. Its records are "length key=value
 * ", with the length of the whole record in bytes.
 */
function paxRecords(contents: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let start = 0; start < contents.length;) {
    const blank = contents.indexOf(0x20, start);
    const length = Number(contents.toString('latin1', start, Math.max(start, blank)));
    if (blank < 0 || !Number.isInteger(length) || length <= blank - start) break;
    const [, key, value] = /^([^=]*)=(.*)\n$/s.exec(contents.toString('utf8', blank + 1, start + length)) ?? [];
    if (key !== undefined && value !== undefined) records.set(key, value);
    start += length;
  }
  return records;
}

function nameOf(block: Buffer): string {
  const name = cText(block, 0, 100);
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? cText(block, 345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

const isZero = (block: Buffer): boolean => block.every((byte) => byte === 0);

/** @throws ArchiveFault when the archive is cut off or damaged */
export function* members(stream: ByteStream): Generator<TarMember> {
  let longName: string | null = null;
  let pax = new Map<string, string>();
  for (let n = 0; ; n++) {
    if (n > MOST_MEMBERS) throw new ArchiveFault('too-large');
    // Some archives do not have the two final blocks of zeros.
    if (stream.peek(1).length === 0) return;
    const block = stream.take(BLOCK);
    if (isZero(block)) return;
    if (!isHeader(block)) throw new ArchiveFault('damaged');
    const size = Number(pax.get('size') ?? number(block, 124, 12));
    if (!Number.isSafeInteger(size) || size < 0) throw new ArchiveFault('damaged');
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    const kind = String.fromCharCode(block.readUInt8(156));
    if (kind === 'x' || kind === 'L') {
      if (size > LONGEST_EXTRA) throw new ArchiveFault('damaged');
      const contents = stream.take(size);
      stream.skip(padding);
      if (kind === 'x') pax = paxRecords(contents);
      else longName = cText(contents, 0, size);
      continue;
    }
    let left = size;
    const read = (): Buffer => {
      left = 0;
      return stream.take(size);
    };
    const pieces = (): Generator<Buffer> => {
      left = 0;
      return stream.pieces(size);
    };
    const name = (pax.get('path') ?? longName ?? nameOf(block)).replace(/^(?:\.?\/)+/, '');
    if (kind === '0' || kind === '\0' || kind === '7') yield { name, size, read, pieces };
    longName = null;
    pax = new Map();
    stream.skip(left + padding);
  }
}
