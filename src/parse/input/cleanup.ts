/** What is removed however the process ends: at its exit, and when a signal ends it. */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What is to be done in the end. */
const cleanups = new Set<() => void>();
let isListening = false;

/** Removes now what would be removed at the end: for a process that is about to be killed. */
export function cleanUp(): void {
  for (const clean of cleanups) clean();
  cleanups.clear();
}

/** Cleans up, then lets the signal end the process as it would have, unless the program has plans of its own. */
function interrupted(signal: NodeJS.Signals): void {
  cleanUp();
  for (const other of SIGNALS) process.off(other, interrupted);
  isListening = false;
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}

/**
 * Does something when the process ends before it is done otherwise. Signals wait for a turn of the event loop
 * meanwhile: to be used for as long as needed and no longer.
 * @returns ends this
 */
export function atEnd(clean: () => void): () => void {
  if (cleanups.size === 0) process.on('exit', cleanUp);
  cleanups.add(clean);
  if (!isListening) for (const signal of SIGNALS) process.on(signal, interrupted);
  isListening = true;
  return () => {
    if (!cleanups.delete(clean) || cleanups.size > 0) return;
    process.off('exit', cleanUp);
    // A signal that has arrived is heard at the next turn: ignored before that, it would be lost.
    setImmediate(() => setImmediate(ignoreSignals));
  };
}

function ignoreSignals(): void {
  if (cleanups.size > 0) return;
  for (const signal of SIGNALS) process.off(signal, interrupted);
  isListening = false;
}
