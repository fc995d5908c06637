/** A thread that reads tables of a database, alone or with others: it answers with what it has read. */
import { parentPort, workerData } from 'node:worker_threads';
import { SharedBlocks, type BlockMemory } from '../../src/parse/sqlite/shared-blocks.js';
import { numberOf, SqliteFile, type Filter, type Selection } from '../../src/parse/sqlite/sqlite.js';

/** A table to read. */
export interface TableToRead {
  readonly table: string;
  readonly select: readonly Selection[];
  readonly filter?: Filter;
  readonly isReal?: boolean;
}

export interface ReadingTask {
  readonly path: string;
  readonly tables: readonly TableToRead[];
  readonly memory: BlockMemory | null;
  readonly thread: number;
  /** Ends the thread when it has taken so many rows. */
  readonly endAfter?: number;
}

/** What was read of a table: its numbers, row by row, and how many of its rows are bad. */
export interface TableRead {
  readonly cells: readonly number[];
  readonly bad: number;
}

/** Reads the tables in turn. @returns an error's message in place of what follows it */
export function readTables({ path, tables, memory, thread, endAfter = Infinity }: ReadingTask): (TableRead | string)[] {
  const file = SqliteFile.open(path);
  if (memory !== null) file.shared = new SharedBlocks(memory, thread);
  const read: (TableRead | string)[] = [];
  let rows = 0;
  try {
    for (const { table, select, filter = [], isReal = false } of tables) {
      const cells: number[] = [];
      const before = file.diagnostics.get('bad-row');
      const take = (row: readonly number[]): void => {
        cells.push(...row);
        if (++rows === endAfter) process.exit();
      };
      file.eachNumbers(table, select, take, filter, ...(isReal ? [numberOf] : []));
      read.push({ cells, bad: file.diagnostics.get('bad-row') - before });
    }
  } catch (error) {
    read.push(String(error));
  } finally {
    file.close();
  }
  return read;
}

if (parentPort !== null) parentPort.postMessage(readTables(workerData as ReadingTask));
