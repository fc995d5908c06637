/**
 * Removes files however the process ends: when it exits, and when a signal ends it. Signal handlers must wait for a turn of
 * the event loop, so the programs have files removed by another process (`removeBy`).
 */
import { resolve } from 'node:path';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface Remover {
  readonly stop: () => void;
  /** Functions of this process that remove the same files, one for each user. */
  readonly users: Set<() => void>;
}

/**
 * Starts another process that removes all files whose paths begin with `prefix` when this process has ended.
 * @returns a function that stops it; null when it cannot be started
 */
type StartRemover = (prefix: string) => (() => void) | null;

let start: StartRemover = () => null;

/** From now on, another process removes the files, so signals need no handlers. */
export function removeBy(starter: StartRemover): void {
  start = starter;
}

/** Functions that remove files, by the prefix of the files' paths. */
const removers = new Map<string, Remover>();

/** Functions to call when the process ends. */
const cleanups = new Set<() => void>();
/** Handlers that also run on signals. */
const heard = new Set<() => void>();
let isListening = false;

/** Runs all clean-ups now, for a process that is about to be killed. */
export function cleanUp(): void {
  for (const clean of cleanups) clean();
  cleanups.clear();
  heard.clear();
}

/** Cleans up, then lets the signal end the process as usual, unless the program has its own handler. */
function interrupted(signal: NodeJS.Signals): void {
  cleanUp();
  for (const other of SIGNALS) process.off(other, interrupted);
  isListening = false;
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}

/**
 * Runs a function when the process ends, unless it is released before. Until then, signals wait for a turn of the event
 * loop, so commands that compute for long must not use this.
 * @returns a function that releases it
 */
export function atEnd(clean: () => void): () => void {
  heard.add(clean);
  if (!isListening) for (const signal of SIGNALS) process.on(signal, interrupted);
  isListening = true;
  const release = atExit(clean);
  return () => {
    release();
    if (!heard.delete(clean) || heard.size > 0) return;
    // A signal that has already arrived is delivered in the next turn. If the handlers were removed before, it would be
    // lost.
    setImmediate(() => setImmediate(ignoreSignals));
  };
}

/**
 * Removes files with a path prefix when the process ends, unless released before. Signals still end the process at
 * once.
 * @param prefix prefix that no other paths have
 * @param remove does the same from within this process
 * @returns a function that releases it
 */
export function removedAtEnd(prefix: string, remove: () => void): () => void {
  const path = resolve(prefix);
  const remover = removers.get(path) ?? started(path);
  if (remover === null) return atEnd(remove);
  remover.users.add(remove);
  const release = atExit(remove);
  return () => {
    release();
    if (!remover.users.delete(remove) || remover.users.size > 0) return;
    removers.delete(path);
    remover.stop();
  };
}

function started(path: string): Remover | null {
  const stop = start(path);
  if (stop === null) return null;
  const remover = { stop, users: new Set<() => void>() };
  removers.set(path, remover);
  return remover;
}

function atExit(clean: () => void): () => void {
  if (cleanups.size === 0) process.on('exit', cleanUp);
  cleanups.add(clean);
  return () => {
    if (cleanups.delete(clean) && cleanups.size === 0) process.off('exit', cleanUp);
  };
}

function ignoreSignals(): void {
  if (heard.size > 0) return;
  for (const signal of SIGNALS) process.off(signal, interrupted);
  isListening = false;
}
