/**
 * Text lines of a file or a stream, in batches, in constant memory. Compressed data are recognised by their first
 * bytes and decompressed. Invalid UTF-8 becomes U+FFFD; the last line needs no line end; the length of a line is limited.
 */
import { isAscii } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { UserError, systemReason } from '../../record/errors.js';
import { LONGEST_LINE } from '../../record/jsonl.js';
import { isPacked, PackedFault, unpackedOf } from '../../record/lines/packed.js';
import { TruncatedInput } from './stream-status.js';

/** Size of a read in bytes, large enough that reads take little time compared with parsing. */
const CHUNK = 128 * 1024;
const HEAD = 512;

/** An opened input whose first bytes are known. */
export interface Input {
  /** Name for messages. */
  readonly name: string;
  /** The first bytes, decompressed, at most one chunk. */
  readonly head: Buffer;
  /** All bytes, decompressed, including the head; can be iterated only once. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Stops reading before the end of the input. */
  readonly close: () => void;
}

export interface LineBatch {
  /** Number of the first line, from 1. */
  readonly first: number;
  readonly lines: readonly string[];
}

/**
 * Opens a file.
 * @param onBytes called with the size of each read, before decompression
 * @throws UserError when the file cannot be read
 */
export async function openFile(path: string, onBytes?: (bytes: number) => void): Promise<Input> {
  return openStream(createReadStream(path, { highWaterMark: CHUNK }), path, onBytes);
}

/**
 * Opens a stream, such as standard input.
 * @param name the name for messages
 */
export async function openStream(stream: Readable, name: string, onBytes?: (bytes: number) => void): Promise<Input> {
  const raw = await peek(counted(stream as AsyncIterable<Buffer>, name, onBytes));
  const close = (): void => void stream.destroy();
  if (!isPacked(raw.head)) return { name, ...raw, close };
  const plain = await peek(counted(unpackedOf(raw.chunks), name));
  return { name, ...plain, close };
}

async function* counted(
  stream: AsyncIterable<Buffer>,
  name: string,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) {
      onBytes?.(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw readError(error, name);
  }
}

/** Reads the first bytes in advance. */
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
  EISDIR: ['is a directory', 'run dparse on a directory of profiles'],
};

function readError(error: unknown, name: string): unknown {
  if (error instanceof PackedFault) {
    if (error.fault === 'bomb') return new UserError(error.message, { where: name });
    const detail = { where: name, hint: 'copy the file again' };
    if (error.fault === 'cut') return new TruncatedInput('compressed data is cut off', detail);
    return new UserError('compressed data is damaged', detail);
  }
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  const { code } = error;
  const [what, hint] = READ_ERRORS[code] ?? [`cannot be read: ${systemReason({ code })}`];
  return new UserError(what, { where: name, ...(hint === undefined ? {} : { hint }) });
}

/**
 * Lines of about one chunk at a time, without line ends.
 * @throws UserError for a line that is too long
 */
export async function* lineBatches(input: Input): AsyncGenerator<LineBatch> {
  let first = 1;
  let rest: Buffer[] = [];
  let restSize = 0;
  const text = (bytes: readonly Buffer[]): string => {
    const [only] = bytes;
    const whole = bytes.length === 1 && only !== undefined ? only : Buffer.concat(bytes);
    // Most records are ASCII, which is the same in both encodings, and latin1 is faster to decode.
    return whole.toString(isAscii(whole) ? 'latin1' : 'utf8');
  };
  for await (const chunk of input.chunks) {
    const end = chunk.lastIndexOf(0x0a);
    if (end === -1) {
      rest.push(chunk);
      restSize += chunk.length;
      if (restSize > LONGEST_LINE) {
        const hint = `at most ${LONGEST_LINE / 1024 / 1024} MB`;
        throw new UserError('line is too long', { where: `${input.name}:${first}`, hint });
      }
      continue;
    }
    const lines = text([...rest, chunk.subarray(0, end)]).split('\n');
    yield { first, lines: first === 1 ? withoutMark(lines) : lines };
    first += lines.length;
    rest = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : [];
    restSize = chunk.length - end - 1;
  }
  if (restSize > 0) {
    const lines = [text(rest)];
    yield { first, lines: first === 1 ? withoutMark(lines) : lines };
  }
}

/** Removes a byte order mark before the first line. */
const withoutMark = (lines: readonly string[]): readonly string[] =>
  lines[0]?.startsWith('\ufeff') === true ? [lines[0].slice(1), ...lines.slice(1)] : lines;
