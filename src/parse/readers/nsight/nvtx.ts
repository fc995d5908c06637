/** The table of NVTX events in an Nsight Systems export: the types of its rows, and the domains of ranges. */
import type { Filter } from '../../sqlite/sqlite.js';
import { entryOf } from '../../../containers/map-entry.js';

export class NvtxDomains {
  /** Names of domains; the name of domain n is at index n - 1. */
  readonly #domains: { id: number; name: string | null }[] = [];
  /** Numbers by process and domain id. */
  readonly #numbers = new Map<string, number>();

  /** Number of a domain of a process; 0 for the default domain. */
  numberOf(process: number, id: number): number {
    if (Number.isNaN(id) || id === 0) return 0;
    return entryOf(this.#numbers, `${process}:${id}`, () => this.#domains.push({ id, name: null }));
  }

  setName(process: number, id: number, name: string | null): void {
    const domain = this.#domains[this.numberOf(process, id) - 1];
    if (domain !== undefined) domain.name = name;
  }

  /** Name of a domain by its number; null for the default domain. */
  nameOf(number: number): string | null {
    const known = this.#domains[number - 1];
    return known === undefined ? null : (known.name ?? `domain#${known.id}`);
  }
}

export const NVTX = 'NVTX_EVENTS';

/** NVTX event types (ENUM_NSYS_EVENT_TYPE). */
export const EVENT = {
  ...{ mark: 34, thread: 39, pushPop: 59, startEnd: 60, textMark: 65, textPushPop: 70, textStartEnd: 71, domain: 75 },
} as const;
/** Whether a range ends on another thread. Exports up to 2021 wrote 0 for a missing value. */
export const CROSSES_THREADS = '(endGlobalTid <> 0 AND endGlobalTid <> globalTid)';
export const IS_RANGE: Filter = [
  {
    needs: ['eventType'],
    sql: `eventType IN (${[EVENT.pushPop, EVENT.startEnd, EVENT.textPushPop, EVENT.textStartEnd].join()})`,
  },
  { needs: ['endGlobalTid', 'globalTid'], sql: `(endGlobalTid IS NULL OR NOT ${CROSSES_THREADS})` },
];
export const IS_MARK = `eventType IN (${EVENT.mark}, ${EVENT.textMark})`;
export const IS_NAMING: Filter = [
  { needs: ['eventType'], sql: `eventType IN (${[EVENT.domain, EVENT.thread].join()})` },
];
