/**
 * Opens any input as records, as the commands do. A stream is read report by report if its format allows it, otherwise like
 * a file.
 */
import { RECORD_FIELDS } from '../record/fields/record-fields.js';
import { UserError } from '../record/errors.js';
import { PART_TYPES } from '../record/partial.js';
import type { ProfileLine } from '../record/record.js';
import type { ReadingOptions } from './options.js';
import { isPaths, ofSource, openingOf, openPaths, reportEndings } from './reading.js';
import { Readable } from 'node:stream';
import { liveRecords, peek, rejoined } from '../parse/live.js';
import { unpackedStart } from '../parse/input/unpack.js';
import { openStream } from '../prof/input/lines.js';
import { StreamStatus } from '../prof/input/stream-status.js';
import { formOf, openParsed, openRecords, type Opening, type Source, type Wanted } from '../sources/sources.js';

/** First bytes of an input, which show whether it contains records. */
const HEAD = 4096;
/** The name of a stream in messages and commands. */
const NAME = '-';

/** @throws UserError for data that are neither a profile nor records */
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
  const form = formOf(await unpackedStart(head).catch(() => head));
  if (form !== 'records') return openParsed(NAME, opening, wanted, whole);
  return openRecords(await openStream(Readable.from(whole, { objectMode: false }), NAME), wanted);
}

async function* buffersOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  for await (const piece of stream) yield Buffer.from(piece);
}

/** Selects the wanted records. */
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
  /** Whether to include ranges of the host, which usually outnumber all other records. */
  readonly ranges?: boolean;
}

/** The records of an input, which can be iterated only once. */
export interface Records extends AsyncIterable<ProfileLine> {
  /** Closes the input; the end of a loop does this too. */
  close(): void;
}

/**
 * Opens anything that `dparse` and `dprof` read: a profile of any format or records of `dparse`, also compressed; a folder
 * or glob of them; several of these; or a byte stream, such as standard input, whose neuron-monitor reports are returned as
 * they are written.
 *
 * Each profile yields its profile line, its activities in order of start time, and its end line with the diagnostics:
 * counts of irregularities in the input, by the names in `DIAGNOSTICS`. Profiles of several files are numbered
 * consecutively.
 *
 *     for await (const record of await open('traces/')) if (record.type === 'kernel') console.log(record.name);
 * @throws UserError for an input that does not exist or is not a profile; while iterating, for one that is damaged or cut
 * off
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
    if (isRead) throw new UserError('these records were already read', { where: source.name, hint: 'open it again' });
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
