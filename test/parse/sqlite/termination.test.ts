import { expect } from 'chai';
import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { newTermination, terminate } from '../../../src/parse/sqlite/termination.js';
import type { TerminatedTask } from '../../support/terminated-thread.js';
import { within } from '../../support/waits.js';

describe('termination of a thread that reads a database', () => {
  const file = new URL(`../../support/terminated-thread${extname(import.meta.url)}`, import.meta.url);

  // Without waiting for the call, better-sqlite3 would abort this process.
  for (const isEndless of [false, true])
    it(isEndless ? 'happens between two calls' : 'waits for a call that fails', async () => {
      const termination = newTermination();
      const worker = new Worker(file, { workerData: { termination, isEndless } satisfies TerminatedTask });
      let error: unknown = null;
      worker.on('error', (thrown) => (error = thrown));
      await within('the thread to be in a call', once(worker, 'message'));
      const ended = once(worker, 'exit');
      await within('the thread to be terminated', terminate(worker, termination));
      expect(await ended).to.deep.equal([1]);
      expect(error).to.equal(null);
    });
});
