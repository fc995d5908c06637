/**
 * Text lines of a file or a stream, in batches, in constant memory. gzip is recognised by its magic number and undone.
 * Bytes that are no UTF-8 become U+FFFD; a last line needs no line end; a line may be as long as a string can be.
 */
import { constants, isAscii } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UserError } from '../../record/errors.js';
import { TruncatedInput } from './stream-status.js';

/** Large enough that the cost of a read disappears in that of parsing; larger ones only cost memory. */
const CHUNK = 128 * 1024;
const HEAD = 512;

/** Something to read, its first bytes known. */
export interface Input {
  /** For messages. */
  readonly name: string;
  /** The first bytes, at most a chunk; after gzip was undone. */
  readonly head: Buffer;
  /** Everything, the head included. To be iterated once. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Ends reading before it is complete. */
  readonly close: () => void;
}

export interface LineBatch {
  /** Number of the first line, from 1. */
  readonly first: number;
  readonly lines: readonly string[];
}

/**
 * Opens a file.
 * @param onBytes told how many bytes of the file each read brought
 * @throws UserError when the file cannot be read
 */
export async function openFile(path: string, onBytes?: (bytes: number) => void): Promise<Input> {
  return openStream(createReadStream(path, { highWaterMark: CHUNK }), path, onBytes);
}

/** Opens a stream, such as standard input. */
export async function openStream(stream: Readable, name: string, onBytes?: (bytes: number) => void): Promise<Input> {
  const raw = await peek(counted(stream, name, onBytes));
  const close = (): void => {
    stream.destroy();
  };
  if (raw.head[0] !== 0x1f || raw.head[1] !== 0x8b) return { name, ...raw, close };
  const unzip = createGunzip({ chunkSize: CHUNK });
  const packed = Readable.from(raw.chunks, { objectMode: false });
  packed.on('error', (error) => unzip.destroy(error));
  const plain = await peek(counted(packed.pipe(unzip), name));
  return { name, ...plain, close };
}

async function* counted(stream: Readable, name: string, onBytes?: (bytes: number) => void): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      onBytes?.(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw readError(error, name);
  }
}

/** Reads the first bytes and gives them back in front of the rest. */
async function peek(source: AsyncGenerator<Buffer>): Promise<{ head: Buffer; chunks: AsyncIterable<Buffer> }> {
  const start: Buffer[] = [];
  for (let size = 0; size < HEAD;) {
    const next = await source.next();
    if (next.done === true) break;
    start.push(next.value);
    size += next.value.length;
  }
  const head = Buffer.concat(start);
  async function* chunks(): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head;
    yield* source;
  }
  return { head, chunks: chunks() };
}

const READ_ERRORS: Readonly<Record<string, readonly [what: string, hint?: string]>> = {
  ENOENT: ['no such file'],
  ENOTDIR: ['no such file'],
  EACCES: ['permission denied'],
  EISDIR: ['is a directory', 'run dparse on a directory of profiles'],
  EIO: ['cannot be read: input/output error'],
  Z_BUF_ERROR: ['compressed data is cut off', 'copy the file again'],
  Z_DATA_ERROR: ['compressed data is damaged', 'copy the file again'],
};

function readError(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  const [what, hint] = READ_ERRORS[error.code] ?? [`cannot be read: ${error.code}`];
  const Kind = error.code === 'Z_BUF_ERROR' ? TruncatedInput : UserError;
  return new Kind(what, { where: name, ...(hint === undefined ? {} : { hint }) });
}

/**
 * The lines of an input, about a chunk at a time, without their line ends.
 * @throws UserError for a line longer than a string can be
 */
export async function* lineBatches(input: Input): AsyncGenerator<LineBatch> {
  let first = 1;
  let rest: Buffer[] = [];
  let restSize = 0;
  const text = (bytes: readonly Buffer[]): string => {
    const size = bytes.reduce((sum, part) => sum + part.length, 0);
    if (size > constants.MAX_STRING_LENGTH) {
      throw new UserError('line is too long', { where: `${input.name}:${first}`, hint: 'at most 512 MB' });
    }
    const whole = bytes.length === 1 ? (bytes[0] ?? Buffer.alloc(0)) : Buffer.concat(bytes);
    // Of ASCII, which most records are, both are the same, and latin1 is read several times faster.
    return whole.toString(isAscii(whole) ? 'latin1' : 'utf8');
  };
  for await (const chunk of input.chunks) {
    const end = chunk.lastIndexOf(0x0a);
    if (end === -1) {
      rest.push(chunk);
      restSize += chunk.length;
      continue;
    }
    const lines = text([...rest, chunk.subarray(0, end)]).split('\n');
    if (first === 1) lines[0] = withoutMark(lines[0] ?? '');
    yield { first, lines };
    first += lines.length;
    rest = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : [];
    restSize = chunk.length - end - 1;
  }
  if (restSize > 0) {
    const last = text(rest);
    yield { first, lines: [first === 1 ? withoutMark(last) : last] };
  }
}

/** A byte order mark is no part of the text. */
const withoutMark = (line: string): string => (line.startsWith('\ufeff') ? line.slice(1) : line);
