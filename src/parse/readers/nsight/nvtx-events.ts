/** Table of NVTX events: its name, and the types of its rows. */
import type { Filter } from '../../sqlite/sqlite.js';

export const NVTX = 'NVTX_EVENTS';

/** NVTX event types (ENUM_NSYS_EVENT_TYPE). */
export const EVENT = {
  ...{ mark: 34, thread: 39, pushPop: 59, startEnd: 60, textMark: 65, textPushPop: 70, textStartEnd: 71, domain: 75 },
} as const;
/** Exports up to 2021 wrote 0 for a missing value. */
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
