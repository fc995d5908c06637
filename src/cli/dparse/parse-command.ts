/**
 * `dparse`: parses profiles into records, into a stream, a file or a folder, as many at a time as the machine has resources
 * for.
 */
import { existsSync, statSync, statfsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { requireThere, usableCores } from '../../parse/files.js';
import { findProfiles, type FoundProfile } from '../../parse/find.js';
import { liveRecords, peek } from '../../parse/live.js';
import type { LiveFormat } from '../../parse/reader.js';
import { readerNamed } from '../../parse/registry.js';
import { expandInput } from '../../parse/source.js';
import { UserError, isSystemError, UsageError, EXIT, shownPath } from '../../record/errors.js';
import { encodeLine } from '../../record/jsonl.js';
import type { ProfileLine } from '../../record/record.js';
import { ASKS_FOR_WORDS, asksForHelp, helpOf } from '../arguments.js';
import { runWith, type CommandEntry } from '../command.js';
import { outcomeOf, parseOne, type ParsedProfile, type ParseOptions, type Outcome } from './one.js';
import { DPARSE, formatsText, readArguments, type DparseRequest } from './options.js';
import { isLarge } from './worker-pool.js';
import { parseLarge, parseMany, parseShared } from './workers.js';
import { printText, printList, withOutput, targetOf, withIoErrors, type Write } from '../output.js';
import { versionText } from '../package-folder.js';
import { progress, type Progress } from '../progress.js';
import { freemem, tmpdir } from 'node:os';
import { largest } from '../../containers/element.js';
import { statOf } from '../guard.js';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { removedAtEnd } from '../../parse/input/cleanup.js';
import { CUT_PROFILE, WAS_READ } from '../../prof/input/stream-status.js';
import { NOTHING_READ } from '../../prof/input/losses.js';
import { entryOf } from '../../containers/map-entry.js';
import { say } from '../message.js';
import { counted } from '../../record/plural.js';

/**
 * Writes into a folder next to the target and renames it at the end, so that the target never contains half-written
 * files.
 * @param path path of a folder that does not exist, or is empty
 * @throws UsageError without a path, UserError when the path exists and is not an empty folder
 */
async function withOutputFolder(path: string | undefined, body: (folder: string) => Promise<void>): Promise<void> {
  if (path === undefined || path === '-' || path === '') {
    throw new UsageError('parquet writes a folder', 'name it with -o DIR');
  }
  const target = withIoErrors(path, () => targetOf(path));
  refuseContents(path);
  // A unique, hidden name, because the target may be in a folder that is being read.
  const temporary = join(dirname(target), `.dparse-${randomBytes(8).toString('hex')}.part`);
  const remove = (): void => rmSync(temporary, { recursive: true, force: true });
  const release = removedAtEnd(temporary, remove);
  try {
    withIoErrors(path, () => mkdirSync(temporary));
    await body(temporary);
    // Files may have appeared there since.
    refuseContents(path);
    withIoErrors(path, () => renameSync(temporary, target));
  } catch (error) {
    remove();
    throw error;
  } finally {
    release();
  }
}

/** @throws UserError when a folder would replace, or mix with, what exists there */
function refuseContents(path: string): void {
  const existing = withIoErrors(path, () => statOf(path));
  if (existing === null) return;
  if (!existing.isDirectory()) throw new UserError('is not a folder', { where: path, hint: 'parquet needs -o DIR' });
  if (withIoErrors(path, () => readdirSync(path)).length === 0) return;
  const hint = 'choose a new folder for -o, or remove this one';
  throw new UserError('is not an empty folder', { where: path, hint });
}

/** Bytes of inputs that make one more thread worth starting. */
const PER_THREAD = 16 * 1024 * 1024;

/** Memory of a thread in bytes, without the part that grows with its profile; see the notes in the help. */
const OF_A_THREAD = 400 * 1024 * 1024;

/** Typical ratio of uncompressed to compressed bytes of a trace. */
const INFLATED = 10;

/** Bytes of output lines for each byte of a profile; usually the maximum, reached by NTFF. */
const LINES = 5;

/** Profiles for each thread whose lines may wait in the temporary folder for those of an earlier profile. */
const WAITING = 2;

const MOST_THREADS = 8;

interface InputSize {
  readonly bytes: number;
  readonly isCompressed: boolean;
}

interface Machine {
  readonly cores: number;
  /** Free bytes of memory that may be used. */
  readonly memory: number;
  /** Free bytes in the temporary folder. */
  readonly disk: number;
}

/**
 * Number of threads: one for each 16 MB of inputs, at most 8, at most one for each input and core, and as many as fit in
 * half of the free memory and temporary folder. The memory for a profile's rows is estimated by the size of its file,
 * which is larger.
 */
export function jobsFor(inputs: readonly InputSize[], machine: Machine): number {
  const { disk } = machine;
  const all = inputs.reduce((sum, { bytes }) => sum + bytes, 0);
  const longest = largest(
    inputs.map(({ bytes, isCompressed }) => bytes * (isCompressed ? INFLATED : 1)),
    0,
  );
  const onDisk = longest === 0 ? 1 : disk / 2 / (WAITING * LINES * longest);
  return Math.floor(Math.max(1, Math.min(inputs.length, onDisk, threadsFor(all, longest, machine))));
}

/**
 * Number of threads for inputs: one for each 16 MB, at most 8, at most one for each core, and as many as fit in half of the
 * free memory.
 * @param bytes total bytes of all inputs
 * @param longest bytes of the longest input, which each thread may read
 */
export function threadsFor(
  bytes: number,
  longest: number,
  { cores, memory }: Pick<Machine, 'cores' | 'memory'>,
): number {
  const inMemory = memory / 2 / (OF_A_THREAD + longest);
  return Math.floor(Math.max(1, Math.min(bytes / PER_THREAD, cores, inMemory, MOST_THREADS)));
}

const thisMachine = (): Machine => ({
  cores: usableCores(),
  memory: Math.min(freemem(), process.constrainedMemory() || Infinity),
  disk: orNone(() => {
    const { bavail, bsize } = statfsSync(tmpdir());
    return bavail * bsize;
  }),
});

const sizeOf = (path: string): InputSize => ({
  bytes: orNone(() => statOf(path)?.size ?? 0),
  isCompressed: path.endsWith('.gz'),
});

/** 0 when the system reports an error; an input that cannot be read is reported later. */
function orNone(bytes: () => number): number {
  try {
    return bytes();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return 0;
  }
}

const TEXTS = { formats: formatsText, version: versionText };

/** The answer to arguments that ask for help or completion; null for any other arguments. */
async function aboutItself(args: readonly string[]): Promise<string | null> {
  const [first = '', ...others] = args;
  if (first === ASKS_FOR_WORDS) return (await import('../commands/completion.js')).wordsText(args, DPARSE, COMMANDS);
  if (asksForHelp(args)) return helpOf(DPARSE);
  // A file with this name is an input.
  if (existsSync(first)) return null;
  if (first === 'completion') return (await import('../commands/completion.js')).dparseScript(others);
  return first === 'help' && others.length === 0 ? helpOf(DPARSE) : null;
}

/** The name of the command. For a file of this name, the user gives `./redact`. */
const REDACT_COMMAND = 'redact';

/** Commands of `dparse`, by name. */
const COMMANDS: Readonly<Record<typeof REDACT_COMMAND, CommandEntry>> = {
  [REDACT_COMMAND]: {
    title: 'a copy of a profile that can be shared',
    load: async () => {
      const { REDACT, redactCommand } = await import('./redact-command.js');
      return { tool: REDACT, run: redactCommand };
    },
  },
};

async function redact(args: readonly string[]): Promise<void> {
  const command = await COMMANDS[REDACT_COMMAND].load();
  return asksForHelp(args) ? printText(await helpOf(command.tool)) : runWith(command, args);
}

/** @param args the arguments after the tool's name */
export async function parseCommand(args: readonly string[]): Promise<void> {
  if (args[0] === REDACT_COMMAND) return redact(args.slice(1));
  const answer = await aboutItself(args);
  if (answer !== null) return printText(answer);
  const request = readArguments(args);
  if (request.show !== 'records') {
    return printList(TEXTS[request.show]());
  }
  const { format, program, ncu, capture } = request;
  if (format !== undefined) readerNamed(format);
  // Check these even if no input needs them.
  requireThere([program, ncu, capture]);
  const isPiped = request.inputs.length === 1 && request.inputs[0] === '-';
  const stdin = isPiped ? await peek(process.stdin, format) : null;
  // Reports of monitors never end, and contain no kernels.
  const live = request.outputFormat === 'records' ? (stdin?.live ?? null) : null;
  await (live === null || stdin === null ? parseAll(request, stdin?.bytes) : follow(request, live, stdin.bytes));
}

/** Messages of `dparse` on stderr: one line for each input, and how the run ends. */
class ParseReport {
  /** The last error, not printed yet: when nothing was read it ends the run. */
  #failure: UserError | null = null;
  readonly #notes: UserError[] = [];
  #read = 0;
  /** Profile numbers by rank. */
  readonly #ranks = new Map<number, number[]>();

  constructor(private readonly quiet: boolean) {}

  /** Takes a note about files of a folder that are left out. */
  readonly note = (note: UserError): void => void this.#notes.push(note);

  /** @param ordinal number of a profile that was read */
  add(name: string, outcome: Outcome, ordinal = 0): void {
    this.#complain();
    if (outcome instanceof UserError) {
      this.#failure = outcome;
      return;
    }
    this.#read++;
    if (!this.quiet) say('dparse', summary(name, outcome));
    // Print it even in a quiet run, because the records alone do not show it.
    else if (outcome.lost !== null) say('dparse', outcome.lost);
    if (outcome.isCut) this.#failure = new UserError(`${CUT_PROFILE}; ${WAS_READ}`, { where: name });
    else if (outcome.isUnread) this.#failure = new UserError(NOTHING_READ, { where: name });
    this.#complain();
    if (outcome.rank !== null) entryOf(this.#ranks, outcome.rank, () => []).push(ordinal);
  }

  /** @throws UserError when nothing was read; OUT is then not created */
  end(): void {
    if (this.#read === 0 && this.#failure !== null) throw this.#failure;
    this.#complain();
    for (const { line } of this.#notes) this.#say(line);
    const repeated = repeatedRanks(this.#ranks);
    if (repeated !== null) this.#say(repeated);
  }

  /** Prints an input that cannot be read, or not to its end, and sets exit status 1; the other inputs are still read. */
  #complain(): void {
    if (this.#failure === null) return;
    say('dparse', this.#failure.line);
    process.exitCode = EXIT.failed;
    this.#failure = null;
  }

  #say(text: string): void {
    if (!this.quiet) say('dparse', text);
  }
}

/** Lists ranks that several profiles have; null when there are none. */
function repeatedRanks(ranks: ReadonlyMap<number, readonly number[]>): string | null {
  const repeated = [...ranks].filter(([, ordinals]) => ordinals.length > 1).sort(([a], [b]) => a - b);
  if (repeated.length === 0) return null;
  const texts = repeated.map(([rank, ordinals]) => `rank ${rank} has profiles ${ordinals.join(', ')}`);
  return `several profiles have the same rank; the field "profile" tells them apart: ${texts.join('; ')}`;
}

/**
 * The summary line of an input: `net.sqlite: 160 kernels, 21 copies; kernels whose host call is not in the profile: 24`.
 */
function summary(name: string, outcome: Exclude<Outcome, UserError>): string {
  const { counts, oddities } = outcome;
  const found = countedIn(counts, ACTIVITIES);
  // Reports, summaries and programs have no activities, so their other records are counted.
  const others = found.length > 0 ? [] : countedIn(counts, STATEMENTS);
  const isEmpty = (counts['kernel'] ?? 0) === 0 && others.length === 0;
  return [
    `${shownPath(name)}: ${[...(isEmpty ? ['0 kernels'] : []), ...found, ...others].join(', ')}`,
    ...oddities,
  ].join('; ');
}

type Words = readonly (readonly [type: string, one: string])[];

const ACTIVITIES: Words = [
  ['kernel', 'kernel'],
  ['copy', 'copy'],
  ['graph', 'graph launch'],
];
const STATEMENTS: Words = [
  ['tensor', 'tensor'],
  ['layer', 'layer'],
  ['sample', 'sample'],
  ['notice', 'notice'],
];

const countedIn = (counts: Readonly<Record<string, number>>, words: Words): string[] =>
  words.flatMap(([type, noun]) => {
    const n = counts[type] ?? 0;
    return n === 0 ? [] : [counted(n, noun)];
  });

/** Writes records from a pipe as they come. */
async function follow(request: DparseRequest, live: LiveFormat, bytes: AsyncIterable<Buffer>): Promise<void> {
  const report = new ParseReport(request.quiet);
  await withOutput(request.output, ['-'], async (write, flush) => {
    let last: ProfileLine | undefined;
    for await (const records of liveRecords(live, bytes, request.allFields)) {
      for (const record of records) await write(encodeLine(record));
      if (records.length > 0) await flush();
      last = records.at(-1);
    }
    report.add('-', outcomeOf(last, null, '-'));
  });
}

/** @param stdin stream to read instead of standard input, when its first bytes were already inspected */
async function parseAll(request: DparseRequest, stdin: AsyncIterable<Buffer> | undefined): Promise<void> {
  const { inputs, output, format, ranges, program, ncu, force, allFields, derived, outputFormat, quiet } = request;
  const jobs = request.jobs ?? jobsFor((await filesOf(inputs)).map(sizeOf), thisMachine());
  const meter = progress('dparse', !quiet);
  const report = new ParseReport(quiet);
  const shared = {
    ranges,
    force,
    allFields,
    derived,
    ...(format === undefined ? {} : { format }),
    ...(program === undefined ? {} : { program }),
    ...(ncu === undefined ? {} : { ncu }),
  };
  const parse = async (written: ParseOptions['output'], write: Write): Promise<void> => {
    const options = { ...shared, output: written };
    const given = findProfiles(inputs, { format, stdin, capture: request.capture, onNote: report.note });
    const mayBeSingle = inputs.length === 1 && (await filesOf(inputs)).length === 1;
    const { found, isSingle } =
      jobs > 1 && mayBeSingle ? await peekSecond(given) : { found: given, isSingle: jobs === 1 };
    const outcomes = isSingle
      ? parseEach(found, options, request.jobs ?? null, write, meter)
      : parseMany(found, { ...options, isBusy: jobs >= usableCores() }, jobs, write, meter);
    for await (const { name, ordinal, outcome } of outcomes) {
      meter.clear();
      report.add(name, outcome, ordinal);
    }
    report.end();
  };
  if (outputFormat === 'parquet') return withOutputFolder(output, (folder) => parse({ folder }, () => undefined));
  await withOutput(output, output === undefined ? [] : await filesRead(request), (write) => parse(outputFormat, write));
}

/** Whether there is a single profile: an archive is one file, and may have several. */
async function peekSecond<T>(
  given: AsyncIterable<T>,
): Promise<{ readonly found: AsyncIterable<T>; readonly isSingle: boolean }> {
  const rest = given[Symbol.asyncIterator]();
  const first = await rest.next();
  const second = first.done === true ? first : await rest.next();
  async function* all(): AsyncGenerator<T> {
    try {
      if (first.done !== true) yield first.value;
      if (second.done !== true) yield second.value;
      yield* { [Symbol.asyncIterator]: () => rest };
    } finally {
      await rest.return?.();
    }
  }
  return { found: all(), isSingle: second.done === true };
}

/**
 * Parses inputs one after the other.
 * @param threads number of threads for one profile if its format can be shared; null to choose it by the profile's size
 */
async function* parseEach(
  found: AsyncIterable<FoundProfile | UserError>,
  options: ParseOptions,
  threads: number | null,
  write: Write,
  meter: Progress,
): AsyncGenerator<ParsedProfile> {
  for await (const profile of found) {
    if (profile instanceof UserError) {
      yield { name: '', outcome: profile };
      continue;
    }
    try {
      const { ordinal, source } = profile;
      yield { name: source.name, ordinal, outcome: await parseNext(profile, options, threads, write, meter) };
    } finally {
      profile.source.dispose();
    }
  }
}

function parseNext(
  profile: FoundProfile,
  options: ParseOptions,
  threads: number | null,
  write: Write,
  meter: Progress,
): Promise<Outcome> {
  if (!isLarge(profile)) return parseOne(profile, options, write, meter);
  const shared = canBeShared(profile, options) ? sharingThreads(profile, threads) : 1;
  if (shared === 1) return parseLarge(profile, options, write, meter);
  return parseShared(profile, options, shared, write, meter);
}

/**
 * Whether several threads can make the records of a profile: not if a report's counters are joined to all kernels in order,
 * nor for other outputs than lines of records.
 */
const canBeShared = ({ reader }: FoundProfile, options: ParseOptions): boolean =>
  reader.isShared?.(options) === true &&
  options.output === 'records' &&
  options.ncu === undefined &&
  (options.program === undefined || reader.usesProgram === true);

/** Most threads that share a profile unless the user asks for more: each repeats a part of the work. */
const MOST_SHARING = 4;

/** Number of threads that share a profile. @param threads the most that the user wants; null when not stated */
function sharingThreads({ source }: FoundProfile, threads: number | null): number {
  const { size } = statSync(source.path);
  return Math.min(threads ?? MOST_SHARING, threadsFor(size, size, thisMachine()));
}

/** Files that the run reads: files and folders, files that match a glob, the program, and the counter report. */
async function filesRead({ inputs, program, ncu, capture }: DparseRequest): Promise<string[]> {
  const isThere = (input: string): boolean => input === '-' || existsSync(input);
  const ofGlobs = await filesOf(inputs.filter((input) => !isThere(input)));
  const others = [program, ncu, capture].filter((file) => file !== undefined);
  return [...inputs.filter(isThere), ...ofGlobs, ...others];
}

/** The files of the inputs; empty when they cannot be found, which is reported later. */
async function filesOf(inputs: readonly string[]): Promise<string[]> {
  const found = inputs.map((input) => expandInput(input));
  return (await Promise.allSettled(found)).flatMap((result) =>
    result.status === 'fulfilled' ? [...result.value.paths, ...result.value.copies] : [],
  );
}
