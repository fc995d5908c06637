/**
 * Any input as records, opened as the commands open theirs. A stream is read a report at a time where its format can be
 * read so, else as a file would be.
 */
import { RECORD_FIELDS } from '../record/fields/record-fields.js';
import { UserError } from '../record/errors.js';
import { PART_TYPES } from '../record/partial.js';
import type { ProfileLine } from '../record/record.js';
import type { ReadingOptions } from './options.js';
import { isPaths, ofSource, openingOf, openPaths, reportEndings } from './reading.js';
import { Readable } from 'node:stream';
import { isGzip } from '../record/lines/gunzip.js';
import { liveRecords, peek, rejoined } from '../parse/live.js';
import { inflated } from '../parse/source.js';
import { openStream } from '../prof/input/lines.js';
import { StreamStatus } from '../prof/input/stream-status.js';
import { formOf, openParsed, openRecords, type Opening, type Source, type Wanted } from '../sources/sources.js';

/** Bytes in which it shows whether they are records. */
const HEAD = 4096;
/** As messages and commands call a stream. */
const NAME = '-';

/** @throws UserError for what is neither a profile nor records */
async function openBytes(stream: AsyncIterable<Uint8Array>, opening: Opening, wanted: Wanted): Promise<Source> {
  const { live, bytes } = await peek(buffersOf(stream), opening.parsing?.format);
  const pieces = bytes[Symbol.asyncIterator]();
  const close = (): void => void pieces.return?.();
  if (live !== null) {
    const ending = new StreamStatus(NAME);
    const records = liveRecords(live, rejoined(Buffer.alloc(0), pieces), opening.parsing?.allFields);
    return { name: NAME, batches: chosen(records, wanted, ending), endings: [ending], close };
  }
  let head = Buffer.alloc(0);
  for (let piece; head.length < HEAD && (piece = await pieces.next()).done !== true;)
    head = Buffer.concat([head, piece.value]);
  const whole = rejoined(head, pieces);
  const form = formOf(isGzip(head) ? inflated(head, NAME) : head);
  if (form !== 'records') return openParsed(NAME, opening, wanted, whole);
  return openRecords(await openStream(Readable.from(whole, { objectMode: false }), NAME), wanted);
}

async function* buffersOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  for await (const piece of stream) yield Buffer.from(piece);
}

/** The records that are wanted. */
async function* chosen(
  batches: AsyncIterable<readonly ProfileLine[]>,
  { types }: Wanted,
  ending: StreamStatus,
): AsyncGenerator<readonly ProfileLine[]> {
  for await (const batch of batches) {
    for (const record of batch) {
      if (record.type === 'profile') ending.formats.add(record.format);
      if (record.type === 'end') ending.take(record);
    }
    yield batch.filter(({ type }) => types.has(type));
  }
}

/** Options of `open`. */
export interface OpenOptions extends ReadingOptions {
  /** Whether ranges of the host are among the records: mostly they are more than all others. */
  readonly ranges?: boolean;
}

/** The records of an input. They can be iterated once. */
export interface Records extends AsyncIterable<ProfileLine> {
  /** Closes the input, which the end of a loop does by itself. */
  close(): void;
}

/**
 * Opens what `dparse` and `dprof` read: a profile of any format or records of `dparse`, also compressed; a folder or glob
 * of them; several of these; a stream of bytes, such as standard input, where reports of neuron-monitor come as they are
 * written.
 *
 * Of each profile come its profile line, its activities in order of start, and its end line, with the diagnostics: how
 * often the input was odd, by the names in `DIAGNOSTICS`. Profiles of several files are numbered through.
 *
 *     for await (const record of await open('traces/')) if (record.type === 'kernel') console.log(record.name);
 * @throws UserError for what is not there or no profile; in the loop, for what turns out to be damaged or cut off
 */
export async function open(
  input: string | readonly string[] | AsyncIterable<Uint8Array>,
  options: OpenOptions = {},
): Promise<Records> {
  const wanted = { types: new Set(options.ranges === true ? TYPES : TYPES.filter((type) => type !== 'range')) };
  const source = isPaths(input)
    ? await openPaths(input, wanted, options)
    : await openBytes(input, openingOf(options), wanted);
  let isRead = false;
  async function* records(): AsyncGenerator<ProfileLine, void> {
    if (isRead) throw new UserError('records can be read once', { where: source.name, hint: 'open it again' });
    isRead = true;
    try {
      for await (const batch of source.batches) yield* batch;
      reportEndings(source, options);
    } catch (error) {
      throw ofSource(error, source);
    } finally {
      source.close();
    }
  }
  return { [Symbol.asyncIterator]: records, close: () => source.close() };
}

const TYPES: readonly ProfileLine['type'][] = [
  ...(Object.keys(RECORD_FIELDS) as (keyof typeof RECORD_FIELDS)[]),
  ...PART_TYPES,
];
