/** Columns of `dprof memory`: one row a point of a curve. */
import type { Column } from '../../table/column.js';
import type { Series } from './device-memory.js';
import type { MemoryReport } from './memory-report.js';

/** A point of a curve, or the value of a whole profile, which has no time. */
export interface CurveRow {
  readonly report: MemoryReport;
  readonly series: Series;
  /** ns. */
  readonly at: number | null;
  readonly bytes: number;
}

/** All points of all curves; a series without samples over time has its value alone. */
export const curveRows = (reports: readonly MemoryReport[]): CurveRow[] =>
  reports.flatMap((report) =>
    report.series.flatMap((series): CurveRow[] => {
      const points = series.curve.points.map(({ at, value }) => ({ report, series, at, bytes: value }));
      return points.length === 0 && series.whole !== null
        ? [{ report, series, at: null, bytes: series.whole }]
        : points;
    }),
  );

export const CURVE_COLUMNS: readonly Column<CurveRow>[] = [
  {
    key: 'profile',
    header: 'profile',
    type: 'int',
    width: 7,
    doc: 'number of the input, from 0',
    value: ({ report }) => report.profile,
  },
  {
    key: 'file',
    header: 'file',
    type: 'str',
    width: 0,
    doc: "the profile's file",
    value: ({ report }) => report.header?.file ?? null,
  },
  {
    key: 'rank',
    header: 'rank',
    type: 'int',
    width: 4,
    doc: 'rank of the process',
    value: ({ report }) => report.header?.rank ?? null,
  },
  {
    key: 'device',
    header: 'device',
    type: 'int',
    width: 6,
    doc: 'device; unknown for the host',
    value: ({ report }) => report.device,
  },
  {
    key: 'metric',
    header: 'metric',
    type: 'str',
    width: 28,
    doc: 'allocated, reserved, active …',
    value: ({ series }) => series.metric,
  },
  {
    key: 'of',
    header: 'of',
    type: 'str',
    width: 12,
    doc: 'component or kind of memory',
    value: ({ series }) => series.of,
  },
  { key: 'start', header: 'start_ns', type: 'int', unit: 'ns', width: 15, doc: 'time', value: ({ at }) => at },
  {
    key: 'bytes',
    header: 'bytes',
    type: 'int',
    unit: 'bytes',
    width: 15,
    doc: 'memory in use',
    value: ({ bytes }) => bytes,
  },
];
