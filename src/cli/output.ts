/**
 * Output: standard output, or a file that appears only when it is complete.
 *
 * Text is buffered before it is written. Writes to a file are synchronous; for a pipe, `write` waits when the reader is
 * slower.
 */
import {
  accessSync,
  closeSync,
  constants,
  createWriteStream,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { isNotUtf8, UsageError, UserError, isSystemError, systemReason } from '../record/errors.js';
import { writeFully } from '../parse/files.js';
import { removedAtEnd } from '../parse/input/cleanup.js';
import { stdoutFile } from './bin/stdout.js';
import { TERMINAL_WIDTH } from './message.js';
import { refuseInputs, refuseSidecars, statOf } from './guard.js';
import { screenText } from './screens/layout.js';

const BATCH = 64 * 1024;
const FILE_BATCH = 512 * 1024;

/** Name of standard output in messages. */
export const STDOUT = 'stdout';

/** The reader of standard output has closed it, because it has read enough, like `head`. This is not a failure. */
export class ClosedOutput extends Error {
  constructor() {
    super('output closed');
    this.name = 'ClosedOutput';
  }
}

/** Writes text, or bytes that must not change any more. When it returns a promise, wait for it before writing more. */
export type Write = (data: string | Uint8Array) => void | Promise<void>;

/** Flushes the data written so far; settles when the operating system has it. */
type Flush = () => Promise<void>;

type Body = (write: Write, flush: Flush) => Promise<void>;

class TextSink {
  #parts: string[] = [];
  #size = 0;
  #failure: Error | null = null;
  #wake: (() => void) | null = null;

  constructor(
    readonly stream: Writable,
    readonly name: string,
  ) {
    stream.on('error', (error) => {
      this.#failure ??= asOutputError(error, name);
      this.#wake?.();
    });
    stream.on('drain', () => this.#wake?.());
  }

  readonly write: Write = (data) => {
    if (this.#failure !== null) throw this.#failure;
    if (typeof data !== 'string') return this.#writeBytes(data);
    this.#parts.push(data);
    this.#size += data.length;
    return this.#size < BATCH ? undefined : this.flush();
  };

  /** Flushes the buffer; settles when it is written, or when the stream asks for more. */
  async flush(): Promise<void> {
    const text = this.#parts.join('');
    this.#parts = [];
    this.#size = 0;
    await this.#handOn(text);
  }

  /** Bytes come in large pieces, so they are not buffered. */
  async #writeBytes(bytes: Uint8Array): Promise<void> {
    if (this.#size > 0) await this.flush();
    await this.#handOn(bytes);
  }

  async #handOn(data: string | Uint8Array): Promise<void> {
    if (data.length > 0 && !this.stream.write(data)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (this.#failure !== null) resolve();
      });
      this.#wake = null;
    }
    if (this.#failure !== null) throw this.#failure;
  }

  /** Afterwards, the operating system has all data. */
  async drain(): Promise<void> {
    await this.flush();
    // The callback may come before the 'error' event.
    const error = await new Promise<Error | null | undefined>((resolve) => this.stream.write('', resolve));
    if (error) this.#failure ??= asOutputError(error, this.name);
    if (this.#failure !== null) throw this.#failure;
  }
}

function asOutputError(error: Error, name: string): Error {
  if (!isSystemError(error)) return error;
  if (error.code === 'EPIPE') return new ClosedOutput();
  return new UserError(`cannot write: ${systemReason(error)}`, { where: name, code: error.code });
}

/**
 * Runs `body` with a function to write to the output.
 * @param path the file of `-o`; undefined or '-' for standard output
 * @param inputs files and folders that are read, '-' for standard input: the output must not overwrite them
 * @throws UserError when the output cannot be written, or is an input
 */
export async function withOutput(path: string | undefined, inputs: readonly string[], body: Body): Promise<void> {
  if (path === undefined || path === '-') return toStdout(body);
  const existing = await checkOutput(path, inputs);
  // A device or a pipe cannot be replaced by renaming onto it.
  if (existing !== null && !existing.isFile()) {
    const stream = createWriteStream(path);
    return toStream(stream, path, body).finally(() => stream.destroy());
  }
  return toFile(targetOf(path), path, async (write, flush) => {
    await body(write, flush);
    // Links may have changed since.
    await checkOutput(path, inputs);
  });
}

/**
 * Width in characters of the terminal that the output goes to; null when it goes elsewhere.
 * @param path the file of `-o`
 */
export const terminalWidth = (path: string | undefined): number | null =>
  (path ?? '-') === '-' && process.stdout.isTTY ? process.stdout.columns || TERMINAL_WIDTH : null;

/** @param what name of the data @throws UsageError when the data would go to a terminal */
export function refuseTerminal(path: string | undefined, content: string): void {
  if ((path ?? '-') !== '-' || !process.stdout.isTTY) return;
  throw new UsageError(`refusing to write ${content} to a terminal: use -o FILE`);
}

/** Writes text that needs no input, such as that of `--help`, to standard output. */
export const printText = (text: string): Promise<void> => withOutput(undefined, [], async (write) => write(text));

/** Writes a list that needs no input, such as that of `--columns`, to standard output; a terminal wraps its lines. */
export const printList = (text: string): Promise<void> =>
  printText(screenText(text.trimEnd().split('\n'), undefined, terminalWidth(undefined)));

/**
 * Checks whether a file can be written, without changing anything: for commands that read for a long time before they
 * write.
 * @param inputs files and folders that are read, '-' for standard input
 * @returns the status of an existing file; null when there is none
 * @throws UserError when it cannot be written, or is an input
 */
export async function checkOutput(path: string | undefined, inputs: readonly string[]): Promise<Stats | null> {
  const { existing, folders } = checkTarget(path, inputs);
  if (path !== undefined && existing?.isFile() === true) await refuseSidecars(path, folders);
  return existing;
}

interface CheckedTarget {
  readonly existing: Stats | null;
  /** One input file of each folder. */
  readonly folders: ReadonlyMap<string, string>;
}

/** Checks the output against inputs without sidecar files. */
export function checkTarget(path: string | undefined, inputs: readonly string[]): CheckedTarget {
  if (path === undefined || path === '-') return { existing: null, folders: new Map() };
  if (path === '') throw new UsageError('-o needs a file name');
  const existing = withIoErrors(path, () => statOf(path));
  if (existing === null && isNotUtf8(path)) throw new UserError('cannot be written', { where: path });
  if (existing?.isDirectory() === true) throw new UserError('is a directory', { where: path, hint: '-o takes a file' });
  const folders = existing === null ? new Map<string, string>() : refuseInputs(path, inputs);
  withIoErrors(path, () => {
    // A user who made a file read-only wants to keep it, although renaming onto it would work.
    if (existing !== null) accessSync(path, constants.W_OK);
    // A new file is written next to the old one; a device or a pipe is written directly.
    if (existing?.isFile() !== false) {
      accessSync(dirname(targetOf(path)), constants.W_OK | constants.X_OK);
    }
  });
  return { existing, folders };
}

/** The file that a path leads to through links, whether it exists or not. */
export function targetOf(path: string): string {
  let target = path;
  while (lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    // The link is relative to its own folder, which may itself be reached through a link.
    target = resolve(realpathSync(dirname(target)), readlinkSync(target));
  }
  return target;
}

function toStdout(body: Body): Promise<void> {
  const file = withIoErrors(STDOUT, () => stdoutFile());
  return file === null ? toStream(process.stdout, STDOUT, body) : writeTo(() => file, STDOUT, body);
}

async function toStream(stream: Writable, name: string, body: Body): Promise<void> {
  const sink = new TextSink(stream, name);
  await body(sink.write, () => sink.drain());
  await sink.drain();
}

/** Writes next to the target and renames at the end, so that the target is never half-written. */
async function toFile(target: string, name: string, body: Body): Promise<void> {
  // A short unique name: the target's name may already have the maximum length, and a killed process may have left a
  // temporary file.
  const temporary = join(dirname(target), `.dparse-${randomBytes(8).toString('hex')}.part`);
  const remove = (): void => rmSync(temporary, { force: true });
  const opened: number[] = [];
  const close = (): void => withIoErrors(name, () => opened.splice(0).forEach((file) => closeSync(file)));
  let release = (): void => undefined;
  const open = (): number => {
    // This is done before the file exists, because a signal may come at any time after that.
    release = removedAtEnd(temporary, remove);
    const file = withIoErrors(name, () => openSync(temporary, 'wx'));
    opened.push(file);
    return file;
  };
  try {
    await writeTo(open, name, body).finally(close);
    withIoErrors(name, () => renameSync(temporary, target));
  } catch (error) {
    remove();
    throw error;
  } finally {
    release();
  }
}

/**
 * Writes to a file are synchronous, without a stream or waiting. The file is opened at the first write, so that a
 * computation which fails earlier leaves nothing to remove.
 */
async function writeTo(open: () => number, name: string, body: Body): Promise<void> {
  let parts: string[] = [];
  let size = 0;
  let file: number | null = null;
  const writeBytes = (bytes: Uint8Array): void => {
    const opened = (file ??= open());
    withIoErrors(name, () => writeFully(opened, bytes));
  };
  const flush = (): void => {
    const bytes = Buffer.from(parts.join(''));
    parts = [];
    size = 0;
    writeBytes(bytes);
  };
  const write: Write = (data) => {
    if (typeof data !== 'string') {
      flush();
      writeBytes(data);
      return;
    }
    parts.push(data);
    size += data.length;
    if (size >= FILE_BATCH) flush();
  };
  await body(write, () => {
    flush();
    return Promise.resolve();
  });
  flush();
}

/** Runs a function that writes; a system error becomes a UserError that states the reason. */
export function withIoErrors<T>(name: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof Error ? asOutputError(error, name) : error;
  }
}
