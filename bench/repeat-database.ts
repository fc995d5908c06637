/** Repeats the events of a database, so that a short profile stands for a long run. */
import Database from 'better-sqlite3';
import { copyFileSync, rmSync } from 'node:fs';

/** What the columns of a table count. Numbers of one kind are moved by the same amount, so that they still join. */
export type Moves = Readonly<Record<string, string>>;

/** Between two copies, in the unit of the times. */
const GAP = 1000;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Writes a database with copies of some tables' rows. Copy k has its numbers moved by k × (largest + 1), and times by
 * k × (length + a gap). 0 stays 0.
 * @param movesOf kinds of the columns of a table by their names, `time` for times; null for a table that stays as it is
 */
export function repeatDatabase(
  input: string,
  times: number,
  out: string,
  movesOf: (table: string) => Moves | null,
): void {
  rmSync(out, { force: true });
  copyFileSync(input, out);
  const database = new Database(out);
  try {
    database.pragma('foreign_keys = OFF');
    database.pragma('journal_mode = OFF');
    database.pragma('synchronous = OFF');
    database.exec(`ATTACH '${input.replaceAll("'", "''")}' AS source`);
    const names = database
      .prepare("SELECT name FROM main.sqlite_master WHERE type = 'table'")
      .pluck()
      .all() as string[];
    const tables = names.flatMap((table) => {
      const moves = movesOf(table);
      return moves === null ? [] : [{ table, moves, columns: columnsOf(database, table) }];
    });
    const strides = stridesOf(database, tables);
    database.exec('BEGIN');
    for (const { table, moves, columns } of tables) {
      const moved = columns.map((column) => {
        const stride = strides.get(moves[column] ?? '');
        const cell = `t.${quoted(column)}`;
        return stride === undefined ? cell : `CASE WHEN ${cell} = 0 THEN 0 ELSE ${cell} + n.k * ${stride} END`;
      });
      database.exec(`WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < ${times - 1})
        INSERT INTO main.${quoted(table)} (${columns.map(quoted).join(', ')})
        SELECT ${moved.join(', ')} FROM n CROSS JOIN source.${quoted(table)} t WHERE n.k < ${times}`);
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

const columnsOf = (database: Database.Database, table: string): string[] =>
  database.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];

interface Moved {
  readonly table: string;
  readonly moves: Moves;
  readonly columns: readonly string[];
}

function stridesOf(database: Database.Database, tables: readonly Moved[]): ReadonlyMap<string, number> {
  const ranges = new Map<string, readonly [least: number, most: number]>();
  for (const { table, moves, columns } of tables)
    for (const column of columns) {
      const kind = moves[column];
      if (kind === undefined) continue;
      const name = quoted(column);
      const query = `SELECT min(${name}), max(${name}) FROM source.${quoted(table)} WHERE ${name} > 0`;
      const [least, most] = database.prepare(query).raw().get() as [number | null, number | null];
      const [a, b] = ranges.get(kind) ?? [Infinity, 0];
      if (least !== null && most !== null) ranges.set(kind, [Math.min(a, least), Math.max(b, most)]);
    }
  return new Map(
    [...ranges].map(([kind, [least, most]]) => [kind, kind === 'time' ? most - least + GAP : most + 1] as const),
  );
}
