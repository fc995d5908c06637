/** What Nsight Systems and CUPTI did for themselves, and the driver at first use: time of the host that is none of the program's. */
import { Ranges } from '../../trace/trace-columns.js';
import { isNear } from '../../trace/clocks/exact-times.js';
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { Selection, SqliteFile } from '../../sqlite/sqlite.js';

export const OVERHEAD_TABLES = ['PROFILER_OVERHEAD', 'CUPTI_ACTIVITY_KIND_OVERHEAD'];

interface OverheadSource {
  readonly database: SqliteFile;
  readonly diagnostics: Diagnostics;
  /** Process and thread of a row. */
  readonly thread: readonly Selection[];
  readonly threadOf: (process: number, tid: number) => number;
}

/** Ranges whose `text` cell is that of a registered string. */
export function readOverhead({ database, diagnostics, thread, threadOf }: OverheadSource): Ranges {
  const ranges = new Ranges();
  for (const table of OVERHEAD_TABLES) {
    const columns = ['start', 'end', 'nameId', ...thread];
    database.eachNumbers(table, columns, ([start = NaN, end = NaN, name = NaN, process = NaN, tid = 0]) => {
      if (!isNear(start) || !isNear(end) || end < start || Number.isNaN(process)) diagnostics.count('bad-row');
      else ranges.add(start, end, threadOf(process, tid), -1 - name, 0);
    });
  }
  return ranges;
}
