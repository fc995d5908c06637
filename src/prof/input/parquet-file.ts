/**
 * A Parquet file before the library sees it: its bytes against their checksum, where the file has one, and else its groups,
 * pages and runs of values, since the library believes every count and length.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { AsyncBuffer } from 'hyparquet';
import { isSystemError, systemReason, UserError } from '../../record/errors.js';
import { hasItsBytes, TAIL } from '../../record/lines/parquet-checksum.js';

const PIECE = 1024 * 1024;

/** The bytes of a file, which is opened anew for each use: a folder may have more files than can be open. */
export class ParquetFile implements AsyncBuffer {
  readonly byteLength: number;
  /** Whether the file has a checksum, which is right. */
  readonly isChecked: boolean;

  /** @throws UserError when its checksum is not that of its bytes */
  constructor(readonly path: string) {
    const file = openSync(path, 'r');
    try {
      this.byteLength = fstatSync(file).size;
      const tailAt = Math.max(0, this.byteLength - TAIL);
      const isRight = hasItsBytes(bytesOf(file, tailAt, this.byteLength), () => piecesOf(file, tailAt));
      if (isRight === false) throw damaged(path, 'its bytes are not those that were written');
      this.isChecked = isRight === true;
    } finally {
      closeSync(file);
    }
  }

  slice(start: number, end = this.byteLength): ArrayBuffer {
    const isInside = Number.isSafeInteger(start) && start >= 0 && start <= end && end <= this.byteLength;
    if (!isInside) throw damaged(this.path, `it has ${this.byteLength} bytes, not bytes ${start} to ${end}`);
    const file = openSync(this.path, 'r');
    try {
      return bytesOf(file, start, end).buffer;
    } finally {
      closeSync(file);
    }
  }
}

function* piecesOf(file: number, end: number): Generator<Uint8Array> {
  for (let at = 0; at < end; at += PIECE) yield bytesOf(file, at, Math.min(end, at + PIECE));
}

function bytesOf(file: number, start: number, end: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.from(new ArrayBuffer(end - start));
  let filled = 0;
  while (filled < bytes.length) {
    const read = readSync(file, bytes, filled, bytes.length - filled, start + filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes;
}

/** A file that cannot be read as Parquet. @param why what is wrong in it, where that is known */
const damaged = (path: string, why?: string): UserError =>
  new UserError(`is not a Parquet file, or a damaged one${why === undefined ? '' : `: ${why}`}`, {
    where: path,
    hint: 'write the folder again with dparse -f parquet',
  });

/** What was thrown while a file was read, as an error that names it. */
export function unreadable(path: string, error: unknown): UserError {
  if (error instanceof UserError) return error;
  if (isSystemError(error)) return new UserError(systemReason(error), { where: path, code: error.code });
  // Errors of other kinds are those of a library that has stumbled over what it has read.
  return damaged(path, error instanceof Error && error.constructor === Error ? error.message : undefined);
}

/** Reads; what is thrown becomes an error that names the file. */
export async function withPath<T>(path: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw unreadable(path, error);
  }
}
