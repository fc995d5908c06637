/**
 * Temporary files that leave nothing behind in the temporary folder. A file loses its name as soon as
 * the name is not needed, and files that still have a name are removed however the process ends.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { isSystemError, ranOutOfSpace, systemReason } from '../../record/errors.js';
import { removedAtEnd } from './cleanup.js';
import { namesIn, readFully, writeFully, UnreadableInput } from '../files.js';

/** Open files by number (Linux). A path in this folder opens a file a second time, even if the file has no name. */
const OPEN_FILES = '/proc/self/fd';

const PIECE = 512 * 1024;

/**
 * A name for this run, which its worker threads inherit. It must be unique, because processes of other machines may share
 * the temporary folder.
 */
const RUN = 'dparse-run';
const inherited = getEnvironmentData(RUN) as unknown;
const run = typeof inherited === 'string' ? inherited : randomBytes(6).toString('hex');
setEnvironmentData(RUN, run);
const PREFIX = `dparse-${run}-`;

/**
 * Creates a temporary folder.
 * @throws UnreadableInput when the temporary folder does not allow it
 */
export const temporaryFolder = (input: string): string =>
  inTemporaryFolder(input, () => mkdtempSync(join(tmpdir(), PREFIX)));

/**
 * Removes temporary folders when the process ends, unless released before.
 * @param remove which folders to remove; by default those of this thread and its workers
 * @returns a function that releases it
 */
export const foldersRemovedAtEnd = (remove = (): void => removeFolders()): (() => void) =>
  removedAtEnd(join(tmpdir(), PREFIX), remove);

/** Removes the folders of this thread and of its workers, because workers receive no signals. */
export function removeFolders(): void {
  const names = namesIn(tmpdir(), new RegExp(`^${PREFIX}`));
  for (const name of names) rmSync(join(tmpdir(), name), { recursive: true, force: true });
}

/** A temporary folder that is removed when it is disposed of, or when the process ends. */
export class TemporaryFolder {
  #path: string | null = null;
  readonly #release: () => void;

  /**
   * @param input name of the input, for messages
   * @throws as `temporaryFolder`
   */
  constructor(input: string) {
    // First, because a signal may end the process as soon as the folder exists.
    this.#release = foldersRemovedAtEnd(() => {
      this.dispose();
    });
    try {
      this.#path = temporaryFolder(input);
    } finally {
      if (this.#path === null) this.#release();
    }
  }

  /** @throws RangeError after `dispose` */
  get path(): string {
    if (this.#path === null) throw new RangeError('the temporary folder was removed');
    return this.#path;
  }

  dispose(): void {
    if (this.#path !== null) rmSync(this.#path, { recursive: true, force: true });
    this.#path = null;
    this.#release();
  }
}

export class TemporaryFile {
  /** File descriptor of the open file. */
  readonly file: number;
  #folder: string | null = null;
  #path: string | null = null;
  #isOpen = true;
  readonly #release: () => void;

  /**
   * @param input input for which the file is made, named in messages
   * @throws UnreadableInput when the temporary folder does not allow a file
   */
  constructor(private readonly input: string) {
    this.#release = foldersRemovedAtEnd(() => this.#remove());
    try {
      this.#folder = temporaryFolder(input);
      const path = join(this.#folder, 'file');
      this.file = inTemporaryFolder(input, () => openSync(path, 'wx+', 0o600));
      this.#path = path;
    } catch (error) {
      this.#remove();
      throw error;
    }
  }

  /**
   * Path that opens the file.
   * @throws RangeError when the file has lost its name
   */
  get path(): string {
    if (this.#path === null) throw new RangeError('a file without a name');
    return this.#path;
  }

  /** Removes the file's name. The file can still be read and written through its descriptor. */
  unlink(): void {
    this.#path = null;
    this.#remove();
  }

  /** Removes the file's name, if the file can be opened through another path. SQLite does not accept that path. */
  hide(): void {
    const path = join(OPEN_FILES, String(this.file));
    if (!existsSync(path)) return;
    this.#remove();
    this.#path = path;
  }

  /**
   * Appends bytes.
   * @throws UnreadableInput when there is no room
   */
  append(bytes: Uint8Array): void {
    appendTo(this.file, bytes, this.input);
  }

  /** The whole content, in pieces. */
  *pieces(): Generator<Buffer> {
    for (let at = 0, read; ; at += read) {
      const piece = Buffer.allocUnsafe(PIECE);
      read = readFully(this.file, piece, at);
      if (read === 0) return;
      yield piece.subarray(0, read);
    }
  }

  dispose(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.file);
    this.#remove();
  }

  /** Removes the folder. On systems that do not remove open files, this succeeds only after the file is closed. */
  #remove(): void {
    try {
      if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
      this.#folder = null;
      this.#release();
    } catch (error) {
      if (!this.#isOpen) throw error;
    }
  }
}

/**
 * Appends to a temporary file, which may belong to another thread.
 * @throws UnreadableInput when there is no room
 */
export function appendTo(file: number, data: string | Uint8Array, input: string): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  inTemporaryFolder(input, () => writeFully(file, bytes));
}

/**
 * Runs a function that creates or writes a temporary file.
 * @throws UnreadableInput when the system refuses
 */
export function inTemporaryFolder<T>(input: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const [what, hint] = refusal(error.code);
    throw new UnreadableInput(`the temporary folder ${tmpdir()} ${what}`, { where: input, hint, code: error.code });
  }
}

/** Message for a system error code: what is wrong with the folder, and what to do. */
function refusal(code: string): [what: string, hint: string] {
  // The limit is that of the process, which applies to all folders, or that of the file system.
  if (code === 'EFBIG')
    return [
      'cannot hold a file of this size',
      'raise ulimit -f, or set TMPDIR to a file system that allows larger files',
    ];
  if (ranOutOfSpace(code)) return ['has no room', 'set TMPDIR to a folder with more room'];
  return [`cannot hold a file: ${systemReason({ code })}`, 'set TMPDIR to another folder'];
}
