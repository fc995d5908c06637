/** Damage to the contents of a database that stays one: cells, types, columns, tables, rows and their numbers. */
import Database from 'better-sqlite3';
import type { KernelBounds, Mutation } from '../input.js';
import type { Random } from '../random.js';

/** Tables whose rows are kernels, whatever their cells. */
const KERNELS = /KERNEL|^OPS$/i;
/** Tables whose cells decide which rows are kernels. */
const TASKS = /TASK|STRING_IDS|COMMUNICATION/i;

const UNCHANGED: KernelBounds = { lost: 0, added: 0 };

const VALUES = [
  'NULL',
  "''",
  "'x'",
  "'12'",
  "'-7.5e3'",
  "x''",
  "x'00ff'",
  'zeroblob(70000)',
  '0',
  '-1',
  '0.5',
  '1e308',
  '-1e308',
  '9e999',
  '4294967296',
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
  "char(0)||'x'",
  "replace(hex(zeroblob(2000)),'00','long')",
] as const;

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

/** A table, one with rows mostly. */
function chooseTable(database: Database.Database, random: Random): Table | null {
  const names = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
    .pluck()
    .all() as string[];
  for (let tries = 0; tries < 20 && names.length > 0; tries++) {
    const name = names[random.below(names.length)] ?? '';
    const rows = database
      .prepare(`SELECT count(*) FROM ${quote(name)}`)
      .pluck()
      .get() as number;
    if (rows === 0 && random.chance(0.9)) continue;
    const columns = (database.pragma(`table_info(${quote(name)})`) as { name: string }[]).map((column) => column.name);
    return { name, columns, rows };
  }
  return null;
}

interface Editing extends Table {
  readonly table: string;
  readonly column: string;
  readonly random: Random;
  /** Runs a statement; returns how many rows it changed. */
  readonly run: (sql: string) => number;
}
/** @returns what becomes of the kernels in the table's rows; undefined when not known */
type Editor = (editing: Editing) => KernelBounds | undefined;

/** Some rows, by their order in the table. */
function someRows({ rows, random, table }: Editing): string {
  if (random.chance(0.2)) return 'TRUE';
  const from = random.below(rows);
  return `rowid IN (SELECT rowid FROM ${table} LIMIT ${random.few(rows)} OFFSET ${from})`;
}

const ofCells = ({ name }: Table, changed: number): KernelBounds =>
  KERNELS.test(name) ? UNCHANGED : { lost: changed, added: changed };

const newColumn = (random: Random): string => quote(random.of(['x', 'start', 'end', 'value', 'name', 'id']));

const EDITORS: Readonly<Record<string, Editor>> = {
  'cells changed': (editing) => {
    const { table, column, random, run } = editing;
    const changed = run(`UPDATE OR IGNORE ${table} SET ${column} = ${random.of(VALUES)} WHERE ${someRows(editing)}`);
    return ofCells(editing, changed);
  },
  'cells scaled': (editing) => {
    const { table, column, random, run } = editing;
    const by = random.of(['* -1', '+ 0.5', '* 1000000', '/ 7', '+ 9000000000000000000', '% 3', "|| ''", "|| 'x'"]);
    const changed = run(`UPDATE OR IGNORE ${table} SET ${column} = ${column} ${by} WHERE ${someRows(editing)}`);
    return ofCells(editing, changed);
  },
  'cells of another column': (editing) => {
    const { table, column, columns, random, run } = editing;
    const other = quote(columns[random.below(columns.length)] ?? '');
    const changed = run(`UPDATE OR IGNORE ${table} SET ${column} = ${other} WHERE ${someRows(editing)}`);
    return ofCells(editing, changed);
  },
  'numbers of rows': ({ table, random, run }) => {
    run(
      `UPDATE OR IGNORE ${table} SET rowid = ${random.of(['-rowid', 'rowid + 4611686018427387904', 'rowid * 1000'])}`,
    );
    return undefined;
  },
  'rows doubled': ({ table, columns, rows, run }) => {
    const [first = '', ...others] = columns.map(quote);
    // The first column may be the number of the row.
    const added = run(`INSERT OR IGNORE INTO ${table} SELECT * FROM ${table}`);
    const more =
      added > 0
        ? 0
        : run(`INSERT OR IGNORE INTO ${table} SELECT ${[`${first} + 1000000`, ...others].join(', ')} FROM ${table}`);
    return { lost: 0, added: Math.max(added, more, rows) };
  },
  'rows removed': (editing) => {
    const changed = editing.run(`DELETE FROM ${editing.table} WHERE ${someRows(editing)}`);
    return { lost: changed, added: changed };
  },
  'types changed': ({ name, table, columns, random, run }) => {
    const type = random.of(['TEXT', 'REAL', 'BLOB', 'INTEGER']);
    const cast = random.below(columns.length);
    const cells = columns.map((column, i) =>
      random.chance(0.3) || i === cast ? `CAST(${quote(column)} AS ${type}) AS ${quote(column)}` : quote(column),
    );
    run(`CREATE TABLE "another" AS SELECT ${cells.join(', ')} FROM ${table}`);
    run(`DROP TABLE ${table}`);
    run(`ALTER TABLE "another" RENAME TO ${quote(name)}`);
    return undefined;
  },
  'column dropped': ({ table, column, run }) => {
    run(`ALTER TABLE ${table} DROP COLUMN ${column}`);
    return undefined;
  },
  'column renamed': ({ table, column, random, run }) => {
    run(`ALTER TABLE ${table} RENAME COLUMN ${column} TO ${newColumn(random)}`);
    return undefined;
  },
  'column added': ({ table, random, run }) => {
    run(`ALTER TABLE ${table} ADD COLUMN ${newColumn(random)} DEFAULT ${random.of(['NULL', '1', "'x'"])}`);
    return undefined;
  },
  'table dropped': ({ table, run }) => {
    run(`DROP TABLE ${table}`);
    return undefined;
  },
  'table renamed': ({ name, table, random, run }) => {
    run(
      `ALTER TABLE ${table} RENAME TO ${quote(random.of([`${name}_V9`, `${name}2`, 'x', name.toLowerCase() + 's']))}`,
    );
    return undefined;
  },
};

/** Whether SQLite refuses the change: an index on the column, a constraint. */
const isRefused = (error: unknown): boolean => error instanceof Database.SqliteError;

function mutate(bytes: Buffer, random: Random, edit: Editor): ReturnType<Mutation> {
  const database = new Database(bytes);
  try {
    const chosen = chooseTable(database, random);
    if (chosen === null || chosen.columns.length === 0) return null;
    const table = quote(chosen.name);
    const column = quote(chosen.columns[random.below(chosen.columns.length)] ?? '');
    const run = (sql: string): number => database.prepare(sql).run().changes;
    const ofTable = edit({ ...chosen, table, column, random, run });
    const isOther = !KERNELS.test(chosen.name) && !TASKS.test(chosen.name);
    const kernels = isOther ? UNCHANGED : ofTable;
    return { bytes: database.serialize(), ...(kernels === undefined ? undefined : { kernels }) };
  } catch (error) {
    if (isRefused(error)) return null;
    throw error;
  } finally {
    database.close();
  }
}

export const SQL_MUTATIONS: Readonly<Record<string, Mutation>> = Object.fromEntries(
  Object.entries(EDITORS).map(([name, edit]): [string, Mutation] => [
    name,
    (bytes, random) => mutate(bytes, random, edit),
  ]),
);
