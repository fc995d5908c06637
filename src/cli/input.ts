/** Where the records come from: a file or stdin of records, or a profile that is parsed on the way. */
import { append } from '../containers/lists.js';
import { say } from './message.js';
import { existsSync, statSync, type Stats } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { textStart } from '../parse/files.js';
import { basename } from 'node:path';
import { StreamStatus, WAS_READ } from '../prof/input/stream-status.js';
import { openFile, openStream, type Input } from '../prof/input/lines.js';
import { renumbered, ProfileNumbers } from '../prof/input/profile-numbers.js';
import { KERNEL_TYPES, readRecords, recordKindOf, type RecordTypes } from '../prof/input/records.js';
import type { RecordBatches } from '../prof/report/report.js';
import type { ProfileFile } from '../parse/find.js';
import { UsageError, UserError } from '../record/errors.js';
import type { ProfileLine } from '../record/record.js';
import { counted } from '../record/plural.js';
import { USAGE } from './report/usage.js';
import type { Progress } from './progress.js';

/** The records that a command wants. */
export interface Wanted {
  readonly types: RecordTypes;
  /** Which ranges it wants, as a reader's option has it; a reader may give more. */
  readonly ranges?: 'without-calls' | 'long-calls' | 'without-work';
  /** Whether it goes on after an input that cannot be read. */
  readonly many?: true;
  /** Whether it wants one profile: a folder of several is refused then, and stands for all of them elsewhere. */
  readonly isOne?: true;
}

export interface Source {
  /** For messages. */
  readonly name: string;
  readonly batches: RecordBatches;
  /** How the inputs ended, of those that were opened so far. */
  readonly endings: readonly StreamStatus[];
  readonly close: () => void;
}

/**
 * @param file undefined or '-' for stdin
 * @param wanted kernels when not given
 * @param numbers of the profiles before this one
 * @throws UserError when there is nothing to read, UsageError when nobody will ever write
 */
export async function openSource(
  file: string | undefined,
  progress: Progress,
  wanted?: Wanted,
  numbers = new ProfileNumbers(),
): Promise<Source> {
  const source = await openOne(file, progress, wanted, numbers);
  return { ...source, batches: renumbered(source.batches, numbers) };
}

/**
 * Several inputs as one, one after the other; profiles of the same number stay separate.
 * @param files none for stdin
 * @throws UserError when one of them is not there, or the first cannot be read, unless the command goes on without it
 */
export async function openSources(files: readonly string[], progress: Progress, wanted?: Wanted): Promise<Source> {
  const [first, ...others] = files;
  if (others.length === 0) return openSource(first, progress, wanted);
  // Said before the first of them was read for minutes; whoever goes on without an input names it with the others.
  for (const file of wanted?.many === true ? [] : others) {
    if (file !== '-' && !existsSync(file)) throw new UserError('no such file', { where: file });
  }
  const numbers = new ProfileNumbers();
  const opened = async (file: string | undefined): Promise<Source> => {
    try {
      return await openSource(file, progress, wanted, numbers);
    } catch (error) {
      return unreadable(file, error, wanted);
    }
  };
  let open = await opened(first);
  const endings: StreamStatus[] = [];
  async function* batches(): AsyncGenerator<readonly ProfileLine[]> {
    yield* whole(open, endings, wanted);
    for (const file of others) {
      open.close();
      numbers.nextInput();
      open = await opened(file);
      yield* whole(open, endings, wanted);
    }
  }
  const name = `${basename(open.name)} and ${others.length} more`;
  const close = (): void => open.close();
  return { name, endings, batches: batches(), close };
}

/** Nothing, with the reason, for a command that goes on without the input. @throws the reason for any other */
function unreadable(file: string | undefined, error: unknown, wanted: Wanted | undefined): Source {
  if (wanted?.many !== true || !(error instanceof UserError)) throw error;
  const name = file ?? 'stdin';
  return { name, endings: [failed(name, error)], batches: nothing(), close: () => undefined };
}

function failed(name: string, error: UserError): StreamStatus {
  const ending = new StreamStatus(name);
  ending.failure =
    error.detail.where === undefined ? new UserError(error.what, { ...error.detail, where: name }) : error;
  return ending;
}

async function* nothing(): AsyncGenerator<readonly ProfileLine[]> {
  // An input of which nothing is read.
}

/**
 * The batches of an input; what it has before a line that cannot be read, where the command goes on.
 * @param all takes how it ended
 */
async function* whole(
  { name, batches, endings }: Source,
  all: StreamStatus[],
  wanted: Wanted | undefined,
): AsyncGenerator<readonly ProfileLine[]> {
  try {
    yield* batches;
  } catch (error) {
    if (wanted?.many !== true || !(error instanceof UserError)) throw error;
    all.push(failed(name, error));
  } finally {
    // Not before: a folder's files are opened one after the other.
    append(all, endings);
  }
}

async function openOne(
  file: string | undefined,
  progress: Progress,
  wanted: Wanted | undefined,
  numbers: ProfileNumbers,
): Promise<Source> {
  const { members } = numbers;
  const onStdin = file === undefined || file === '-';
  if (onStdin && process.stdin.isTTY) throw new UsageError('no FILE, and stdin is a terminal', `usage: ${USAGE}`);
  if (!onStdin && isFolder(file)) return openFolder(file, progress, wanted, numbers);
  let done = 0;
  const total = onStdin ? null : (statSync(file, { throwIfNoEntry: false })?.size ?? null);
  const onBytes = (bytes: number): void => progress.at((done += bytes), total);
  const open = (): Promise<Input> => {
    done = 0;
    return onStdin ? openStream(process.stdin, 'stdin', onBytes) : openFile(file, onBytes);
  };
  const input = await open();
  const form = formOf(input.head);
  if (form === 'records') return openRecords(input, wanted, members);
  // A pipe cannot be read again by the parser, which reads files.
  if (onStdin || !statSync(file).isFile()) {
    if (form === 'text') return openRecords(input, wanted, members);
    input.close();
    const hint = 'dprof FILE, or dparse FILE | dprof';
    throw new UserError('not records, and a profile cannot be read from a pipe', { where: input.name, hint });
  }
  input.close();
  // The parser and its database library are only loaded here: records alone never need them.
  const { UnknownText } = await import('../parse/registry.js');
  try {
    const { openProfile } = await import('../parse/find.js');
    return await recordsOf((await openProfile(file)).source, wanted);
  } catch (error) {
    // The reader of records states which line is none.
    if (error instanceof UnknownText) return openRecords(await open(), wanted, members);
    throw error;
  }
}

function openRecords(input: Input, wanted: Wanted | undefined, members: Set<string>): Source {
  const ending = new StreamStatus(input.name);
  const batches = readRecords(input, wanted?.types, ending, wanted?.ranges, members);
  return { name: input.name, batches, endings: [ending], close: input.close };
}

/** By its first bytes: records are text, an object with a type or a Python dict first; a trace is one JSON value. */
function formOf(head: Buffer): 'records' | 'text' | 'other' {
  const text = textStart(head.subarray(0, 4096));
  // Whatever else is in them: the reader of records says which line is broken.
  if (text.startsWith('{"type":')) return 'records';
  const isBinary = head.subarray(0, 512).some((byte) => byte < 32 && (byte < 9 || byte > 13));
  if (isBinary) return 'other';
  if (text.startsWith('[')) return 'other';
  const [line = ''] = text.split('\n', 1);
  if (/^\{\s*(?:"|$)/.test(line) && !line.includes('"type":')) return 'other';
  return text === '' || text.startsWith('{') ? 'records' : 'text';
}

/** Records of a profile handed on together: with 1000, many outlive the collector's first generation. */
const BATCH = 100;

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * Groups of rows live just long enough to reach V8's old generation, which it would let grow to five times what is in use
 * before it looks for garbage: to twice that takes a tenth more time, and half of the memory.
 */
const HEAP_OF_GROUPS = '--heap-growing-percent=100';

/** Records as Parquet, profiles, or files of records. */
async function openFolder(
  folder: string,
  progress: Progress,
  wanted: Wanted | undefined,
  numbers: ProfileNumbers,
): Promise<Source> {
  const { isRecordFolder, readRecordFolder } = await import('../prof/input/record-folder.js');
  if (!isRecordFolder(folder)) return openFiles(folder, progress, wanted, numbers);
  setFlagsFromString(HEAP_OF_GROUPS);
  const ending = new StreamStatus(folder);
  const batches = readRecordFolder(folder, wanted?.types ?? KERNEL_TYPES, ending);
  return { name: folder, batches, endings: [ending], close: () => undefined };
}

/** A profile of a folder, or the path of a file of records. */
type FolderFile = ProfileFile | string;

const pathOf = (file: FolderFile): string => (typeof file === 'string' ? file : file.name);

/**
 * The profiles of a folder; without one its files of records, which beside profiles were made of these, as partial answers
 * were beside records. Profiles that cannot be read are reported and set the exit code.
 * @throws UserError without any, and for several where one is wanted
 */
async function openFiles(
  folder: string,
  progress: Progress,
  wanted: Wanted | undefined,
  numbers: ProfileNumbers,
): Promise<Source> {
  const { findProfiles } = await import('../parse/find.js');
  const { records, partials } = await recordFilesIn(folder);
  const failures: UserError[] = [];
  const profiles: ProfileFile[] = [];
  for await (const found of findProfiles([folder], { passOver: new Set([...records, ...partials]) })) {
    if (found instanceof UserError) failures.push(found);
    // More than one is only counted where one is wanted.
    else if (profiles.push(found.source) > 1 && wanted?.isOne === true) found.source.dispose();
  }
  const files: readonly FolderFile[] = [profiles, records, partials].find(({ length }) => length > 0) ?? [];
  const [file, ...others] = files;
  if (file === undefined || (others.length > 0 && wanted?.isOne === true)) {
    for (const profile of profiles) profile.dispose();
    throw (file === undefined ? failures[0] : undefined) ?? severalFiles(folder, files);
  }
  const open = (one: FolderFile): Promise<Source> =>
    typeof one === 'string' ? openOne(one, progress, wanted, numbers) : recordsOf(one, wanted);
  const status = new StreamStatus(folder);
  const leftOut = profiles.length + records.length + partials.length - files.length;
  if (leftOut > 0) status.note = `${counted(leftOut, 'file')} of records left out, which may be of its other files: give those that are meant`; // prettier-ignore
  const endings = [status, ...failures.map((error) => failed(folder, error))];
  if (others.length > 0) return filesInTurn(endings, files, open, wanted, numbers);
  const source = await open(file);
  return { ...source, endings: [...endings, ...source.endings] };
}

function severalFiles(folder: string, files: readonly FolderFile[]): UserError {
  const [file = ''] = files;
  const isRecords = typeof file === 'string';
  const hint = isRecords
    ? `give one of them, as ${file}`
    : `give one of them, or the records of all: dparse ${folder} > FILE`;
  return new UserError(`holds ${files.length} ${isRecords ? 'files of records' : 'profiles'}`, { where: folder, hint });
}

interface RecordFiles {
  readonly records: readonly string[];
  /** Of `dprof partial`. */
  readonly partials: readonly string[];
}

/** Files of records in a folder, in order of name. @throws UserError for a folder without files */
export async function recordFilesIn(folder: string): Promise<RecordFiles> {
  const { expandInput, startOf } = await import('../parse/source.js');
  const kinds = expandInput(folder).paths.map((path) => [path, recordKindOf(textStart(startOf(path)))] as const);
  const of = (wanted: string): string[] => kinds.flatMap(([path, kind]) => (kind === wanted ? [path] : []));
  return { records: of('records'), partials: of('partial') };
}

/** All of a folder, one after the other. */
function filesInTurn(
  before: readonly StreamStatus[],
  files: readonly FolderFile[],
  open: (file: FolderFile) => Promise<Source>,
  wanted: Wanted | undefined,
  numbers: ProfileNumbers,
): Source {
  const endings = [...before];
  let current: Source | null = null;
  async function* batches(): AsyncGenerator<readonly ProfileLine[]> {
    for (const [index, file] of files.entries()) {
      if (index > 0) numbers.nextInput();
      current = await open(file).catch((error: unknown) => unreadable(pathOf(file), error, wanted));
      yield* whole(current, endings, wanted);
      current.close();
    }
  }
  const close = (): void => {
    current?.close();
    for (const file of files) if (typeof file !== 'string') file.dispose();
  };
  return { name: before[0]?.name ?? '', batches: batches(), endings, close };
}

async function recordsOf(source: ProfileFile, wanted: Wanted | undefined): Promise<Source> {
  const { readProfile } = await import('../parse/profile.js');
  const { path, name, captures } = source;
  const ranges = wanted?.types.has('range') === true && (wanted.ranges ?? true);
  const ending = new StreamStatus(name);
  ending.isParsed = true;
  const records = readProfile(path, { profile: 0, name, ranges, captures });
  return { name, batches: inBatches(records, ending), endings: [ending], close: () => source.dispose() };
}

/** Batches, with a turn of the event loop after each: signals and a closed output are noticed between them. */
async function* inBatches(
  records: Iterable<ProfileLine>,
  ending: StreamStatus,
): AsyncGenerator<readonly ProfileLine[]> {
  let batch: ProfileLine[] = [];
  for (const record of records) {
    if (record.type === 'end') ending.take(record);
    if (batch.push(record) < BATCH) continue;
    yield batch;
    batch = [];
    await new Promise((resolve) => setImmediate(resolve));
  }
  yield batch;
}

/** The first of the inputs' ends that is missing within a line, or in compressed data; null when there is none. */
const cutOf = ({ endings }: Pick<Source, 'endings'>): StreamStatus['cut'] =>
  endings.find(({ cut }) => cut !== null)?.cut ?? null;

/**
 * Says of inputs that are cut off that they are; to be called when the output is written, which has what stands before.
 * @throws UserError for a line, compressed data or a profile that stops in the middle
 */
export function confirmEndings(source: Pick<Source, 'endings'>, quiet: boolean): void {
  const { notes, unended, errors } = endingsOf(source);
  if (!quiet) for (const { line } of [...notes, ...unended]) say('dprof', line);
  const last = errors.pop();
  for (const { line } of errors) say('dprof', line);
  if (last !== undefined) throw last;
}

/** How inputs ended: what is left out of them, profiles without an end, which may be meant, and what makes a run fail. */
export function endingsOf({ endings }: Pick<Source, 'endings'>): {
  readonly notes: UserError[];
  readonly unended: UserError[];
  readonly errors: UserError[];
} {
  const notes = endings.flatMap(({ name, note }) => (note === null ? [] : [new UserError(note, { where: name })]));
  const unended = endings.flatMap(({ name, cut, unfinished }) =>
    cut === null && unfinished > 0 ? [withoutEnd(name, unfinished)] : [],
  );
  const errors = endings.flatMap(({ cut, failure }) => [
    ...(cut === null ? [] : [new UserError(`${cut.what}; ${WAS_READ}`, cut.detail)]),
    ...(failure === null ? [] : [failure]),
  ]);
  return { notes, unended, errors };
}

function withoutEnd(name: string, profiles: number): UserError {
  const which = profiles === 1 ? 'a profile has no end' : `${profiles} profiles have no end`;
  return new UserError(`${which}: are the records cut off? what is there was read`, { where: name });
}

/** An error about the whole of an input, which may be due to its being cut off: then that is said first. */
export function withCut(error: unknown, source: Source): unknown {
  const cut = cutOf(source);
  if (cut === null || !(error instanceof UserError) || error.what.startsWith(cut.what)) return error;
  const { where = source.name } = error.detail;
  const cutWhere = cut.detail.where ?? source.name;
  // The error of one of several inputs is not due to the cut of another.
  if (where !== source.name && !where.startsWith(cutWhere)) return error;
  return new UserError(`${cut.what}; ${error.what}`, { where: cutWhere });
}

/**
 * For an output that would replace one of before: that is worth more than a part of the new one. To be called when all
 * is read and before the output is complete.
 * @param existing what stands at OUT
 * @throws UserError for an input that is cut off
 */
export function confirmWhole(
  source: Pick<Source, 'endings'>,
  existing: Stats | null,
  output: string | undefined,
): void {
  const cut = existing?.isFile() === true ? cutOf(source) : null;
  if (cut !== null) throw new UserError(`${cut.what}; ${output ?? ''} is left as it was`, cut.detail);
}
