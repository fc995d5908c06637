/**
 * Synchronous streaming decompression of gzip (RFC 1952). Node's zlib decompresses either all at once or
 * asynchronously; records are read synchronously, and a program may have gigabytes of constants that are skipped.
 *
 * Checksums are not verified: only JSON members are used, and parsing them detects damage.
 */
import type * as Fflate from 'fflate';
import { lateLibrary } from '../../../../containers/late-library.js';
import { ArchiveFault, ByteStream, type ByteSource } from './byte-stream.js';

/** Loaded for programs alone: it makes tables when it is. */
const fflate = lateLibrary<typeof Fflate>('fflate');

/** Compressed bytes a step: output may be a thousand times larger. */
const STEP = 8 * 1024;
/** After so many bytes without output the stream has ended: a block that must be complete is smaller. */
const LONGEST_SILENCE = 128 * 1024;

/** The bytes of a DEFLATE stream (RFC 1951). */
export class Inflated implements ByteSource {
  readonly #made: Buffer[] = [];
  readonly #inflate = new (fflate().Inflate)((bytes) => {
    if (bytes.length > 0) this.#made.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  });
  #packed = Buffer.alloc(0);
  #given = 0;
  #isEnd = false;

  /** @param limit most bytes of output */
  constructor(
    readonly source: ByteSource,
    readonly limit: number,
  ) {}

  /** @throws ArchiveFault when the stream is truncated, damaged, or longer than the limit */
  next(): Buffer | null {
    for (let silence = 0; this.#made.length === 0 && !this.#isEnd && silence < LONGEST_SILENCE;)
      silence += this.#step();
    const chunk = this.#made.shift();
    if (chunk === undefined) return null;
    this.#given += chunk.length;
    if (this.#given > this.limit) throw new ArchiveFault('too-large');
    return chunk;
  }

  /** Decompresses some bytes and returns how many. */
  #step(): number {
    // One byte is held back: only a push marked as final reports an incomplete stream.
    if (this.#packed.length <= 1) {
      const more = this.source.next();
      this.#isEnd = more === null;
      if (more !== null) this.#packed = Buffer.concat([this.#packed, more]);
    }
    const step = this.#packed.subarray(0, this.#isEnd ? 1 : Math.min(STEP, this.#packed.length - 1));
    this.#packed = this.#packed.subarray(step.length);
    try {
      this.#inflate.push(step, this.#isEnd);
    } catch (error) {
      const isCut = (error as Partial<Fflate.FlateError>).code === fflate().FlateErrorCode.UnexpectedEOF;
      throw new ArchiveFault(isCut ? 'cut' : 'damaged');
    }
    return step.length;
  }
}

export const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b && head[2] === 8;

const HAS_CHECKSUM = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;
/** Names and comments are no longer than this. */
const LONGEST_TEXT = 64 * 1024;

function skipText(stream: ByteStream): void {
  for (let n = 0; stream.take(1)[0] !== 0; n++) if (n > LONGEST_TEXT) throw new ArchiveFault('damaged');
}

/** The content of the first gzip member, at most `limit` bytes; anything after it is ignored. */
export function gunzip(stream: ByteStream, limit: number): ByteStream {
  const flags = stream.take(10).readUInt8(3);
  if ((flags & HAS_EXTRA) !== 0) stream.skip(stream.take(2).readUInt16LE());
  if ((flags & HAS_NAME) !== 0) skipText(stream);
  if ((flags & HAS_COMMENT) !== 0) skipText(stream);
  if ((flags & HAS_CHECKSUM) !== 0) stream.skip(2);
  return new ByteStream(new Inflated(stream, limit));
}
