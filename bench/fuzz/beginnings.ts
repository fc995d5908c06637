/** The beginning of an input, until some kernels have ended: read in a fraction of the time, so damaged more often. */
import Database from 'better-sqlite3';
import type { ProfileLine } from '../../src/record/record.js';
import type { Base, Files } from './input.js';

const KERNELS = 8;

type Cut = (bytes: Buffer) => Buffer | null;

const CUTS: readonly (readonly [names: RegExp, cut: Cut])[] = [
  [/\.(?:sqlite|sql|db)$/, databaseBeginning],
  [/\.json$/, traceBeginning],
  [/\.csv$/, (bytes) => firstLines(bytes, KERNELS)],
];

/** An input with each of its files cut; null where there is nothing to cut off. */
export function beginningOf(base: Base): Base | null {
  const files: Files = Object.fromEntries(
    Object.entries(base.files).map(([name, bytes]) => {
      const cut = CUTS.find(([names]) => names.test(name))?.[1];
      return [name, cut?.(bytes) ?? bytes];
    }),
  );
  const isCut = Object.entries(files).some(([name, bytes]) => bytes.length < (base.files[name]?.length ?? 0));
  return isCut ? { ...base, name: `beginning of ${base.name}`, files } : null;
}

function firstLines(bytes: Buffer, count: number): Buffer {
  const lines = bytes.toString('latin1').split('\n');
  return Buffer.from(lines.slice(0, 1 + count).join('\n') + '\n', 'latin1');
}

/** Columns of time, by what the exporters call them. */
const TIMES = ['start', 'startNs', 'timestamp'];
/** Tables of device work, likewise. */
const WORK = /^(?:CUPTI_ACTIVITY_KIND_(?:CONCURRENT_)?KERNEL|TASK)$/;

interface Timed {
  readonly table: string;
  readonly time: string;
}

function databaseBeginning(bytes: Buffer): Buffer | null {
  const database = new Database(bytes);
  try {
    const timed = timedTables(database);
    const work = timed.find(({ table }) => WORK.test(table));
    if (work === undefined) return null;
    const from = `FROM "${work.table}" ORDER BY "${work.time}" LIMIT 1 OFFSET ${KERNELS}`;
    const end = database.prepare(`SELECT "${work.time}" ${from}`).safeIntegers().pluck().get() as bigint | undefined;
    if (end === undefined) return null;
    for (const { table, time } of timed) database.prepare(`DELETE FROM "${table}" WHERE "${time}" >= ?`).run(end);
    for (const table of emptyTables(database)) database.exec(`DROP TABLE "${table}"`);
    database.exec('VACUUM');
    return database.serialize();
  } finally {
    database.close();
  }
}

const tablesOf = (database: Database.Database): string[] =>
  database
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .pluck()
    .all() as string[];

/** Each table costs every run, also without rows. */
const emptyTables = (database: Database.Database): string[] =>
  tablesOf(database).filter((table) => database.prepare(`SELECT 1 FROM "${table}" LIMIT 1`).get() === undefined);

function timedTables(database: Database.Database): Timed[] {
  return tablesOf(database).flatMap((table) => {
    const names = database.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];
    const time = TIMES.find((name) => names.includes(name));
    return time === undefined ? [] : [{ table, time }];
  });
}

interface TraceEvent {
  readonly ph?: string;
  readonly cat?: string;
  readonly ts?: number | string;
}

/** Events of a trace that start before the next kernel. */
function traceBeginning(bytes: Buffer): Buffer | null {
  const trace = JSON.parse(bytes.toString('utf8')) as TraceEvent[] | { traceEvents?: TraceEvent[] };
  const events = Array.isArray(trace) ? trace : trace.traceEvents;
  if (events === undefined) return null;
  const isWork = ({ cat }: TraceEvent): boolean => cat === undefined || /^kernel$/i.test(cat);
  const starts = events.flatMap((event) => (event.ph === 'X' && isWork(event) ? [Number(event.ts)] : []));
  const end = starts.sort((a, b) => a - b)[KERNELS];
  if (end === undefined) return null;
  const kept = events.filter(({ ph, ts }) => ph === 'M' || Number(ts) < end);
  return Buffer.from(JSON.stringify(Array.isArray(trace) ? kept : { ...trace, traceEvents: kept }));
}

/** The records of a profile up to its first kernels, as a whole profile. */
export function firstRecords(records: readonly ProfileLine[]): ProfileLine[] {
  const ends = records.flatMap(({ type }, at) => (type === 'kernel' ? [at] : []));
  const kept = records.slice(0, (ends[KERNELS - 1] ?? records.length) + 1).filter(({ type }) => type !== 'end');
  const counts: Record<string, number> = {};
  for (const { type } of kept) if (type !== 'profile') counts[type] = (counts[type] ?? 0) + 1;
  return [...kept, ...records.flatMap((record) => (record.type === 'end' ? [{ ...record, counts }] : []))];
}
