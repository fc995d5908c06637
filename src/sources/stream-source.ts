/** A stream of bytes as records: a report at a time where its format can be read so, else as a file would be. */
import { Readable } from 'node:stream';
import { isGzip } from '../record/lines/gunzip.js';
import { liveRecords, peek, rejoined } from '../parse/live.js';
import { inflated } from '../parse/source.js';
import { openStream } from '../prof/input/lines.js';
import { StreamStatus } from '../prof/input/stream-status.js';
import type { ProfileLine } from '../record/record.js';
import { formOf, openParsed, openRecords, type Opening, type Source, type Wanted } from './sources.js';

/** Bytes in which it shows whether they are records. */
const HEAD = 4096;
/** As messages and commands call a stream. */
const NAME = '-';

/** @throws UserError for what is neither a profile nor records */
export async function openBytes(stream: AsyncIterable<Uint8Array>, opening: Opening, wanted: Wanted): Promise<Source> {
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
