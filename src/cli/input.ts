/** The inputs of a command: files, folders and standard input, and the messages about them after reading. */
import type { Stats } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { isAboutHost, withHostHint, type HostRecords } from '../prof/analysis.js';
import { cutOf, endingsOf, type EndedInputs } from '../prof/input/stream-status.js';
import { isFolder, openSources, type Opening, type Source, type Wanted } from '../sources/sources.js';
import { UsageError, UserError } from '../record/errors.js';
import type { ProfileLine } from '../record/record.js';
import { say } from './message.js';
import type { Progress } from './progress.js';
import { USAGE } from './command.js';

/**
 * Batches of rows live just long enough to reach V8's old generation. By default, V8 lets the old generation grow to
 * five times the memory in use before it collects garbage. Here the limit is twice the memory in use.
 */
const HEAP_OF_GROUPS = '--heap-growing-percent=100';

/**
 * @param files input files; empty for stdin
 * @throws UserError when there is nothing to read, UsageError when stdin is a terminal
 */
export async function openInputs(
  files: readonly string[],
  progress: Progress,
  wanted?: Wanted,
  reading: Pick<Opening, 'parsing' | 'capture'> = {},
): Promise<Source> {
  const isPiped = files.length === 0 || files.includes('-');
  if (isPiped && process.stdin.isTTY) throw new UsageError('no FILE given, and stdin is a terminal', `usage: ${USAGE}`);
  const folders = files.filter(isFolder);
  if (folders.length > 0 && folders.some((await import('../prof/input/record-folder.js')).isRecordFolder))
    setFlagsFromString(HEAP_OF_GROUPS);
  const onBytes = (done: number, total: number | null): void => progress.at(done, total);
  return openSources(files, { stdin: process.stdin, onBytes, ...reading }, wanted);
}

/**
 * Prints in one line which data readers could not read from the inputs. This is printed even in a quiet run, because
 * the answer lacks the data.
 */
export function sayLosses(source: Pick<EndedInputs, 'endings'>): void {
  for (const { line } of endingsOf(source).losses) say('dprof', line);
}

/** Prints the problems of the inputs of a run that fails for another reason, which is printed last. */
export function sayTroubles({ endings }: Pick<EndedInputs, 'endings'>, error: unknown): void {
  sayLosses({ endings });
  const others = endings.flatMap(({ failure, troubles }) => [...(failure === null ? [] : [failure]), ...troubles]);
  for (const { line } of others) if (!(error instanceof UserError) || error.line !== line) say('dprof', line);
}

/**
 * Prints which inputs are cut off or incomplete. Call it after the output, made from the part before the cut, is
 * written.
 * @throws UserError for a line, compressed data or a profile that stops in the middle
 */
export function confirmEndings(source: Pick<EndedInputs, 'endings'>, quiet: boolean): void {
  const { notes, losses, errors } = endingsOf(source);
  for (const { line } of [...(quiet ? [] : notes), ...losses]) say('dprof', line);
  const last = errors.pop();
  for (const { line } of errors) say('dprof', line);
  if (last !== undefined) throw last;
}

/**
 * Keeps an existing output, because it is worth more than an incomplete new one. Call it when everything is read and
 * before the output is complete.
 * @param existing status of the existing OUT
 * @throws UserError for an input that is cut off
 */
export function confirmWhole(
  source: Pick<EndedInputs, 'endings'>,
  existing: Stats | null,
  output: string | undefined,
): void {
  const cut = existing?.isFile() === true ? cutOf(source) : null;
  if (cut !== null) throw new UserError(`${cut.what}; ${output ?? ''} is unchanged`, cut.detail);
}

const HOST_RECORDS = new Set<ProfileLine['type']>(['profile', 'range', 'sample', 'end']);

/** Adds a hint to an error about missing data in an input; the input is inspected again for this. */
export async function hinted<Failure>(error: Failure, files: readonly string[]): Promise<Failure> {
  if (!(error instanceof UserError) || !isAboutHost(error) || files.length === 0 || files.includes('-')) return error;
  try {
    return withHostHint(error, await hostRecordsOf(files)) as Failure & UserError;
  } catch (again) {
    // The input may be a partial answer, which has no records. The first error is then reported.
    if (again instanceof UserError) return error;
    throw again;
  }
}

async function hostRecordsOf(files: readonly string[]): Promise<HostRecords> {
  let [annotations, ranges, cpus] = [false, false, false];
  const source = await openSources(files, {}, { types: HOST_RECORDS, skipUnreadable: true });
  try {
    for await (const batch of source.batches) {
      ranges ||= batch.some(({ type }) => type === 'range');
      cpus ||= batch.some((record) => record.type === 'sample' && record.metric.startsWith('cpu_'));
      annotations ||= batch.some((record) => record.type === 'range' && record.kind === 'annotation');
      if (annotations) break;
    }
    return { annotations, ranges, cpus, isProfile: source.endings.some(({ isParsed }) => isParsed) };
  } finally {
    source.close();
  }
}
