/** One job at a time in a folder: a file names the process that holds it, and its time shows that the process is alive. */
import { closeSync, openSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { atEnd } from '../../../parse/input/cleanup.js';
import { writeFully } from '../../../parse/files.js';
import { isSystemError, systemReason, UserError } from '../../../record/errors.js';
import { PLACES, type JobFolder } from './job-folder.js';

/** Between two signs of life, in ms. */
const SIGN_MS = 15_000;
/** Age in ms of its last sign from which a process on another machine counts as dead. */
const DEAD_MS = 120_000;

interface Holder {
  readonly host: string;
  readonly pid: number;
}

/**
 * Takes the folder for this process.
 * @returns gives it back
 * @throws UserError where another process holds it, or nothing can be written
 */
export function lockFolder(folder: JobFolder): () => void {
  const path = folder.at(PLACES.lock);
  for (;;) {
    if (create(path)) return held(path);
    removeDead(folder, path);
  }
}

/** @returns whether there was none */
function create(path: string): boolean {
  try {
    const file = openSync(path, 'wx');
    try {
      const holder: Holder = { host: hostname(), pid: process.pid };
      writeFully(file, Buffer.from(`${JSON.stringify(holder)}\n`));
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
    return true;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (error.code === 'EEXIST') return false;
    throw new UserError(`cannot write: ${systemReason(error)}`, { where: path });
  }
}

function held(path: string): () => void {
  const remove = (): void => rmSync(path, { force: true });
  const release = atEnd(remove);
  const sign = setInterval(() => {
    try {
      utimesSync(path, new Date(), new Date());
    } catch {
      // Somebody has removed the folder: whatever is written next will say so.
    }
  }, SIGN_MS);
  sign.unref();
  return () => {
    clearInterval(sign);
    remove();
    release();
  };
}

/** @throws UserError for a process that is alive */
function removeDead(folder: JobFolder, path: string): void {
  const holder = holderOf(folder.read(PLACES.lock));
  if (holder === null ? ageOf(path) < SIGN_MS : isAlive(holder, path)) {
    const what = holder === null ? 'a job starts here' : `process ${holder.pid} on ${holder.host} runs a job here`;
    throw new UserError(what, { where: folder.path, hint: 'wait for it, or choose another folder for -o' });
  }
  // Renamed first: another process may be about to remove it too, and must not remove the next holder's.
  const dead = `${path}.${process.pid}`;
  try {
    renameSync(path, dead);
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error;
  }
  rmSync(dead, { force: true });
}

function isAlive({ host, pid }: Holder, path: string): boolean {
  if (host !== hostname()) return ageOf(path) < DEAD_MS;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's.
    return isSystemError(error) && error.code === 'EPERM';
  }
}

const ageOf = (path: string): number => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);

/** Null for a text that a process has not written to its end. */
function holderOf(text: string | null): Holder | null {
  try {
    return JSON.parse(text ?? '') as Holder;
  } catch {
    return null;
  }
}
