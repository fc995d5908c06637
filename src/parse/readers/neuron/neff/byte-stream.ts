/** Bytes that come in pieces, from a file or from a decoder, taken as the format needs them: bounded memory, any size. */
import { fstatSync, readSync } from 'node:fs';

/** What stops the reading of an archive; what stands before was read. */
export type Fault = 'cut' | 'damaged' | 'too-large';

export class ArchiveFault extends Error {
  constructor(readonly fault: Fault) {
    super(`archive is ${fault}`);
    this.name = 'ArchiveFault';
  }
}

export interface ByteSource {
  /** The next piece, good until the one after it is asked for; null at the end. Never empty. */
  next(): Buffer | null;
  /** Passes over bytes without reading them, where that can be done. @throws ArchiveFault when there are fewer */
  skip?(bytes: number): void;
}

const PIECE = 64 * 1024;

/** An open file from its start. */
export class FileBytes implements ByteSource {
  readonly #piece = Buffer.allocUnsafe(PIECE);
  readonly #size: number;
  #position = 0;

  /** @param file descriptor of a regular file */
  constructor(readonly file: number) {
    this.#size = fstatSync(file).size;
  }

  next(): Buffer | null {
    const read = readSync(this.file, this.#piece, 0, PIECE, this.#position);
    this.#position += read;
    return read === 0 ? null : this.#piece.subarray(0, read);
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

  /** Whatever of the current piece is left, or the next one. */
  next(): Buffer | null {
    if (this.#rest.length === 0) return this.source.next();
    const rest = this.#rest;
    this.#rest = EMPTY;
    return rest;
  }

  /** The next bytes without taking them; fewer at the end. */
  peek(bytes: number): Buffer {
    if (this.#rest.length < bytes) {
      const pieces = [Buffer.from(this.#rest)];
      for (let held = this.#rest.length; held < bytes;) {
        const piece = this.source.next();
        if (piece === null) break;
        // The source may use its memory again.
        pieces.push(Buffer.from(piece));
        held += piece.length;
      }
      this.#rest = Buffer.concat(pieces);
    }
    return this.#rest.subarray(0, bytes);
  }

  /**
   * A copy of the next bytes. The caller has checked that it can hold so many.
   * @throws ArchiveFault when there are fewer
   */
  take(bytes: number): Buffer {
    const pieces: Buffer[] = [];
    this.#pass(bytes, (piece) => pieces.push(Buffer.from(piece)));
    return pieces.length === 1 ? (pieces[0] ?? EMPTY) : Buffer.concat(pieces);
  }

  /**
   * Passes over bytes.
   * @throws ArchiveFault when there are fewer
   */
  skip(bytes: number): void {
    const { source } = this;
    if (source.skip === undefined || bytes <= this.#rest.length) {
      this.#pass(bytes, () => undefined);
      return;
    }
    source.skip(bytes - this.#rest.length);
    this.#rest = EMPTY;
  }

  #pass(bytes: number, use: (piece: Buffer) => void): void {
    for (let left = bytes; left > 0;) {
      const piece = this.next();
      if (piece === null) throw new ArchiveFault('cut');
      const used = Math.min(left, piece.length);
      use(piece.subarray(0, used));
      this.#rest = piece.subarray(used);
      left -= used;
    }
  }
}
