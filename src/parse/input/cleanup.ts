/**
 * What is removed however the process ends: at its exit, and when a signal ends it. Handlers of signals wait for a turn of
 * the event loop: the programs have files removed from outside (`removeBy`).
 */
import { resolve } from 'node:path';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface Remover {
  readonly stop: () => void;
  /** What it does, by those that asked for it. */
  readonly users: Set<() => void>;
}

/**
 * Starts what removes all that has names that begin with a path when this process has ended.
 * @returns stops it; null where it cannot be started
 */
type StartRemover = (prefix: string) => (() => void) | null;

let start: StartRemover = () => null;

/** From now on files are removed from outside, and signals need no handlers for them. */
export function removeBy(starter: StartRemover): void {
  start = starter;
}

/** By the beginning of names. */
const removers = new Map<string, Remover>();

/** What is to be done in the end. */
const cleanups = new Set<() => void>();
/** Those of them that signals do as well. */
const heard = new Set<() => void>();
let isListening = false;

/** Removes now what would be removed at the end: for a process that is about to be killed. */
export function cleanUp(): void {
  for (const clean of cleanups) clean();
  cleanups.clear();
  heard.clear();
}

/** Cleans up, then lets the signal end the process as it would have, unless the program has plans of its own. */
function interrupted(signal: NodeJS.Signals): void {
  cleanUp();
  for (const other of SIGNALS) process.off(other, interrupted);
  isListening = false;
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}

/**
 * Does something when the process ends before it is done otherwise. Signals wait for a turn of the event loop meanwhile:
 * not for commands that compute.
 * @returns ends this
 */
export function atEnd(clean: () => void): () => void {
  heard.add(clean);
  if (!isListening) for (const signal of SIGNALS) process.on(signal, interrupted);
  isListening = true;
  const release = atExit(clean);
  return () => {
    release();
    if (!heard.delete(clean) || heard.size > 0) return;
    // A signal that has arrived is heard at the next turn: ignored before that, it would be lost.
    setImmediate(() => setImmediate(ignoreSignals));
  };
}

/**
 * Removes what has names that begin with a path when the process ends before that is done otherwise. Signals end the
 * process at once, as if there was nothing to remove.
 * @param prefix of names that nothing else has
 * @param remove the same by this process
 * @returns ends this
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
