/**
 * Repeats a database of the Ascend PyTorch Profiler, so that a short one stands for a long run:
 *
 *   tsx bench/repeat-ascend.ts INPUT.db N OUT.db
 *
 * Copy k has all times moved by k × (length of the profile + a gap), ids by k × (largest + 1), steps numbered on;
 * strings, enumerations and what describes the profile stand there once. The input is only read.
 */
import Database from 'better-sqlite3';
import { fileURLToPath } from 'node:url';
import { SAMPLE_TABLES } from '../src/parse/readers/ascend/database/sample-rows.js';

/** Between two copies, in ns. */
const GAP_NS = 1_000_000n;

/** What numbers stand for: those of one kind move together, in whichever table they are. */
type Kind = 'time' | 'task' | 'collective' | 'chain' | 'op' | 'connection' | 'sequence' | 'step';

const TIMES = 'startNs endNs timestampNs timestamp allocationTime releaseTime activeReleaseTime'.split(' ');
const IDS: Readonly<Record<string, Kind>> = {
  ...Object.fromEntries(TIMES.map((column) => [column, 'time' as const])),
  globalTaskId: 'task',
  opId: 'collective',
  callchainId: 'chain',
  connectionId: 'connection',
  sequenceNumber: 'sequence',
};
/** Columns that mean something else than their name says elsewhere. */
const OWN: Readonly<Record<string, Kind>> = {
  'PYTORCH_API.connectionId': 'op',
  'CONNECTION_IDS.id': 'op',
  'PYTORCH_CALLCHAINS.id': 'chain',
  'STEP_TIME.id': 'step',
};
/** Tables about the whole profile. */
const ONCE =
  /^(STRING_IDS|META_DATA|ENUM_.*|NPU_INFO|HOST_INFO|RANK_DEVICE_MAP|SESSION_TIME_INFO|status_info|connectionCats)$/;
/** Ids that stand for none. */
const NONE = '(-1, 4294967295, 4000000000)';

interface Moved {
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly kind: Kind | undefined }[];
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const number = (name: string): string => `CAST(${quote(name)} AS INTEGER)`;

const OTHER_TABLES = (
  'STRING_IDS PYTORCH_API CONNECTION_IDS PYTORCH_CALLCHAINS STEP_TIME COMPUTE_TASK_INFO TASK TASK_PMU_INFO CANN_API ' +
  'COMMUNICATION_OP COMMUNICATION_TASK_INFO COMMUNICATION_SCHEDULE_TASK_INFO MEMCPY_INFO MSTX_EVENTS GC_RECORD'
).split(' ');

/** Tables that the reader reads. */
export const ASCEND_TABLES: readonly string[] = [...OTHER_TABLES, ...SAMPLE_TABLES.map(({ table }) => table)];

/** @returns kernels in the copy */
export function repeatDatabase(input: string, times: number, output: string): number {
  const out = new Database(output);
  try {
    out.pragma('journal_mode = OFF');
    out.pragma('synchronous = OFF');
    out.prepare('ATTACH ? AS input').run(input);
    out.exec('BEGIN');
    const schema = out
      .prepare("SELECT name, sql FROM input.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all() as { name: string; sql: string }[];
    const tables = schema.map(({ name, sql }) => {
      out.exec(sql);
      return movedOf(out, name);
    });
    const strides = stridesOf(out, tables);
    for (const { table, columns } of tables) {
      const moved = columns.map(({ name, kind }) =>
        kind === undefined
          ? quote(name)
          : `iif(${number(name)} IN ${NONE} OR ${quote(name)} IS NULL, ${quote(name)}, ${number(name)} + ? * ${String(strides.get(kind) ?? 0n)})`,
      );
      const insert = out.prepare(
        `INSERT INTO main.${quote(table)} SELECT ${moved.join(', ')} FROM input.${quote(table)}`,
      );
      const placeholders = columns.filter(({ kind }) => kind !== undefined).length;
      for (let copy = 0; copy < (placeholders === 0 ? 1 : times); copy++)
        insert.run(...new Array<bigint>(placeholders).fill(BigInt(copy)));
    }
    out.exec('COMMIT');
    return out.prepare('SELECT count(*) FROM main.COMPUTE_TASK_INFO').pluck().get() as number;
  } finally {
    out.close();
  }
}

function movedOf(database: Database.Database, table: string): Moved {
  const columns = database.prepare(`PRAGMA input.table_info(${quote(table)})`).all() as { name: string }[];
  const kindOf = (name: string): Kind | undefined =>
    ONCE.test(table) ? undefined : (OWN[`${table}.${name}`] ?? IDS[name]);
  return { table, columns: columns.map(({ name }) => ({ name, kind: kindOf(name) })) };
}

/** By how much two copies that follow each other differ. */
function stridesOf(database: Database.Database, tables: readonly Moved[]): Map<Kind, bigint> {
  const [least, most] = [new Map<Kind, bigint>(), new Map<Kind, bigint>()];
  for (const { table, columns } of tables) {
    for (const { name, kind } of columns) {
      if (kind === undefined) continue;
      const sql = `SELECT min(${number(name)}), max(${number(name)}) FROM input.${quote(table)} WHERE ${number(name)} > 0 AND ${number(name)} NOT IN ${NONE}`;
      const [min, max] = database.prepare(sql).raw().safeIntegers().get() as [bigint | null, bigint | null];
      if (min === null || max === null) continue;
      if (min < (least.get(kind) ?? min + 1n)) least.set(kind, min);
      if (max > (most.get(kind) ?? -1n)) most.set(kind, max);
    }
  }
  const strideOf = (kind: Kind, max: bigint): bigint => {
    const min = least.get(kind) ?? 0n;
    if (kind === 'time') return max - min + GAP_NS;
    return kind === 'step' ? max - min + 1n : max + 1n;
  };
  return new Map([...most].map(([kind, max]) => [kind, strideOf(kind, max)]));
}

function main(): void {
  const [input, count, out, ...rest] = process.argv.slice(2);
  const times = Number(count);
  if (input === undefined || out === undefined || rest.length > 0 || !Number.isInteger(times) || times < 1) {
    process.stderr.write('usage: tsx bench/repeat-ascend.ts INPUT.db N OUT.db\n');
    process.exitCode = 2;
    return;
  }
  process.stderr.write(`${repeatDatabase(input, times, out)} kernels\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
