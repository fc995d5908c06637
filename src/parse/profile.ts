/** Reads one profile into records: opens it, detects the format, and joins other files. */
import { basename, dirname } from 'node:path';
import { Diagnostics } from '../record/diagnostics.js';
import { UserError } from '../record/errors.js';
import type { EndRecord, ProfileLine } from '../record/record.js';
import type { Probe, Reader, ReadOptions } from './reader.js';
import type { CaptureFiles } from './captures.js';
import { capturesIn } from './readers/kineto/kineto.js';
import { CounterJoin, launchesOf } from './readers/ncu/ncu.js';
import { detect, fileLabel, PROFILE_TABLES, readerNamed } from './registry.js';
import { rankOf, readHead } from './source.js';
import { RedundantInput, UnreadableInput, refuseUtf16, headContains, isFile } from './files.js';
import { isPacked } from '../record/lines/packed.js';
import { isSqlite, SqliteFile } from './sqlite/sqlite.js';

/** Options of `readProfile`. */
export interface ProfileOptions extends Pick<
  ReadOptions,
  'profile' | 'program' | 'force' | 'allFields' | 'derived' | 'onlyWritten' | 'isBusy' | 'share'
> {
  /** Name of the input for messages and the profile line, as the user gave it; the path when not given. */
  readonly name?: string;
  /** Id of the format to read the input as; detected by content when not given. */
  readonly format?: string;
  /** Path of a Nsight Compute report (CSV) whose counters are added to the kernels. */
  readonly ncu?: string;
  /** Traces with the captures of the graphs that the profile replays. */
  readonly captures?: CaptureFiles;
  /** Whether to write host ranges too; false when not given. */
  readonly ranges?: ReadOptions['ranges'];
}

/**
 * Records of a profile: the profile line, activities in order of start time, the end line. Memory: see
 * `trace/trace-columns.ts`.
 * @param path file with the bytes, uncompressed
 * @throws UserError when the file is not a profile, or cannot be read
 * @throws UsageError when `format` is not a known format
 */
export function* readProfile(path: string, options: ProfileOptions): Generator<ProfileLine> {
  const name = options.name ?? path;
  const probe = openProbe(path, name);
  try {
    options.share?.onOpen?.();
    const reader = chooseReader(probe, options.format);
    const { profile, ranges = false, program, force, allFields = false, derived = false } = options;
    const { onlyWritten = false, isBusy = false } = options;
    if (probe.database !== null) probe.database.shared = options.share?.blocks ?? null;
    const counters = joinOf(options.ncu);
    const records = reader.read(probe, {
      profile,
      file: fileLabel(name),
      rank: rankOf(basename(name)),
      ranges,
      allFields,
      derived,
      isBusy,
      // Counters of another file can be joined only to records that are objects, not lines.
      onlyWritten: onlyWritten && counters === null,
      ...(options.share === undefined ? undefined : { share: options.share }),
      ...(options.captures === undefined ? undefined : { captures: capturesIn(options.captures) }),
      ...(program === undefined ? undefined : { program }),
      ...(force === undefined ? undefined : { force }),
    });
    const isUnused = program !== undefined && reader.usesProgram !== true;
    if (counters === null && !isUnused) yield* records;
    else {
      for (const record of records) {
        const joined = counters === null ? record : counters.take(record);
        yield isUnused && joined.type === 'end' ? withUnusedProgram(joined) : joined;
      }
    }
  } finally {
    probe.database?.close();
  }
}

function withUnusedProgram(end: EndRecord): EndRecord {
  const diagnostics = new Diagnostics();
  diagnostics.count('program-not-used');
  return { ...end, diagnostics: diagnostics.addedTo(end.diagnostics) };
}

/**
 * Joins the counters of a report; null when there is no report.
 * @throws UserError when the report cannot be read
 */
function joinOf(report: string | undefined): CounterJoin | null {
  if (report === undefined) return null;
  if (!isFile(report)) throw new UserError('is not a file', { where: report });
  if (isPacked(readHead(report))) throw new UserError('is compressed', { where: report, hint: 'unpack it first' });
  const diagnostics = new Diagnostics();
  return new CounterJoin(launchesOf(report, report, diagnostics), diagnostics);
}

/**
 * Detects the format of a file without reading its events.
 * @param path file with the bytes, uncompressed
 * @param name the input for messages, as the user gave it
 * @param format id of the format to read the input as; detected by content when undefined
 * @param inFolder whether it was found in a folder, where another file may cover the same capture
 * @returns the format's reader
 * @throws UserError when it is not a profile, or is redundant
 */
export function checkProfile(path: string, name: string, format?: string, inFolder = false): Reader {
  const probe = openProbe(path, name);
  try {
    const reader = chooseReader(probe, format);
    const cover = inFolder && format === undefined ? (reader.isCovered?.(probe) ?? false) : false;
    if (cover !== false) throw new RedundantInput(name, cover === true ? null : cover);
    return reader;
  } finally {
    probe.database?.close();
  }
}

function openProbe(path: string, name: string): Probe {
  const head = readHead(path);
  const folder = name === '-' ? null : dirname(name);
  return { file: name, path, folder, head, database: isSqlite(head) ? openNamed(path, name) : null };
}

/**
 * Chooses the reader.
 * @throws UserError stating the detected format, when the file is not of the requested format
 */
function chooseReader(probe: Probe, format: string | undefined): Reader {
  if (format === undefined) return detect(probe);
  const named = readerNamed(format);
  if (named.reads === 'text') refuseUtf16(probe.head, probe.file);
  if ((named.reads === 'database') === (probe.database !== null)) return named;
  throw new UserError(`is ${detect(probe).title}, which --input-format ${format} does not read`, {
    where: probe.file,
    hint: 'leave --input-format out: dparse detects formats by content',
  });
}

/** Opens a database; messages show the input's name as the user gave it. */
function openNamed(path: string, name: string): SqliteFile {
  try {
    return SqliteFile.open(path);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const Failure = isProfile(path) ? UnreadableInput : UserError;
    throw new Failure(error.what, { ...error.detail, where: name });
  }
}

/** Bytes at the start of a database that mostly contain its schema. */
const SCHEMA_BYTES = 4 * 1024 * 1024;

/**
 * Whether a database that cannot be opened is a profile. It is if the name of a profiler's table is in its schema at
 * the start, or in its write-ahead log.
 */
const isProfile = (path: string): boolean =>
  [path, `${path}-wal`].some((file) => isFile(file) && headContains(file, PROFILE_TABLES, SCHEMA_BYTES));
