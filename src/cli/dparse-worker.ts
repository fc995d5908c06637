/**
 * A worker thread of `dparse`: one profile → lines of text, to the main thread piece by piece or into a file.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { UserError } from '../record/errors.js';
import { parseOne, type Outcome } from './dparse-one.js';
import type { Answer, Job } from './dparse-workers.js';
import { withOutput, type Write } from './output.js';

const { ordinal, path, name, file, options, output } = workerData as Job;
const profile = { ordinal, source: { path, name, file, dispose: () => undefined } };
const silent = { at: () => undefined, clear: () => undefined };

/** Pieces sent and not yet taken: enough that neither thread waits for the other, and a bound on memory. */
const IN_FLIGHT = 8;
const PIECE = 256 * 1024;

const post = (answer: Answer): void => {
  parentPort?.postMessage(answer);
};

/** Sends text to the main thread, which answers every piece it has taken. */
async function toMainThread(body: (write: Write) => Promise<void>): Promise<void> {
  let parts: string[] = [];
  let size = 0;
  let inFlight = 0;
  let wake: (() => void) | null = null;
  const taken = (): void => {
    inFlight--;
    wake?.();
  };
  parentPort?.on('message', taken);
  const send = (): void => {
    inFlight++;
    post({ text: parts.join('') });
    parts = [];
    size = 0;
  };
  await body((text) => {
    parts.push(text);
    size += text.length;
    if (size < PIECE) return undefined;
    send();
    return inFlight < IN_FLIGHT ? undefined : new Promise<void>((resolve) => (wake = resolve));
  });
  if (parts.length > 0) send();
  parentPort?.off('message', taken);
}

let outcome: Outcome = { counts: {}, oddities: [] };
const body = async (write: Write): Promise<void> => {
  outcome = await parseOne(profile, options, write, silent);
};
await (output === null ? toMainThread(body) : withOutput(output, [], body));
post(outcome instanceof UserError ? { what: outcome.what, detail: outcome.detail } : { outcome });
