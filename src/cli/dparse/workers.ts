/**
 * Profiles parsed in worker threads. A large one has a thread of its own: parsing has room for short-lived objects
 * there, and the main thread writes meanwhile and hears signals. Several at a time go each into a temporary file, and
 * the files are copied out in the order of the inputs: the stream does not depend on the number of workers.
 */
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FoundProfile } from '../../parse/find.js';
import { UserError } from '../../record/errors.js';
import type { Outcome, ParseOptions } from './one.js';
import type { Write } from '../output.js';
import type { Progress } from '../progress.js';

/** Input of a worker, as `workerData`. */
export interface Job {
  readonly ordinal: number;
  readonly path: string;
  readonly name: string;
  readonly file: string;
  readonly options: ParseOptions;
  /** File for the lines; null to send them to the main thread. */
  readonly output: string | null;
}

/** Messages of a worker: bytes of lines, then an outcome or the parts of a UserError. */
export type WorkerAnswer =
  | { readonly bytes: Uint8Array }
  | { readonly outcome: Exclude<Outcome, UserError> }
  | { readonly what: string; readonly detail: UserError['detail'] };

export async function parseMany(
  profiles: readonly FoundProfile[],
  options: ParseOptions,
  jobs: number,
  write: Write,
  note: (profile: FoundProfile, outcome: Outcome) => void,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dparse-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.on('exit', remove);
  try {
    const spool = ({ ordinal }: FoundProfile): string => join(folder, `${ordinal}.jsonl`);
    const started: Promise<Outcome>[] = [];
    const start = (): void => {
      const profile = profiles[started.length];
      if (profile === undefined) return;
      const outcome = runWorker(profile, options, spool(profile));
      // Awaited below in order; until then a rejection must not count as unhandled.
      outcome.catch(() => undefined);
      void outcome.finally(start).catch(() => undefined);
      started.push(outcome);
    };
    for (let i = 0; i < jobs; i++) start();
    for (const [i, profile] of profiles.entries()) {
      const outcome = await started[i];
      if (outcome === undefined) continue;
      note(profile, outcome);
      if (outcome instanceof UserError) continue;
      for await (const chunk of createReadStream(spool(profile), 'utf8')) await write(chunk as string);
      rmSync(spool(profile));
    }
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/** One profile in a thread of its own. */
export const parseLarge = (
  profile: FoundProfile,
  options: ParseOptions,
  write: Write,
  meter: Progress,
): Promise<Outcome> => {
  let written = 0;
  return runWorker(profile, options, null, async (bytes) => {
    await write(bytes);
    meter.at((written += bytes.length), null);
  });
};

/**
 * Size of V8's young generation in MB where the reader states none: at V8's default of 48 a fifth of the time goes into
 * copying the survivors of collections that a larger one does not need.
 */
const YOUNG_GENERATION_MB = 192;

function runWorker(
  profile: FoundProfile,
  options: ParseOptions,
  output: string | null,
  take?: (bytes: Uint8Array) => Promise<void>,
): Promise<Outcome> {
  const { ordinal, source, reader } = profile;
  const job: Job = { ordinal, path: source.path, name: source.name, file: source.file, options, output };
  const resourceLimits = { maxYoungGenerationSizeMb: reader.youngGenerationMb ?? YOUNG_GENERATION_MB };
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: job, resourceLimits });
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      void worker.terminate();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    // One piece after the other: the output may ask to be waited for, and the outcome comes after the last piece.
    let turn = Promise.resolve();
    const receive = async (answer: WorkerAnswer): Promise<void> => {
      if ('bytes' in answer) {
        await take?.(answer.bytes);
        worker.postMessage('taken');
      } else resolve('outcome' in answer ? answer.outcome : new UserError(answer.what, answer.detail));
    };
    worker.on('message', (answer: WorkerAnswer) => {
      turn = turn.then(() => receive(answer)).catch(fail);
    });
    worker.once('error', fail);
    // A worker ends when all is sent; what it sent may still be in turn.
    worker.once('exit', (code) => {
      void turn.then(() => reject(new Error(`a worker ended with code ${code}`)));
    });
  });
}
