/**
 * A worker thread of `dparse`: parses profiles into lines of text, which go to the main thread piece by piece or into a
 * file.
 */
import { parentPort } from 'node:worker_threads';
import { UserError } from '../../record/errors.js';
import { parseOne, type Outcome } from './one.js';
import type { Job, WorkerAnswer, WorkerRequest } from './worker-pool.js';
import { appendTo } from '../../parse/input/temporary-file.js';
import type { Write } from '../output.js';
import { SILENT } from '../progress.js';

/** Pieces sent but not yet processed: enough that neither thread waits for the other, and few enough to limit memory. */
const IN_FLIGHT = 8;

let inFlight = 0;
let wake: (() => void) | null = null;

function taken(): void {
  inFlight--;
  wake?.();
}

const answer = (message: WorkerAnswer, transferred: ArrayBuffer[] = []): void => {
  parentPort?.postMessage(message, transferred);
};

/** Sends bytes to the main thread, which acknowledges every piece. Their memory is transferred, not copied. */
function toMainThread(data: string | Uint8Array): undefined | Promise<void> {
  const bytes = typeof data === 'string' ? Uint8Array.from(Buffer.from(data)) : data;
  inFlight++;
  answer({ bytes }, [bytes.buffer as ArrayBuffer]);
  return inFlight < IN_FLIGHT ? undefined : new Promise<void>((resolve) => (wake = resolve));
}

const answerOf = (result: Outcome): WorkerAnswer =>
  result instanceof UserError ? { what: result.what, detail: result.detail } : { outcome: result };

async function parse({ ordinal, path, name, file, captures, options, output }: Job): Promise<void> {
  const profile = { ordinal, source: { path, name, file, captures, dispose: () => undefined } };
  const write: Write = output === null ? toMainThread : (data) => appendTo(output, data, name);
  try {
    answer(answerOf(await parseOne(profile, options, write, SILENT)));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // An error loses its class when it is sent between threads.
    answer({ what: error.what, detail: error.detail, isBroken: true });
  }
}

parentPort?.on('message', (request: WorkerRequest) => {
  if (request === 'taken') taken();
  else if (request === 'end') parentPort?.close();
  else void parse(request);
});
