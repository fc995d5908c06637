/** Opens the inputs of the library as the commands open theirs. */
import type { Analysis, Answer } from '../prof/analysis.js';
import type { Note } from '../prof/limits.js';
import { requireThere, asUserError } from '../parse/files.js';
import { endingsOf, type EndedInputs } from '../prof/input/stream-status.js';
import { lossesOf, type Doubt } from '../prof/input/losses.js';
import type { Annotator } from '../prof/report/report.js';
import { UsageError, UserError } from '../record/errors.js';
import type { ProfileLine } from '../record/record.js';
import { explained, noteLine, takeBatches, withSource } from '../sources/pass.js';
import { openSources, type Opening, type Source, type Wanted } from '../sources/sources.js';
import type { AnswerInput, ReadingOptions } from './options.js';

/** Whether an input is one or several paths, and not a stream or records. @throws UsageError for anything else */
export function isPaths(
  input: string | readonly string[] | AsyncIterable<unknown>,
): input is string | readonly string[] {
  if (typeof input === 'string' || Array.isArray(input)) return true;
  // In most programs, an empty path is a variable that is not set.
  if (Symbol.asyncIterator in Object(input)) return false;
  throw noInput();
}

/** Name of the input, for messages. */
export const nameOf = (input: AnswerInput): string => (isPaths(input) ? String(input) : 'records');

const noInput = (): UsageError => new UsageError('no input', 'give the path of a profile, of records or of a folder');

/** @throws UserError for a path that does not exist, or that no reader can read */
export async function openPaths(
  input: string | readonly string[],
  wanted: Wanted,
  options: ReadingOptions,
): Promise<Source> {
  const paths: readonly string[] = typeof input === 'string' ? [input] : input;
  if (paths.length === 0 || paths.some((path) => typeof path !== 'string' || path === '')) throw noInput();
  if (paths.includes('-')) throw new UsageError("'-' is not a file name", 'open(process.stdin) reads standard input');
  try {
    return await openSources(
      paths,
      openingOf(options),
      options.onError === undefined ? wanted : { ...wanted, skipUnreadable: true },
    );
  } catch (error) {
    throw asUserError(error, paths.join(', '));
  }
}

/** Attributes an error of a pass to its source. @throws errors that no input caused */
export const ofSource = (error: unknown, source: Source): unknown =>
  withSource(asUserError(error, source.name), source);

/** @throws UserError for files that do not exist */
export function openingOf({ format, program, force, ncu, derived, allFields, capture }: ReadingOptions): Opening {
  requireThere([program, ncu, capture]);
  const given = Object.entries({ format, program, force, ncu, derived, allFields });
  return { globs: true, parsing: Object.fromEntries(given.filter(([, value]) => value !== undefined)), capture };
}

export const sourceOf = async (input: AnswerInput, wanted: Wanted, options: ReadingOptions): Promise<Source> =>
  isPaths(input)
    ? openPaths(input, wanted, options)
    : { name: nameOf(input), batches: inBatches(input), endings: [], close: () => undefined };

const BATCH = 100;

async function* inBatches(records: AsyncIterable<ProfileLine>): AsyncGenerator<readonly ProfileLine[]> {
  let batch: ProfileLine[] = [];
  for await (const record of records) {
    if (batch.push(record) < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** One pass over an input. */
export async function answer<Facts>(
  input: AnswerInput,
  analysis: Analysis<Facts>,
  options: ReadingOptions,
  annotator?: Annotator,
): Promise<Answer<Facts> & { readonly doubts: readonly Doubt[] }> {
  const source = await sourceOf(input, analysis, options);
  const pass = annotator === undefined ? { analysis } : { analysis, annotator };
  try {
    for await (const _ of takeBatches(source, pass));
    const found = analysis.finish();
    reportEndings(source, options);
    reportNotes(found.notes ?? [], source, options);
    return { ...found, doubts: lossesOf(source.endings, found.losses).doubts };
  } catch (error) {
    throw ofSource(error, source);
  } finally {
    source.close();
  }
}

function reportNotes(notes: readonly Note[], source: Source, { onNote }: ReadingOptions): void {
  for (const note of notes) onNote?.(noteLine(note instanceof UserError ? explained(note, source) : note, source.name));
}

/** Reports how inputs ended. @throws UserError for data that could not be read, when there is no `onError` */
export function reportEndings(inputs: Pick<EndedInputs, 'endings'>, { onError, onNote }: ReadingOptions): void {
  const { notes, losses, errors } = endingsOf(inputs);
  for (const { line } of [...notes, ...losses]) onNote?.(line);
  for (const error of errors) {
    if (onError === undefined) throw new UserError(error.what, { hint: WITH_ON_ERROR, ...error.detail });
    onError(error);
  }
}

const WITH_ON_ERROR = 'with the option onError the rest is still read';
