/** Streams into temporary files, gzip inflated. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { endOfSet, gunzipInto, isGzip } from '../../record/lines/gunzip.js';
import { readFully } from '../files.js';
import type { TemporaryFile } from './temporary-file.js';

const MAGIC_BYTES = 2;

/** Bytes inflated at a time: each piece is a turn of the event loop, and 128 kB take half as long again. */
const PIECE = 512 * 1024;

/** Bytes of a small compressed file, and at most what they become. */
const SMALL = { compressed: 1024 * 1024, inflated: 16 * 1024 * 1024 } as const;

/**
 * What a small file of gzip holds: as a stream it takes four times as long, most of it turns of the event loop.
 * @param size bytes of the file
 * @returns null for a file that is not small, and for one that is damaged: a stream gives what can be read of it
 */
export function inflatedAtOnce(path: string, size: number): Buffer | null {
  if (size > SMALL.compressed) return null;
  try {
    const packed = readFileSync(path);
    const { buffer, engine } = gunzipSync(packed, {
      maxOutputLength: SMALL.inflated,
      info: true,
    }) as unknown as Inflated;
    return endOfSet(packed) > engine.bytesWritten ? null : buffer;
  } catch {
    return null;
  }
}

/** What zlib answers where it is asked for more than the bytes. */
interface Inflated {
  readonly buffer: Buffer;
  /** `bytesWritten`: how many bytes were inflated. */
  readonly engine: { readonly bytesWritten: number };
}

/** What a stream held; 'cut' for gzip of which only the first part could be inflated. */
type Unpacked = 'nothing' | 'bytes' | 'gzip' | 'cut';

/**
 * Copies a stream, inflating gzip. Of a truncated gzip the part that inflates is kept if it is JSON: a trace's reader
 * reads and reports it. No other format can be read in part.
 * @throws Error of zlib when it is damaged, or truncated and no JSON
 */
export async function unpack(stream: AsyncIterable<Buffer>, into: TemporaryFile): Promise<Unpacked> {
  const pieces = fromHead(stream);
  const { done, value: head } = await pieces.next();
  if (done === true) return 'nothing';
  const all = startingWith(head, pieces);
  if (isGzip(head)) return (await gunzip(all, into)) ? 'gzip' : 'cut';
  for await (const piece of all) into.append(piece);
  return 'bytes';
}

/** The pieces of a stream, the first of them long enough to know gzip by. */
async function* fromHead(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const piece of stream) {
    if (head === null) yield piece;
    else if ((head = Buffer.concat([head, piece])).length >= MAGIC_BYTES) {
      yield head;
      head = null;
    }
  }
  if (head !== null && head.length > 0) yield head;
}

async function* startingWith(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  yield head;
  yield* rest;
}

/** @returns whether it is complete */
async function gunzip(pieces: AsyncIterable<Buffer>, into: TemporaryFile): Promise<boolean> {
  try {
    await gunzipInto(pieces, PIECE, (piece) => {
      into.append(piece);
    });
    return true;
  } catch (error) {
    const isCut = error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
    if (isCut && beginsAsJson(into.file)) return false;
    throw error;
  }
}

function beginsAsJson(file: number): boolean {
  const head = Buffer.alloc(4096);
  return /^\s*[{[]/.test(head.toString('latin1', 0, readFully(file, head, 0)));
}
