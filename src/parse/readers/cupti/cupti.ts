/**
 * Codes of CUPTI, which nvprof and Nsight Systems both store unchanged.
 * Source: CUPTI documentation, CUpti_ActivityMemcpyKind and CUpti_ActivitySynchronizationType.
 */
import type { CopyKind, HostMemory } from '../../../record/record.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { Filter, Selection, SqliteFile } from '../../sqlite/sqlite.js';

/**
 * A table with `contextId` and `deviceId`, and its column with the process, in the same form as in the table of waits;
 * null when it has no process.
 */
export interface ContextTable {
  readonly table: string;
  readonly process: Exclude<Selection, string> | null;
}

/** Contexts are numbered from 1. */
const NO_CONTEXT = 0;

/**
 * Finds the devices of CUDA contexts. CUPTI's record of a wait states only its context (CUpti_ActivitySynchronization has
 * no device id), and exports write 0 as its device. The tables of contexts, and work of the same context, state the device.
 * Source: CUPTI documentation, CUpti_ActivitySynchronization and CUpti_ActivityContext.
 */
export class ContextDevices {
  readonly #known = new Map<string, number>();

  /** @param tables in order of precedence */
  constructor(
    private readonly database: SqliteFile,
    private readonly tables: readonly ContextTable[],
  ) {}

  /**
   * The device of a context of a process; NaN when no table has the context. A table of work is searched only up to its
   * first matching row.
   */
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

/** Direction of each kind of copy. Copies between arrays and device memory are copies on the device. */
export const COPY_KINDS: Readonly<Record<number, CopyKind>> = {
  1: 'HtoD',
  2: 'DtoH',
  3: 'HtoD',
  4: 'DtoH',
  5: 'DtoD',
  6: 'DtoD',
  7: 'DtoD',
  8: 'DtoD',
  9: 'HtoH',
  10: 'PtoP',
  11: 'HtoD',
  12: 'DtoH',
  13: 'DtoD',
};

/**
 * Kinds of host memory. Source: CUPTI documentation, CUpti_ActivityMemoryKind. Nsight Systems exports count from 0
 * (their ENUM_CUDA_MEM_KIND).
 */
export const CUPTI_MEMORIES: Readonly<Record<number, HostMemory>> = { 1: 'pageable', 2: 'pinned', 5: 'managed' };
export const NSIGHT_MEMORIES: Readonly<Record<number, HostMemory>> = { 0: 'pageable', 1: 'pinned', 4: 'managed' };

/**
 * The code of the host memory in a copy between host and device, from the codes of source and destination; NaN for other
 * copies.
 */
export function hostSide(copyKind: number, from: number, to: number): number {
  const kind = COPY_KINDS[copyKind];
  return kind === 'HtoD' ? from : kind === 'DtoH' ? to : NaN;
}

export const SYNC_KINDS: Readonly<Record<number, string>> = {
  1: 'event',
  2: 'stream-wait-event',
  3: 'stream',
  4: 'context',
};

/** Stream id of rows that belong to no stream. */
export const NO_STREAM = 4294967295;
