/**
 * Devices of CUDA contexts. CUPTI's record of a wait states its context alone (CUpti_ActivitySynchronization has no device
 * id), and what an export writes as its device is 0; the tables of contexts, and work of the same context, state the device.
 * Source: CUPTI documentation, CUpti_ActivitySynchronization and CUpti_ActivityContext.
 */
import { entryOf } from '../../../containers/map-entry.js';
import type { Filter, Selection, SqliteFile } from '../../sqlite/sqlite.js';

/** A table with `contextId` and `deviceId`, and the process of its rows as the waits have it; null when it has none. */
export interface ContextTable {
  readonly table: string;
  readonly process: Exclude<Selection, string> | null;
}

/** Contexts are numbered from 1. */
const NO_CONTEXT = 0;

export class ContextDevices {
  readonly #known = new Map<string, number>();

  /** @param tables in order of precedence */
  constructor(
    private readonly database: SqliteFile,
    private readonly tables: readonly ContextTable[],
  ) {}

  /** The device of a context of a process, NaN when no table has it. A table of work is searched until its first row. */
  deviceOf(process: number, context: number): number {
    return entryOf(this.#known, `${process}:${context}`, () => this.#find(process, context));
  }

  #find(process: number, context: number): number {
    if (!(context > NO_CONTEXT)) return NaN;
    for (const { table, process: column } of this.tables) {
      const isOurs: Filter = [{ needs: ['contextId'], sql: `contextId = ${context}` }];
      const filter =
        column === null || Number.isNaN(process)
          ? isOurs
          : [...isOurs, { ...column, sql: `${column.sql} = ${process}` }];
      if (!this.database.hasColumn(table, 'contextId')) continue;
      for (const [device] of this.database.rows(table, ['deviceId'], filter)) {
        if (typeof device === 'number') return device;
      }
    }
    return NaN;
  }
}
