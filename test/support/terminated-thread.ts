/** A thread that is terminated during a call of SQLite which then fails, or in a call with no end. */
import { parentPort, workerData } from 'node:worker_threads';
import { createDatabase } from '../../src/parse/sqlite/sqlite-library.js';
import { betweenCalls, duringCall, setTermination, type Termination } from '../../src/parse/sqlite/termination.js';

/** Counts for about half a second, then fails. */
const FAILING = `WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT json('{' || max(i)) FROM n`;

export interface TerminatedTask {
  readonly termination: Termination;
  readonly isEndless: boolean;
}

const { termination, isEndless } = workerData as TerminatedTask;
setTermination(termination);
const database = createDatabase(':memory:');
duringCall(() => {
  parentPort?.postMessage('in a call');
  while (isEndless) betweenCalls();
  database.exec(`CREATE TABLE t AS ${FAILING}`);
});
