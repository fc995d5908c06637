/** Inputs of any form as one record stream: files and folders of records, and profiles, which are parsed on the fly. */
import { append } from '../containers/element.js';
import { existsSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { textStart } from '../parse/files.js';
import { basename } from 'node:path';
import { type EndedInputs, StreamStatus } from '../prof/input/stream-status.js';
import { openFile, openStream, type Input } from '../prof/input/lines.js';
import { KERNEL_TYPES, type RecordTypes } from '../prof/analysis.js';
import { readRecords, recordKindOf } from '../prof/input/records.js';
import type { RecordBatches } from '../prof/report/report.js';
import type { ProfileFile } from '../parse/find.js';
import type { ProfileOptions } from '../parse/profile.js';
import { UserError } from '../record/errors.js';
import { RECORD_FIELDS } from '../record/fields/record-fields.js';
import type { ProfileLine } from '../record/record.js';
import { counted } from '../record/plural.js';

/** The records that a command wants. */
export interface Wanted {
  readonly types: RecordTypes;
  /** Which ranges it wants, as a reader's option; a reader may return more. */
  readonly ranges?: 'without-calls' | 'long-calls' | 'without-work';
  /** Whether to report and skip an input that cannot be read. */
  readonly skipUnreadable?: true;
  /** Whether it wants the samples that a reader derives from activities. */
  readonly derived?: true;
  /**
   * Whether it wants a single profile. If so, a folder of several profiles is rejected; otherwise all of them are read.
   */
  readonly isOne?: true;
}

/** How inputs are opened, independent of the records wanted. */
export interface Opening {
  /** The stream for `-` and for no file; absent when there is none. */
  readonly stdin?: Readable;
  /** Called with the number of bytes of a file read so far, and its size (null for a stream). */
  readonly onBytes?: (done: number, total: number | null) => void;
  /** Whether globs are expanded; true when no shell has expanded them. */
  readonly globs?: true;
  /** Options for parsing profiles. */
  readonly parsing?: Omit<ProfileOptions, 'profile' | 'name' | 'captures' | 'ranges'>;
  /** File or folder with the captures of the graphs that profiles replay; by default those next to each profile. */
  readonly capture?: string | undefined;
}

export interface Source extends EndedInputs {
  readonly batches: RecordBatches;
  readonly close: () => void;
}

// Profile numbers that are unique over several inputs, because each input counts from 0. In concatenated files (`cat`), a
// second profile line with the same number begins another profile.

export class ProfileNumbers {
  readonly #taken = new Set<number>();
  /** Unique numbers by number in the current input. */
  readonly #unique = new Map<number, number>();
  /** Numbers in the current input that had a profile line. */
  readonly #headed = new Set<number>();
  #next = 0;
  /** Ids of the members of partial answers that were read; each counts only once. */
  readonly members = new Set<string>();

  /** Must be called before the records of each further input. */
  nextInput(): void {
    this.#unique.clear();
    this.#headed.clear();
  }

  take<T extends ProfileLine>(record: T): T {
    const { profile } = record;
    const unique = this.#numberOf(record, profile);
    return unique === profile ? record : { ...record, profile: unique };
  }

  #numberOf({ type }: ProfileLine, profile: number): number {
    let unique = this.#unique.get(profile);
    const isAgain = type === 'profile' && this.#headed.has(profile);
    if (type === 'profile') this.#headed.add(profile);
    if (unique === undefined || isAgain) {
      unique = this.#free(profile);
      this.#taken.add(unique);
      this.#unique.set(profile, unique);
    }
    return unique;
  }

  #free(profile: number): number {
    if (!this.#taken.has(profile)) return profile;
    while (this.#taken.has(this.#next)) this.#next++;
    return this.#next;
  }
}

async function* renumbered(batches: RecordBatches, numbers: ProfileNumbers): AsyncGenerator<readonly ProfileLine[]> {
  for await (const batch of batches) yield batch.map((record) => numbers.take(record));
}

/**
 * @param file undefined or '-' for stdin
 * @param wanted records wanted; kernels by default
 * @param numbers number of the profiles before this one
 * @throws UserError when there is nothing to read
 */
export async function openSource(
  file: string | undefined,
  opening: Opening,
  wanted?: Wanted,
  numbers = new ProfileNumbers(),
): Promise<Source> {
  const source = await openOne(file, opening, wanted, numbers);
  return { ...source, batches: renumbered(source.batches, numbers) };
}

/**
 * Opens several inputs as one, one after the other; profiles with the same number stay separate.
 * @param files empty for stdin
 * @throws UserError when one of them does not exist, or the first cannot be read, unless the command continues without it
 */
export async function openSources(files: readonly string[], opening: Opening, wanted?: Wanted): Promise<Source> {
  const [first, ...others] = files;
  if (others.length === 0) return openSource(first, opening, wanted);
  // This is reported before minutes of reading. A command that skips unreadable inputs reports it together with the
  // others.
  for (const file of wanted?.skipUnreadable === true ? [] : others) {
    if (file !== '-' && !existsSync(file) && !(await standsForFiles(file, opening)))
      throw new UserError('no such file', { where: file });
  }
  const numbers = new ProfileNumbers();
  const opened = async (file: string | undefined): Promise<Source> => {
    try {
      return await openSource(file, opening, wanted, numbers);
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

/** An empty source with the error, for a command that continues without the input. @throws the error for other commands */
function unreadable(file: string | undefined, error: unknown, wanted: Wanted | undefined): Source {
  if (wanted?.skipUnreadable !== true || !(error instanceof UserError)) throw error;
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
  // An input that is not read at all.
}

/**
 * The batches of an input; those before an unreadable line, when the command continues.
 * @param all receives how the input ended
 */
async function* whole(
  { name, batches, endings }: Source,
  all: StreamStatus[],
  wanted: Wanted | undefined,
): AsyncGenerator<readonly ProfileLine[]> {
  try {
    yield* batches;
  } catch (error) {
    if (wanted?.skipUnreadable !== true || !(error instanceof UserError)) throw error;
    all.push(failed(name, error));
  } finally {
    // This is checked only now, because a folder's files are opened one after the other.
    append(all, endings);
  }
}

async function openOne(
  file: string | undefined,
  opening: Opening,
  wanted: Wanted | undefined,
  numbers: ProfileNumbers,
): Promise<Source> {
  const { members } = numbers;
  const { stdin, onBytes } = opening;
  const onStdin = file === undefined || file === '-';
  if (onStdin && stdin === undefined) throw new UserError('no input');
  if (!onStdin && (isFolder(file) || (await standsForFiles(file, opening))))
    return openFolder(file, opening, wanted, numbers);
  let done = 0;
  const total = onStdin ? null : (statSync(file, { throwIfNoEntry: false })?.size ?? null);
  const count = (bytes: number): void => onBytes?.((done += bytes), total);
  const open = (): Promise<Input> => {
    done = 0;
    return onStdin && stdin !== undefined ? openStream(stdin, 'stdin', count) : openFile(file ?? '', count);
  };
  const input = await open();
  const form = formOf(input.head);
  if (form === 'records') return openRecords(input, wanted, members);
  if (!onStdin && form === 'other' && (await import('../parse/input/archive.js')).isArchive(input.head)) {
    input.close();
    return openFiles(file, opening, wanted, numbers);
  }
  // The parser needs a file, because it cannot read a pipe again.
  if (onStdin || !statSync(file).isFile()) {
    if (form === 'text') return openRecords(input, wanted, members);
    input.close();
    const hint = 'dprof FILE, or dparse FILE | dprof';
    throw new UserError('does not contain dparse records, and profiles cannot be read from a pipe', {
      where: input.name,
      hint,
    });
  }
  input.close();
  // Load the parser and its database library only here, because records do not need them.
  const { UnknownText } = await import('../parse/registry.js');
  try {
    return await openParsed(file, opening, wanted);
  } catch (error) {
    // The reader of records reports which line is not a record.
    if (error instanceof UnknownText) return openRecords(await open(), wanted, members);
    throw error;
  }
}

/** Opens a profile from a file, or from a stream for '-'. */
export async function openParsed(
  path: string,
  { parsing, capture }: Opening,
  wanted: Wanted | undefined,
  stdin?: AsyncIterable<Buffer>,
): Promise<Source> {
  const { openProfile } = await import('../parse/find.js');
  const { source } = await openProfile(path, { format: parsing?.format, capture, stdin });
  return recordsOf(source, parsing, wanted);
}

export function openRecords(input: Input, wanted: Wanted | undefined, members?: Set<string>): Source {
  const ending = new StreamStatus(input.name);
  const batches = readRecords(input, wanted?.types, ending, wanted?.ranges, members);
  return { name: input.name, batches, endings: [ending], close: input.close };
}

/**
 * Decides by the first bytes: records are text that starts with an object with a type or with a Python dict; a trace is one
 * JSON value.
 */
export function formOf(head: Buffer): 'records' | 'text' | 'other' {
  const text = textStart(head.subarray(0, 4096));
  // This holds even if later lines are broken, because the reader of records reports them.
  if (text.startsWith('{"type":')) return 'records';
  const isBinary = head.subarray(0, 512).some((byte) => byte < 32 && (byte < 9 || byte > 13));
  if (isBinary) return 'other';
  if (text.startsWith('[')) return 'other';
  const [line = ''] = text.split('\n', 1);
  if (/^\{\s*(?:"|$)/.test(line) && !(line.includes('"type":') && beginsRecord(line))) return 'other';
  return text === '' || text.startsWith('{') ? 'records' : 'text';
}

/** Whether a JSON object begins with a field of a record, in whatever order its fields are. */
function beginsRecord(line: string): boolean {
  const [, name] = /^\{\s*"(\w+)"/.exec(line) ?? [];
  return name === 'type' || Object.values(RECORD_FIELDS).some((fields) => fields.some((field) => field.name === name));
}

/** Number of records of a profile passed on together; with 1000, many outlive the garbage collector's first generation. */
const BATCH = 100;

export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Whether a path does not exist and is a pattern. */
const standsForFiles = async (path: string, { globs }: Opening): Promise<boolean> =>
  globs === true && !existsSync(path) && (await import('../parse/input/folder-files.js')).isPattern(path);

/** Opens a folder, or the matches of a glob: records as Parquet, profiles, or record files. */
async function openFolder(
  folder: string,
  opening: Opening,
  wanted: Wanted | undefined,
  numbers: ProfileNumbers,
): Promise<Source> {
  const { isRecordFolder, readRecordFolder } = await import('../prof/input/record-folder.js');
  if (!isRecordFolder(folder)) return openFiles(folder, opening, wanted, numbers);
  const ending = new StreamStatus(folder);
  const batches = readRecordFolder(folder, wanted?.types ?? KERNEL_TYPES, ending);
  return { name: folder, batches, endings: [ending], close: () => undefined };
}

/** A profile in a folder, or the path of a file of records. */
type FolderFile = ProfileFile | string;

const pathOf = (file: FolderFile): string => (typeof file === 'string' ? file : file.name);

/**
 * Opens the profiles of a folder, or its record files when it has none. Files of records next to profiles were made
 * from these, as partial answers were made from records next to them. Profiles that cannot be read are reported and set the
 * exit code.
 * @throws UserError when there are none, and for several when one is wanted
 */
async function openFiles(
  folder: string,
  opening: Opening,
  wanted: Wanted | undefined,
  numbers: ProfileNumbers,
): Promise<Source> {
  const { findProfiles } = await import('../parse/find.js');
  const { parsing, capture } = opening;
  const { records, partials } = await recordFilesIn(folder);
  const failures: UserError[] = [];
  const profiles: ProfileFile[] = [];
  const passOver = new Set([...records, ...partials]);
  const status = new StreamStatus(folder);
  const noteLeftOut = (what: string): void =>
    void status.notes.push(new UserError(what, { where: folder, about: 'figures of all files in the folder' }));
  const onNote = ({ what }: UserError): void => noteLeftOut(what);
  for await (const found of findProfiles([folder], { format: parsing?.format, capture, passOver, onNote })) {
    if (found instanceof UserError) failures.push(found);
    // When only one is wanted, further profiles are just counted.
    else if (profiles.push(found.source) > 1 && wanted?.isOne === true) found.source.dispose();
  }
  const files: readonly FolderFile[] = [profiles, records, partials].find(({ length }) => length > 0) ?? [];
  const [file, ...others] = files;
  if (file === undefined || (others.length > 0 && wanted?.isOne === true)) {
    for (const profile of profiles) profile.dispose();
    throw (file === undefined ? failures[0] : undefined) ?? severalFiles(folder, files);
  }
  const open = (entry: FolderFile): Promise<Source> =>
    typeof entry === 'string' ? openOne(entry, opening, wanted, numbers) : recordsOf(entry, parsing, wanted);
  const leftOut = profiles.length + records.length + partials.length - files.length;
  if (leftOut > 0)
    noteLeftOut(`${counted(leftOut, 'record file')} skipped (may duplicate other files): name the files to read`);
  const endings = [status, ...failures.map((error) => failed(folder, error))];
  if (others.length > 0) return filesInTurn(endings, files, open, wanted, numbers);
  const source = await open(file);
  return { ...source, endings: [...endings, ...source.endings] };
}

function severalFiles(folder: string, files: readonly FolderFile[]): UserError {
  const [file = ''] = files;
  const isRecords = typeof file === 'string';
  const hint = isRecords
    ? `give one of them, such as ${file}`
    : `give one of them, or the records of all: dparse ${folder} > FILE`;
  return new UserError(`holds ${files.length} ${isRecords ? 'record files' : 'profiles'}`, { where: folder, hint });
}

interface RecordFiles {
  readonly records: readonly string[];
  /** Files of `dprof partial`. */
  readonly partials: readonly string[];
}

/** Files of records in a folder, ordered by name. @throws UserError for a folder without files */
export async function recordFilesIn(folder: string): Promise<RecordFiles> {
  const { expandInput, startOf } = await import('../parse/source.js');
  const { paths } = await expandInput(folder);
  const kinds: (readonly [path: string, kind: ReturnType<typeof recordKindOf>])[] = [];
  for (const path of paths) kinds.push([path, recordKindOf(textStart(await startOf(path)))]);
  const pathsOf = (wanted: string): string[] => kinds.flatMap(([path, kind]) => (kind === wanted ? [path] : []));
  return { records: pathsOf('records'), partials: pathsOf('partial') };
}

/** Reads all files of a folder, one after the other. */
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

async function recordsOf(
  source: ProfileFile,
  parsing: Opening['parsing'],
  wanted: Wanted | undefined,
): Promise<Source> {
  const { readProfile } = await import('../parse/profile.js');
  const { path, name, captures } = source;
  const ranges = wanted?.types.has('range') === true && (wanted.ranges ?? true);
  const ending = new StreamStatus(name);
  ending.isParsed = true;
  const derived = wanted?.derived === true ? { derived: true } : undefined;
  const records = readProfile(path, { ...parsing, ...derived, profile: 0, name, ranges, captures });
  return { name, batches: inBatches(records, ending), endings: [ending], close: () => source.dispose() };
}

/** Yields batches, and gives the event loop a turn after each, so that signals and a closed output are noticed. */
async function* inBatches(
  records: Iterable<ProfileLine>,
  ending: StreamStatus,
): AsyncGenerator<readonly ProfileLine[]> {
  let batch: ProfileLine[] = [];
  for (const record of records) {
    if (record.type === 'profile') ending.formats.add(record.format);
    if (record.type === 'end') ending.take(record);
    if (batch.push(record) < BATCH) continue;
    yield batch;
    batch = [];
    await new Promise((resolve) => setImmediate(resolve));
  }
  yield batch;
}
