/**
 * Temporary files. Nothing of them stays in the temporary folder: a file loses its name as soon as nobody needs that,
 * and whatever has one is removed however the process ends.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { isSystemError, ranOutOfSpace, systemReason } from '../../record/errors.js';
import { removedAtEnd } from './cleanup.js';
import { namesIn, readFully, writeFully, UnreadableInput } from '../files.js';

/** Open files by number (Linux): opens a file anew, also one without a name. */
const OPEN_FILES = '/proc/self/fd';

const PIECE = 512 * 1024;

/** A name of this run's own, which its workers inherit: processes of other machines may share a temporary folder. */
const RUN = 'dparse-run';
const inherited = getEnvironmentData(RUN) as unknown;
const run = typeof inherited === 'string' ? inherited : randomBytes(6).toString('hex');
setEnvironmentData(RUN, run);
const PREFIX = `dparse-${run}-`;

/** Makes a folder. @throws UnreadableInput when the temporary folder takes none */
export const temporaryFolder = (input: string): string =>
  inTemporaryFolder(input, () => mkdtempSync(join(tmpdir(), PREFIX)));

/**
 * Removes folders when the process ends before that is done otherwise.
 * @param remove those of this thread and its workers, unless it says which
 * @returns ends this
 */
export const foldersRemovedAtEnd = (remove = (): void => removeFolders()): (() => void) =>
  removedAtEnd(join(tmpdir(), PREFIX), remove);

/** Those of this thread and its workers, which hear no signal. */
export function removeFolders(): void {
  const names = namesIn(tmpdir(), new RegExp(`^${PREFIX}`));
  for (const name of names) rmSync(join(tmpdir(), name), { recursive: true, force: true });
}

export class TemporaryFile {
  /** Number of the open file. */
  readonly file: number;
  #folder: string | null = null;
  #path: string | null = null;
  #isOpen = true;
  readonly #release: () => void;

  /**
   * @param input the input that it is made for, in messages
   * @throws UnreadableInput when the temporary folder takes no file
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

  /** Path that opens the file. @throws RangeError when it has lost its name */
  get path(): string {
    if (this.#path === null) throw new RangeError('a file without a name');
    return this.#path;
  }

  /** Takes the name away. Reading and writing by number goes on. */
  unlink(): void {
    this.#path = null;
    this.#remove();
  }

  /** Takes the name away where another path opens the file as well; SQLite does not take that path. */
  hide(): void {
    const path = join(OPEN_FILES, String(this.file));
    if (!existsSync(path)) return;
    this.#remove();
    this.#path = path;
  }

  /** Writes at the end. @throws UnreadableInput when there is no room */
  append(bytes: Uint8Array): void {
    appendTo(this.file, bytes, this.input);
  }

  /** All that was written. */
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

  /** Systems that do not remove open files do so when they are closed. */
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

/** Writes to a temporary file of any thread. @throws UnreadableInput when there is no room */
export function appendTo(file: number, data: string | Uint8Array, input: string): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  inTemporaryFolder(input, () => writeFully(file, bytes));
}

/** Makes or writes a temporary file. @throws UnreadableInput where the system refuses */
export function inTemporaryFolder<T>(input: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const [what, hint] = refusal(error.code);
    throw new UnreadableInput(`the temporary folder ${tmpdir()} ${what}`, { where: input, hint, code: error.code });
  }
}

/** Of what the system refused, with this code: what the folder lacks, and what helps. */
function refusal(code: string): [what: string, hint: string] {
  // A limit of the process, which holds in any folder, or of the file system.
  if (code === 'EFBIG')
    return ['takes no file of this size', 'raise ulimit -f, or set TMPDIR to a file system of larger files'];
  if (ranOutOfSpace(code)) return ['has no room', 'set TMPDIR to a folder with more room'];
  return [`takes no file: ${systemReason({ code })}`, 'set TMPDIR to another folder'];
}
