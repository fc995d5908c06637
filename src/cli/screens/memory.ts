/** `dprof memory` on one screen: the peak and the ops that held it, series, curves. */
import type { Owner } from '../../prof/memory/allocations.js';
import type { Point } from '../../prof/memory/bounded-curve.js';
import type { Peak, Series } from '../../prof/memory/device-memory.js';
import type { MemoryReport } from '../../prof/memory/memory-report.js';
import { legible } from '../../record/control-characters.js';
import { counted } from '../../record/plural.js';
import { amountText, inUnit, MICROSECOND, UNKNOWN } from '../../record/units.js';
import type { Column } from '../../table/column.js';
import { readable } from '../../table/readable.js';
import { alignedTable } from '../../write/cell-text.js';
import { fittedLines } from '../../write/fitted-table.js';
import { profileHeading, screenText } from './layout.js';

/** Number of characters in the longest bar of a curve, and next to it. */
const [BAR, BESIDE_BAR] = [50, 30];
/** PyTorch's name for the host. */
const HOST = 'CPU';

const number = <Row>(header: string, value: (row: Row) => number | null, unit?: 'ns' | 'bytes'): Column<Row> => ({
  ...{ key: header, header, type: 'int', width: 0, doc: '', value },
  ...(unit === undefined ? {} : { unit }),
});

const text = <Row>(header: string, value: (row: Row) => string): Column<Row> => ({
  ...{ key: header, header, type: 'str', width: 0, doc: '', value },
});

const TIME = readable(
  number('at_us', ({ at: time }: Point) => time, 'ns'),
  'at_us',
);
const SIZE = readable(
  number('MiB', ({ value }: Point) => value, 'bytes'),
  'MiB',
);

const SERIES_COLUMNS: readonly Column<Series>[] = [
  text('metric', ({ metric }) => metric),
  text('of', ({ of: owner }) => (owner === '' ? '-' : owner)),
  number('samples', ({ curve }) => curve.samples),
  number('highest_bytes', ({ curve, whole }) => curve.peak?.value ?? whole),
  readable(
    number('at_us', ({ curve }) => curve.peak?.at ?? null, 'ns'),
    'at_us',
  ),
  number('last_bytes', ({ curve }) => curve.last?.value ?? null),
];

const deviceText = ({ device }: MemoryReport): string => (device === null ? UNKNOWN : String(device));
const placeText = (report: MemoryReport): string =>
  report.device === null && report.series.every(({ of: owner }) => owner === HOST)
    ? 'host'
    : `device ${deviceText(report)}`;
const nameOf = ({ metric, of: owner }: Series): string => (owner === '' ? metric : `${metric} ${owner}`);

function peakLines({ peak, step }: MemoryReport): string[] {
  const when = peak.start === null ? 'over the whole profile' : `at ${inUnit(peak.start, MICROSECOND)} us`;
  const during = peak.start === null ? '' : `, step ${step ?? UNKNOWN}, op ${peak.op ?? UNKNOWN}`;
  const first = 'plus memory allocated before the first event, which the profile does not record';
  return [
    `peak ${peak.value} bytes (${amountText(peak.value, 'memory')}) of ${nameOf(peak.series)} ${when}${during}`,
    ...(peak.series.metric === 'memory_allocated_since_first' ? [first] : []),
  ];
}

/** Columns of owners; shares are of the peak. */
const ownerColumns = (peak: number): Column<Owner>[] => [
  number('bytes', ({ bytes }) => bytes),
  {
    ...number('%', ({ bytes }: Owner) => (peak > 0 ? (100 * bytes) / peak : null)),
    type: 'real',
    digits: 1,
    unit: '%',
  },
  number('allocations', ({ allocations }) => allocations),
  text('', ({ name }) => name),
];

const tableLines = <Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number | null): string[] =>
  width === null ? alignedTable(columns, rows) : fittedLines(columns, rows, width);

function ownerLines(owners: readonly Owner[], peak: number, { top, width }: Shown): string[] {
  const lines = tableLines(ownerColumns(peak), owners.slice(0, top), width);
  const others = owners.slice(top);
  const bytes = others.reduce((sum, owner) => sum + owner.bytes, 0);
  return others.length === 0 ? lines : [...lines, `and ${others.length} more with ${bytes} bytes`];
}

function ownersBlocks({ value, owners }: Peak, shown: Shown): string[] {
  if (owners === null) return [];
  const { ops, categories } = owners;
  return [
    ...(ops.length > 0 ? ['', '## Ops at the peak', ...ownerLines(ops, value, shown)] : []),
    '',
    '## Categories at the peak',
    ...ownerLines(categories, value, shown),
  ];
}

function endLines({ atEnd }: MemoryReport, shown: Shown): string[] {
  if (atEnd === null) return [];
  const { segments, kept } = atEnd;
  const { count, bytes, held, free, freeBlocks, largestFree } = segments;
  const size = (value: number): string => amountText(value, 'memory');
  const sum = kept.reduce((total, owner) => total + owner.bytes, 0);
  return [
    '',
    '## Segments at the end',
    `${counted(count, 'segment')} of ${size(bytes)}: ${size(held)} held`,
    `${size(free)} free in ${counted(freeBlocks, 'block')} next to held memory, the largest ${size(largestFree)}`,
    ...(kept.length === 0 ? [] : ['', '## Never released; shares of their sum', ...ownerLines(kept, sum, shown)]),
  ];
}

function curveLines(series: Series, width: number | null): string[] {
  const { curve } = series;
  const highest = curve.peak?.value ?? 0;
  const longest = width === null ? BAR : Math.max(1, Math.min(BAR, width - BESIDE_BAR));
  const bar = text('', ({ value }: Point) =>
    '#'.repeat(highest > 0 ? Math.max(0, Math.round((longest * value) / highest)) : 0),
  );
  const title = `## Curve of ${nameOf(series)}, from ${counted(curve.samples, 'sample')}`;
  return ['', title, ...alignedTable([TIME, SIZE, bar], curve.points)];
}

interface Shown {
  /** Maximum owners in each list. */
  readonly top: number;
  /** Maximum number of characters in a line; null for no limit. */
  readonly width: number | null;
}

export function memoryScreen(report: MemoryReport, top: number, width: number | null): string {
  const { profile, header, peak, series } = report;
  const timed = series.filter(({ curve }) => curve.samples > 0);
  // If the peak is a value of the whole profile, the series over time are about something else: the buffers of a core.
  const [listed, curves] = peak.series.curve.samples > 0 ? [series, [peak.series]] : [timed, timed];
  const lines = [
    `${profileHeading(profile, header)}, ${placeText(report)}`,
    ...peakLines(report),
    ...ownersBlocks(peak, { top, width }),
    ...endLines(report, { top, width }),
    ...(listed.length > 0 && timed.length > 0 ? ['', '## Series', ...tableLines(SERIES_COLUMNS, listed, width)] : []),
    ...curves.flatMap((series) => curveLines(series, width)),
  ];
  return screenText(lines, legible, width);
}
