/**
 * Several profiles at a time: each worker thread writes the lines of one profile into a temporary file, and the files
 * are copied out in the order of the inputs, so that the stream does not depend on the number of workers.
 */
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Profile } from '../parse/find.js';
import { UserError } from '../record/errors.js';
import type { Outcome, ParseOptions } from './dparse-one.js';
import type { Write } from './output.js';

/** What a worker is asked, by `workerData`. */
export interface Job {
  readonly ordinal: number;
  readonly path: string;
  readonly name: string;
  readonly file: string;
  readonly options: ParseOptions;
  readonly output: string;
}

/** What it answers: an outcome, an error of the user's in parts, or a defect. */
export type Answer =
  { readonly outcome: Exclude<Outcome, UserError> } | { readonly what: string; readonly detail: UserError['detail'] };

export async function parseMany(
  profiles: readonly Profile[],
  options: ParseOptions,
  jobs: number,
  write: Write,
  note: (profile: Profile, outcome: Outcome) => void,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dparse-'));
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', remove);
  try {
    const spool = ({ ordinal }: Profile): string => join(folder, `${ordinal}.jsonl`);
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

function runWorker(profile: Profile, options: ParseOptions, output: string): Promise<Outcome> {
  const { ordinal, source } = profile;
  const job: Job = { ordinal, path: source.path, name: source.name, file: source.file, options, output };
  const worker = new Worker(new URL('./dparse-worker.js', import.meta.url), { workerData: job });
  return new Promise((resolve, reject) => {
    worker.once('message', (answer: Answer) => {
      resolve('outcome' in answer ? answer.outcome : new UserError(answer.what, answer.detail));
    });
    worker.once('error', reject);
    worker.once('exit', (code) => {
      reject(new Error(`a worker ended with code ${code}`));
    });
  });
}
