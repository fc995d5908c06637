/** The inputs of a command: files, folders and standard input, and what is said when they are read. */
import type { Stats } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { cutOf, endingsOf, type EndedInputs } from '../prof/input/endings.js';
import { isFolder, openSources, type Source, type Wanted } from '../sources/sources.js';
import { UsageError, UserError } from '../record/errors.js';
import { say } from './message.js';
import type { Progress } from './progress.js';
import { USAGE } from './report/usage.js';

/**
 * Groups of rows live just long enough to reach V8's old generation, which it would let grow to five times what is in use
 * before it looks for garbage: to twice that takes a tenth more time, and half of the memory.
 */
const HEAP_OF_GROUPS = '--heap-growing-percent=100';

/**
 * @param files none for stdin
 * @throws UserError when there is nothing to read, UsageError when nobody will ever write
 */
export async function openInputs(files: readonly string[], progress: Progress, wanted?: Wanted): Promise<Source> {
  const isPiped = files.length === 0 || files.includes('-');
  if (isPiped && process.stdin.isTTY) throw new UsageError('no FILE, and stdin is a terminal', `usage: ${USAGE}`);
  const folders = files.filter(isFolder);
  if (folders.length > 0 && folders.some((await import('../prof/input/record-folder.js')).isRecordFolder))
    setFlagsFromString(HEAP_OF_GROUPS);
  return openSources(files, { stdin: process.stdin, onBytes: (done, total) => progress.at(done, total) }, wanted);
}

/**
 * Says of inputs that are cut off that they are; to be called when the output is written, which has what stands before.
 * @throws UserError for a line, compressed data or a profile that stops in the middle
 */
export function confirmEndings(source: Pick<EndedInputs, 'endings'>, quiet: boolean): void {
  const { notes, unended, errors } = endingsOf(source);
  if (!quiet) for (const { line } of [...notes, ...unended]) say('dprof', line);
  const last = errors.pop();
  for (const { line } of errors) say('dprof', line);
  if (last !== undefined) throw last;
}

/**
 * For an output that would replace one of before: that is worth more than a part of the new one. To be called when all
 * is read and before the output is complete.
 * @param existing what stands at OUT
 * @throws UserError for an input that is cut off
 */
export function confirmWhole(
  source: Pick<EndedInputs, 'endings'>,
  existing: Stats | null,
  output: string | undefined,
): void {
  const cut = existing?.isFile() === true ? cutOf(source) : null;
  if (cut !== null) throw new UserError(`${cut.what}; ${output ?? ''} is left as it was`, cut.detail);
}
