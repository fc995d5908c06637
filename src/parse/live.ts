/**
 * Reads a live pipe: formats with `live` are read from standard input as they arrive, because the end of the stream may be
 * days away. Any other input is read as usual, from its first byte on.
 */
import type { ProfileLine } from '../record/record.js';
import { isPacked, MAGIC_BYTES } from '../record/lines/packed.js';
import type { LiveFormat, SniffResult } from './reader.js';
import { READERS } from './registry.js';

/** A stream whose first bytes were inspected. */
export interface Peeked {
  /** The format in which to read the stream as it arrives; null when the stream is read as a whole. */
  readonly live: LiveFormat | null;
  /** The whole stream, including the inspected bytes. */
  readonly bytes: AsyncIterable<Buffer>;
}

/** Maximum number of bytes needed to recognise a live format. */
const SEARCHED = 64 * 1024;

/**
 * Inspects the first bytes of a stream for a live format.
 * @param format id given with `--input-format`
 */
export async function peek(stream: AsyncIterable<Buffer>, format: string | undefined): Promise<Peeked> {
  const candidates = READERS.flatMap(({ id, live }) =>
    live === undefined || (format !== undefined && format !== id) ? [] : [live],
  );
  const sniff = (live: LiveFormat, head: Buffer): SniffResult =>
    format === undefined ? live.sniff(head) : sniffNamed(head);
  const pieces = stream[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let live: LiveFormat | null = null;
  let undecided = candidates;
  while (undecided.length > 0 && head.length < SEARCHED) {
    const piece = await pieces.next();
    if (piece.done === true) break;
    head = Buffer.concat([head, piece.value]);
    const results = new Map(undecided.map((candidate) => [candidate, sniff(candidate, head)]));
    live = undecided.find((candidate) => results.get(candidate) === 'yes') ?? null;
    undecided = live === null ? undecided.filter((candidate) => results.get(candidate) === 'more') : [];
  }
  return { live, bytes: rejoined(head, pieces) };
}

/** A format that the user names is accepted without a check, unless the stream is compressed. */
function sniffNamed(head: Buffer): SniffResult {
  if (head.length < MAGIC_BYTES) return 'more';
  return isPacked(head) ? 'no' : 'yes';
}

/** A stream from its first byte on, after its head has been read. */
export async function* rejoined(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void> {
  try {
    if (head.length > 0) yield head;
    for (let piece; (piece = await rest.next()).done !== true;) yield piece.value;
  } finally {
    await rest.return?.();
  }
}

/**
 * Records as they arrive, grouped by report. The end line comes last.
 * @throws UserError when there is no report
 */
export async function* liveRecords(
  live: LiveFormat,
  bytes: AsyncIterable<Buffer>,
  allFields = false,
): AsyncGenerator<readonly ProfileLine[], void> {
  const stream = live.open({ profile: 0, input: '-', file: '-', rank: null, allFields });
  for await (const piece of bytes) yield* stream.take(piece);
  yield stream.end();
}
