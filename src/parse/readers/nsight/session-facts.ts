/** What an Nsight Systems export states of its session: tool, length, machine. */
import { numberOf, type Cell, type SqliteFile } from '../../sqlite/sqlite.js';

const text = (cell: Cell | undefined): string | null => (typeof cell === 'string' ? cell : null);

/** `NVIDIA Nsight Systems 2024.2.1.106`; null for exports before 2022, which do not state it. */
export function toolOf(database: SqliteFile): string | null {
  let version: string | null = null;
  for (const table of ['META_DATA_EXPORT', 'EXPORT_META_DATA']) {
    for (const [name, value] of database.rows(table, ['name', 'value'])) {
      if (name === 'EXPORT_PRODUCT_VERSION') version = text(value) ?? '';
    }
  }
  return version === null ? null : `Nsight Systems ${version}`;
}

/** Length in ns; null when it is not stated. */
export function durationOf(database: SqliteFile): number | null {
  for (const [duration] of database.rows('ANALYSIS_DETAILS', ['duration'])) {
    const value = numberOf(duration);
    if (value > 0) return value;
  }
  return null;
}

/** The machine; null when none or several are stated. No other row of that table is read. */
export function hostOf(database: SqliteFile): string | null {
  const table = 'TARGET_INFO_SYSTEM_ENV';
  if (!database.hasColumn(table, 'name')) return null;
  const filter = [{ needs: ['name'], sql: "name = 'Hostname'" }];
  const names = new Set([...database.rows(table, ['value'], filter)].map(([value]) => text(value)));
  const [name = null] = names;
  return names.size === 1 && name !== '' ? name : null;
}
