/** A worker thread of `dparse -j`: one profile → one file of lines. */
import { parentPort, workerData } from 'node:worker_threads';
import { UserError } from '../record/errors.js';
import { parseOne } from './dparse-one.js';
import type { Answer, Job } from './dparse-workers.js';
import { withOutput } from './output.js';

const { ordinal, path, name, file, options, output } = workerData as Job;
const source = { path, name, file, dispose: () => undefined };
const silent = { at: () => undefined, clear: () => undefined };

let answer: Answer = { outcome: { counts: {}, oddities: [] } };
await withOutput(output, [], async (write) => {
  const outcome = await parseOne({ ordinal, source }, options, write, silent);
  answer = outcome instanceof UserError ? { what: outcome.what, detail: outcome.detail } : { outcome };
});
parentPort?.postMessage(answer);
