/**
 * A worker thread of `dparse`: parses profiles into lines of text, which go to the main thread piece by piece or into a
 * file.
 */
import { parentPort } from 'node:worker_threads';
import { SharedBlocks } from '../../parse/sqlite/shared-blocks.js';
import { setTermination } from '../../parse/sqlite/termination.js';
import { UserError } from '../../record/errors.js';
import { parseOne, parsePart, type Outcome } from './one.js';
import { identityOf, type Job, type Slices, type WorkerAnswer, type WorkerRequest } from './worker-pool.js';
import { appendTo } from '../../parse/input/temporary-file.js';
import type { Write } from '../output.js';
import { SILENT } from '../progress.js';

/** Pieces sent but not yet processed: enough that neither thread waits for the other, and few enough to limit memory. */
const IN_FLIGHT = 8;

let inFlight = 0;
let wake: (() => void) | null = null;

function acknowledged(): void {
  inFlight--;
  wake?.();
}

const answer = (message: WorkerAnswer, transferred: ArrayBuffer[] = []): void => {
  parentPort?.postMessage(message, transferred);
};

/**
 * Sends bytes to the main thread, which acknowledges every piece. Their memory is transferred, not copied.
 * @param slice the slice that the bytes belong to, when several threads share a profile
 */
function toMainThread(data: string | Uint8Array, slice?: number): undefined | Promise<void> {
  const bytes = typeof data === 'string' ? Uint8Array.from(Buffer.from(data)) : data;
  inFlight++;
  answer({ bytes, ...(slice === undefined ? undefined : { slice }) }, [bytes.buffer as ArrayBuffer]);
  return inFlight < IN_FLIGHT ? undefined : new Promise<void>((resolve) => (wake = resolve));
}

const answerOf = (result: Outcome): WorkerAnswer =>
  result instanceof UserError ? { what: result.what, detail: result.detail } : { outcome: result };

async function parse(job: Job): Promise<void> {
  const { ordinal, path, name, file, captures, options, output, slices } = job;
  const profile = { ordinal, source: { path, name, file, captures, dispose: () => undefined } };
  setTermination(job.termination);
  try {
    if (slices === null) {
      const write: Write = output === null ? (data) => toMainThread(data) : (data) => appendTo(output, data, name);
      answer(answerOf(await parseOne(profile, options, write, SILENT)));
    } else await parseSlices(profile, options, slices);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // An error loses its class when it is sent between threads.
    answer({ what: error.what, detail: error.detail, isBroken: true });
  }
}

/** Makes those slices of a large profile that no other thread has taken. */
async function parseSlices(
  profile: Parameters<typeof parsePart>[0],
  options: Job['options'],
  { taken, size, blocks, thread, identity }: Slices,
): Promise<void> {
  let slice: number | null = null;
  const onOpen = (): void => {
    const { path, name } = profile.source;
    if (identityOf(path) === identity) return;
    throw new UserError('was replaced or changed while it was opened', { where: name, hint: 'run dparse again' });
  };
  const next = (): number => {
    if (slice !== null) answer({ complete: slice });
    return (slice = Atomics.add(taken, 0, 1));
  };
  const part = await parsePart(profile, options, (data) => toMainThread(data, slice ?? 0), {
    ...{ size, next, onOpen, blocks: new SharedBlocks(blocks, thread) },
  });
  answer(part instanceof UserError ? { what: part.what, detail: part.detail } : { part });
}

parentPort?.on('message', (request: WorkerRequest) => {
  if (request === 'taken') acknowledged();
  else if (request === 'end') parentPort?.close();
  else void parse(request);
});
