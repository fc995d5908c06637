/** A worker thread of `dparse`: one profile → lines of text, to the main thread piece by piece or into a file. */
import { parentPort, workerData } from 'node:worker_threads';
import { UserError } from '../../record/errors.js';
import { outcomeOf, parseOne, type Outcome } from './one.js';
import type { WorkerAnswer, Job } from './workers.js';
import { appendTo } from '../../parse/input/temporary-file.js';
import type { Write } from '../output.js';

const { ordinal, path, name, file, captures, options, output } = workerData as Job;
const profile = { ordinal, source: { path, name, file, captures, dispose: () => undefined } };
const silent = { at: () => undefined, clear: () => undefined };

/** Pieces sent and not yet taken: enough that neither thread waits for the other, and a bound on memory. */
const IN_FLIGHT = 8;

/** Sends bytes to the main thread, which acknowledges every piece it has received. Their memory is transferred. */
async function toMainThread(body: (write: Write) => Promise<void>): Promise<void> {
  let inFlight = 0;
  let wake: (() => void) | null = null;
  const taken = (): void => {
    inFlight--;
    wake?.();
  };
  parentPort?.on('message', taken);
  await body((data) => {
    const bytes = typeof data === 'string' ? Uint8Array.from(Buffer.from(data)) : data;
    inFlight++;
    parentPort?.postMessage({ bytes } satisfies WorkerAnswer, [bytes.buffer as ArrayBuffer]);
    return inFlight < IN_FLIGHT ? undefined : new Promise<void>((resolve) => (wake = resolve));
  });
  parentPort?.off('message', taken);
}

let outcome: Outcome = outcomeOf(undefined);
const body = async (write: Write): Promise<void> => {
  outcome = await parseOne(profile, options, write, silent);
};
const toFile = (file: number): Promise<void> =>
  body((data) => appendTo(file, typeof data === 'string' ? Buffer.from(data) : data, name));

function answerOf(result: Outcome): WorkerAnswer {
  return result instanceof UserError ? { what: result.what, detail: result.detail } : { outcome: result };
}

try {
  await (output === null ? toMainThread(body) : toFile(output));
  parentPort?.postMessage(answerOf(outcome));
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  // An error that crosses threads loses its class.
  parentPort?.postMessage({ ...answerOf(error), isBroken: true });
}
