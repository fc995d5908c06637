/** The report of a job → those of the tables of `dprof ranks` that a page shows as they are. Bounded. */
import type { JobReport } from '../../ranks/job-report.js';
import { RANK_TABLES } from '../../ranks/tables/tables.js';
import type { JobTable, JobTableName } from './job-data.js';

const NAMES: readonly JobTableName[] = ['stages', 'experts', 'groups'];
const MOST_ROWS = 200;

/** Columns that say which groups are not complete, besides those of screens. */
const MORE: Readonly<Partial<Record<JobTableName, readonly string[]>>> = { groups: ['size', 'complete', 'why'] };

export function jobTables(report: JobReport): JobTable[] {
  return NAMES.map((name) => {
    const { of, screen, missing } = RANK_TABLES[name];
    const { columns, rows: all } = of(report, [...screen, ...(MORE[name] ?? [])]);
    const rows = [...all];
    const shown = rows.slice(0, MOST_ROWS);
    return {
      name,
      columns: columns.map(({ key, header, unit, type, doc }) => ({
        ...{ key, header, type, doc },
        ...(unit === undefined ? {} : { unit }),
      })),
      rows: shown.map((row) =>
        columns.map((column) => {
          const value = column.value(row);
          return typeof value === 'object' ? null : value;
        }),
      ),
      count: rows.length,
      missing: missing(report),
    };
  });
}
