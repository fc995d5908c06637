/**
 * One profile → its records: detection, opening and reading together. What the command lines and the library use.
 */
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { UserError } from '../record/errors.js';
import type { ProfileLine } from '../record/record.js';
import type { Probe, Reader } from './reader.js';
import { detect, PROFILE_TABLES, readerNamed } from './registry.js';
import { rankOf, readHead } from './source.js';
import { isSqlite, SqliteFile } from './sqlite/sqlite.js';
import { headContains } from './json/first-part.js';

export interface ProfileOptions {
  /** Ordinal of the profile in the stream. */
  readonly profile: number;
  /** Name of the input as the user knows it; the path when not given. */
  readonly name?: string;
  /** Format id, to read the input as that whatever it looks like. */
  readonly format?: string;
  /** Whether to write host ranges too. */
  readonly ranges?: boolean;
  /** Program that ran in the profile, for formats that keep it in a file of its own; looked for beside the input. */
  readonly program?: string;
  /** Whether to take a program although it is not the one that ran. */
  readonly force?: boolean;
}

/** A profile that cannot be opened: in use, damaged, cut short. Other files that cannot be may be anything. */
export class BrokenProfile extends UserError {}

/** Schemas stand at the start of a database, or in what was written last. */
const SCHEMA_BYTES = 4 * 1024 * 1024;

/**
 * Records of a profile. Memory: see `capture.ts`.
 * @throws UserError when the file is no profile, or cannot be read
 */
export function* readProfile(path: string, options: ProfileOptions): Generator<ProfileLine> {
  const name = options.name ?? path;
  const file = basename(name);
  const probe = openProbe(path, name);
  try {
    const reader = chooseReader(probe, options.format);
    const { profile, ranges = false, program, force } = options;
    yield* reader.read(probe, {
      profile,
      file,
      rank: rankOf(file),
      ranges,
      ...(program === undefined ? undefined : { program }),
      ...(force === undefined ? undefined : { force }),
    });
  } finally {
    probe.database?.close();
  }
}

/**
 * Whether a file is a profile, without reading its events.
 * @param inFolder whether it was found in a folder, whose other files may tell the same
 * @throws UserError when it is none, or another file tells the same
 */
export function checkProfile(path: string, name: string, format?: string, inFolder = false): void {
  const probe = openProbe(path, name);
  try {
    const reader = chooseReader(probe, format);
    if (inFolder && format === undefined && reader.isCovered?.(probe) === true)
      throw new UserError('tells what another file beside it tells', { where: name });
  } finally {
    probe.database?.close();
  }
}

function openProbe(path: string, name: string): Probe {
  const head = readHead(path);
  const folder = name === '-' ? null : dirname(name);
  return { file: name, path, folder, head, database: isSqlite(head) ? openNamed(path, name) : null };
}

/** A file of another kind than the format asked for is answered by what it is. */
function chooseReader(probe: Probe, format: string | undefined): Reader {
  if (format === undefined) return detect(probe);
  const named = readerNamed(format);
  if ((named.reads === 'database') === (probe.database !== null)) return named;
  throw new UserError(`is ${detect(probe).title}, not what --format ${format} reads`, {
    where: probe.file,
    hint: 'leave --format out: dparse tells formats by their content',
  });
}

/** Opens a database; messages name the input as the user knows it. */
function openNamed(path: string, name: string): SqliteFile {
  try {
    return SqliteFile.open(path);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const Failure = isProfile(path) ? BrokenProfile : UserError;
    throw new Failure(error.what, { ...error.detail, where: name });
  }
}

/** Whether a database that cannot be opened is a profile, as far as its bytes tell. */
const isProfile = (path: string): boolean =>
  [path, `${path}-wal`].some((file) => existsSync(file) && headContains(file, PROFILE_TABLES, SCHEMA_BYTES));
