/** A database whose rows a reader hands to a `TraceBuilder`, with the clock of its times. */
import { databaseOf, type Probe } from '../reader.js';
import { TraceBuilder } from '../trace/trace-builder.js';
import { DatabaseClock, type TimeColumn } from './database-clock.js';
import type { SqliteFile } from './sqlite.js';

export interface DatabaseTrace {
  readonly database: SqliteFile;
  readonly trace: TraceBuilder;
  readonly clock: DatabaseClock;
}

/** The profile's string table: its name, and the columns with the text and with its number. */
type StringTable = readonly [table: string, column: string, key: string];

/**
 * @param times columns of times; the first one with a value gives the time that all count from
 * @throws RangeError when the input is not a database
 */
export function databaseTrace(probe: Probe, times: readonly TimeColumn[], strings?: StringTable): DatabaseTrace {
  const database = databaseOf(probe);
  const trace = new TraceBuilder(strings && database.texts(...strings));
  database.diagnostics = trace.diagnostics;
  return { database, trace, clock: new DatabaseClock(database, times) };
}
