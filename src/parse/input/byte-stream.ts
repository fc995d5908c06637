/**
 * Sequential reader of bytes that arrive in chunks from a file or a decoder, in bounded memory, and the gzip decoder (RFC
 * 1952).
 */
import { fstatSync, readSync } from 'node:fs';
import type * as Fflate from 'fflate';
import { lateLibrary } from '../../containers/late-library.js';

/** Why reading an archive stopped. The part read so far is kept. */
export type Fault = 'cut' | 'damaged' | 'too-large';

export class ArchiveFault extends Error {
  constructor(readonly fault: Fault) {
    super(`archive is ${fault}`);
    this.name = 'ArchiveFault';
  }
}

export interface ByteSource {
  /** The next chunk, valid until the next call; null at the end. Never empty. */
  next(): Buffer | null;
  /**
   * Skips bytes without reading them, if the source can seek.
   * @throws ArchiveFault when there are fewer
   */
  skip?(bytes: number): void;
}

const CHUNK_BYTES = 64 * 1024;

/** Reads an open file from its start. */
export class FileBytes implements ByteSource {
  readonly #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  readonly #size: number;
  #position = 0;

  /** @param file descriptor of a regular file */
  constructor(readonly file: number) {
    this.#size = fstatSync(file).size;
  }

  next(): Buffer | null {
    const read = readSync(this.file, this.#chunk, 0, CHUNK_BYTES, this.#position);
    this.#position += read;
    return read === 0 ? null : this.#chunk.subarray(0, read);
  }

  skip(bytes: number): void {
    this.#position += bytes;
    if (this.#position > this.#size) throw new ArchiveFault('cut');
  }
}

const EMPTY: Buffer = Buffer.alloc(0);

export class ByteStream implements ByteSource {
  #rest: Buffer = EMPTY;

  constructor(readonly source: ByteSource) {}

  /** The rest of the current chunk, or the next one. */
  next(): Buffer | null {
    if (this.#rest.length === 0) return this.source.next();
    const rest = this.#rest;
    this.#rest = EMPTY;
    return rest;
  }

  /** The next bytes without consuming them; fewer at the end. */
  peek(bytes: number): Buffer {
    if (this.#rest.length < bytes) {
      const chunks = [Buffer.from(this.#rest)];
      for (let held = this.#rest.length; held < bytes;) {
        const chunk = this.source.next();
        if (chunk === null) break;
        // Copied, because the source may reuse its memory.
        chunks.push(Buffer.from(chunk));
        held += chunk.length;
      }
      this.#rest = Buffer.concat(chunks);
    }
    return this.#rest.subarray(0, bytes);
  }

  /**
   * Consumes bytes and returns a copy. The caller bounds the size.
   * @throws ArchiveFault when there are fewer
   */
  take(bytes: number): Buffer {
    const chunks: Buffer[] = [];
    for (const chunk of this.pieces(bytes)) chunks.push(Buffer.from(chunk));
    const [only = EMPTY] = chunks;
    return chunks.length <= 1 ? only : Buffer.concat(chunks);
  }

  /** @throws ArchiveFault when there are fewer bytes */
  skip(bytes: number): void {
    const { source } = this;
    if (source.skip === undefined || bytes <= this.#rest.length) {
      for (const chunk of this.pieces(bytes)) void chunk;
      return;
    }
    source.skip(bytes - this.#rest.length);
    this.#rest = EMPTY;
  }

  /**
   * Consumes bytes in pieces, each valid until the next one is requested.
   * @throws ArchiveFault when there are fewer
   */
  *pieces(bytes: number): Generator<Buffer> {
    for (let left = bytes; left > 0;) {
      const chunk = this.next();
      if (chunk === null) throw new ArchiveFault('cut');
      const used = Math.min(left, chunk.length);
      this.#rest = chunk.subarray(used);
      left -= used;
      yield chunk.subarray(0, used);
    }
  }
}

/** Loaded only for Neuron programs, because it builds tables when it is loaded. */
const fflate = lateLibrary<typeof Fflate>('fflate');

/** Number of compressed bytes that are decompressed in one step. The output may be a thousand times larger. */
const STEP = 8 * 1024;
/** If this many bytes produce no output, the stream has ended, because every complete block is smaller. */
const LONGEST_SILENCE = 128 * 1024;

/**
 * The bytes of a DEFLATE stream (RFC 1951). Node's zlib decompresses either all at once or asynchronously, but records are
 * read synchronously, and a program may have gigabytes of constants that are skipped. Checksums are not verified: only JSON
 * members are used, and parsing them detects damage.
 */
export class Inflated implements ByteSource {
  readonly #made: Buffer[] = [];
  readonly #inflate = new (fflate().Inflate)((bytes) => {
    if (bytes.length > 0) this.#made.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  });
  #packed = Buffer.alloc(0);
  #given = 0;
  #isEnd = false;

  /** @param limit maximum number of output bytes */
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
    // One byte is held back, because only a push marked as final reports an incomplete stream.
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

const HAS_CHECKSUM = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;
/** Size limit of names and comments, in bytes. */
const LONGEST_TEXT = 64 * 1024;

function skipText(stream: ByteStream): void {
  for (let n = 0; stream.take(1)[0] !== 0; n++) if (n > LONGEST_TEXT) throw new ArchiveFault('damaged');
}

/** The content of the first gzip member, at most `limit` bytes; anything after that member is ignored. */
export function gunzip(stream: ByteStream, limit: number): ByteStream {
  const flags = stream.take(10).readUInt8(3);
  if ((flags & HAS_EXTRA) !== 0) stream.skip(stream.take(2).readUInt16LE());
  if ((flags & HAS_NAME) !== 0) skipText(stream);
  if ((flags & HAS_COMMENT) !== 0) skipText(stream);
  if ((flags & HAS_CHECKSUM) !== 0) stream.skip(2);
  return new ByteStream(new Inflated(stream, limit));
}
