/**
 * Tables of msprof, which splits those above a million rows into slices: `op_summary_slice_0_TIME.csv`.
 * Source: Ascend/msprof, analysis/csrc/infrastructure/dump_tools/csv_tool and analysis/common_func/file_slice_helper.py.
 */
import { basename, dirname, join } from 'node:path';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { MSPROF } from '../ascend-files.js';
import { namesIn } from '../../../files.js';

interface Slice {
  readonly path: string;
  readonly table: string;
  readonly time: string;
  /** 0 for the first, and for a table that is not split. */
  readonly number: number;
}

/** A table as its slices, in order of their number. */
export type SplitTable = readonly [Slice, ...Slice[]];

/**
 * The tables in a folder, those of one name in order of time. A table goes on as long as the numbers rise: one of msprof's
 * writers gives all slices one time, the other gives each its own, and no number to the first.
 */
export function tablesIn(folder: string): readonly SplitTable[] {
  const slices = namesIn(folder, MSPROF.table).map((name): Slice => {
    const { table = '', time = '', slice = '0' } = MSPROF.table.exec(name)?.groups ?? {};
    return { path: join(folder, name), table, time, number: Number(slice) };
  });
  const key = ({ table, time }: Slice): string => `${table}_${time}`;
  slices.sort((a, b) => (key(a) === key(b) ? a.number - b.number : key(a) < key(b) ? -1 : 1));
  const tables: [Slice, ...Slice[]][] = [];
  for (const slice of slices) {
    const table = tables.at(-1);
    const last = table?.at(-1);
    if (last?.table === slice.table && slice.number > last.number) table?.push(slice);
    else tables.push([slice]);
  }
  return tables;
}

/** The table that a file is a slice of; null for a file of another name. */
export function tableOf(path: string): SplitTable | null {
  const name = basename(path);
  if (!MSPROF.table.test(name)) return null;
  return tablesIn(dirname(path)).find((table) => table.some((slice) => basename(slice.path) === name)) ?? null;
}

/** The files of a table in order. Counts those that are missing before the last one. */
export function filesOf(table: SplitTable, diagnostics: Diagnostics): string[] {
  const last = table.at(-1)?.number ?? 0;
  diagnostics.count('table-slice-missing', last + 1 - table.length);
  return table.map(({ path }) => path);
}
