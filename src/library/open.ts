/** Any input as records, opened as the commands open theirs. */
import { RECORD_FIELDS } from '../record/fields/record-fields.js';
import { UserError } from '../record/errors.js';
import { PART_TYPES } from '../record/partial.js';
import type { ProfileLine } from '../record/record.js';
import { openBytes } from '../sources/stream-source.js';
import type { ReadingOptions } from './options.js';
import { isPaths, ofSource, openingOf, openPaths, reportEndings } from './reading.js';

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
