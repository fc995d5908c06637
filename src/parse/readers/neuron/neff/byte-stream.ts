/** Sequential reader of bytes that arrive in chunks from a file or a decoder, in bounded memory. */
import { fstatSync, readSync } from 'node:fs';

/** Why reading an archive stops; the part before is kept. */
export type Fault = 'cut' | 'damaged' | 'too-large';

export class ArchiveFault extends Error {
  constructor(readonly fault: Fault) {
    super(`archive is ${fault}`);
    this.name = 'ArchiveFault';
  }
}

export interface ByteSource {
  /** The next chunk, valid until the following call; null at the end. Never empty. */
  next(): Buffer | null;
  /** Skips bytes without reading them, where the source can seek. @throws ArchiveFault when there are fewer */
  skip?(bytes: number): void;
}

const CHUNK_BYTES = 64 * 1024;

/** An open file from its start. */
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
        // A copy: the source may reuse its memory.
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
    this.#consume(bytes, (chunk) => chunks.push(Buffer.from(chunk)));
    const [only = EMPTY] = chunks;
    return chunks.length <= 1 ? only : Buffer.concat(chunks);
  }

  /** @throws ArchiveFault when there are fewer bytes */
  skip(bytes: number): void {
    const { source } = this;
    if (source.skip === undefined || bytes <= this.#rest.length) {
      this.#consume(bytes, () => undefined);
      return;
    }
    source.skip(bytes - this.#rest.length);
    this.#rest = EMPTY;
  }

  #consume(bytes: number, use: (chunk: Buffer) => void): void {
    for (let left = bytes; left > 0;) {
      const chunk = this.next();
      if (chunk === null) throw new ArchiveFault('cut');
      const used = Math.min(left, chunk.length);
      use(chunk.subarray(0, used));
      this.#rest = chunk.subarray(used);
      left -= used;
    }
  }
}
