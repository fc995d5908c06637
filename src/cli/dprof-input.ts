/** Where the records come from: a file or stdin of records, or a profile that is parsed on the way. */
import { statSync } from 'node:fs';
import { openFile, openStream, type Input } from '../prof/lines.js';
import { readRecords } from '../prof/records.js';
import type { RecordBatches } from '../prof/report.js';
import { UsageError, UserError } from '../record/errors.js';
import type { ProfileLine } from '../record/record.js';
import { USAGE } from './dprof-options.js';
import type { Progress } from './progress.js';

export interface Source {
  /** For messages. */
  readonly name: string;
  readonly batches: RecordBatches;
  readonly close: () => void;
}

const SQLITE = 'SQLite format 3\0';

/**
 * @param file undefined or '-' for stdin
 * @throws UserError when there is nothing to read, UsageError when nobody will ever write
 */
export async function openSource(file: string | undefined, progress: Progress): Promise<Source> {
  const onStdin = file === undefined || file === '-';
  if (onStdin && process.stdin.isTTY) throw new UsageError('no FILE, and stdin is a terminal', `usage: ${USAGE}`);
  let done = 0;
  const total = onStdin ? null : (statSync(file, { throwIfNoEntry: false })?.size ?? null);
  const onBytes = (bytes: number): void => {
    progress.at((done += bytes), total);
  };
  const input = onStdin ? await openStream(process.stdin, 'stdin', onBytes) : await openFile(file, onBytes);
  if (!isSqlite(input)) return { name: input.name, batches: readRecords(input), close: input.close };
  input.close();
  if (onStdin)
    throw new UserError('a profile cannot be read from a pipe', {
      where: 'stdin',
      hint: 'dprof FILE, or dparse FILE | dprof',
    });
  return { name: file, batches: await profileBatches(file), close: input.close };
}

const isSqlite = ({ head }: Input): boolean => head.subarray(0, SQLITE.length).toString('latin1') === SQLITE;

const BATCH = 1000;

/** A profile's records. The database library is only loaded here: records alone never need it. */
async function profileBatches(path: string): Promise<AsyncIterable<readonly ProfileLine[]>> {
  const { readProfile } = await import('../parse/profile.js');
  return inBatches(readProfile(path, { profile: 0 }));
}

/** Batches, with a turn of the event loop after each: signals and a closed output are noticed between them. */
async function* inBatches(records: Iterable<ProfileLine>): AsyncGenerator<readonly ProfileLine[]> {
  let batch: ProfileLine[] = [];
  for (const record of records) {
    if (batch.push(record) < BATCH) continue;
    yield batch;
    batch = [];
    await new Promise((resolve) => setImmediate(resolve));
  }
  yield batch;
}
