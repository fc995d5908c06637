/** Memory in use as text, JSON and CSV. */
import { stringify } from 'csv-stringify/sync';
import type { Owner } from '../../../prof/memory/allocations.js';
import type { Peak, Series } from '../../../prof/memory/device-memory.js';
import type { MemoryReport } from '../../../prof/memory/memory.js';
import { counted } from '../../../record/plural.js';
import { clean } from '../../../write/cell-text.js';
import { aligned } from '../../aligned.js';
import { profileHeading } from '../../run-analysis.js';

export interface MemoryShown {
  /** Owners at most. */
  readonly top: number;
}

const UNKNOWN = 'na';
const MIB = 1024 * 1024;
/** Cells of the longest bar of a curve. */
const BAR = 50;

const us = (ns: number | null): string => (ns === null ? UNKNOWN : (ns / 1000).toFixed(3));
const mib = (bytes: number): string => (bytes / MIB).toFixed(3);
const deviceText = ({ device }: MemoryReport): string => (device === null ? UNKNOWN : String(device));
/** PyTorch's name for the host. */
const HOST = 'CPU';
const placeText = (report: MemoryReport): string =>
  report.device === null && report.series.every(({ of }) => of === HOST) ? 'host' : `device ${deviceText(report)}`;
const nameOf = ({ metric, of }: Series): string => (of === '' ? metric : `${metric} ${of}`);

function peakLines({ peak, step }: MemoryReport): string[] {
  const when = peak.start === null ? 'of the whole profile' : `at ${us(peak.start)} us`;
  const during = peak.start === null ? '' : `, step ${step ?? UNKNOWN}, op ${peak.op ?? UNKNOWN}`;
  const first = 'beyond what was allocated at the first event, which the profile does not tell';
  return [
    `peak ${peak.value} bytes (${mib(peak.value)} MiB) of ${nameOf(peak.series)} ${when}${during}`,
    ...(peak.series.metric === 'memory_allocated_since_first' ? [first] : []),
  ];
}

function ownerLines(owners: readonly Owner[], whole: number, top: number): string[] {
  const rows = owners.slice(0, top).map(({ name, bytes, allocations }) => {
    const share = whole > 0 ? ((100 * bytes) / whole).toFixed(1) : UNKNOWN;
    return [String(bytes), share, allocations === null ? UNKNOWN : String(allocations), name];
  });
  const lines = aligned([['bytes', '%', 'allocations', ''], ...rows], new Set([0, 1, 2]));
  const left = owners.slice(top);
  const bytes = left.reduce((sum, owner) => sum + owner.bytes, 0);
  return left.length === 0 ? lines : [...lines, `and ${left.length} more with ${bytes} bytes`];
}

function ownersBlocks({ value, owners }: Peak, top: number): string[] {
  if (owners === null) return [];
  const { ops, categories } = owners;
  return [
    ...(ops.length > 0 ? ['', '## Ops at the peak', ...ownerLines(ops, value, top)] : []),
    '',
    '## Categories at the peak',
    ...ownerLines(categories, value, top),
  ];
}

function seriesLines(series: readonly Series[]): string[] {
  const rows = series.map(({ metric, of, curve, whole }) => {
    const { samples, peak, last } = curve;
    const cells =
      peak === null ? [whole ?? UNKNOWN, UNKNOWN, UNKNOWN] : [peak.value, us(peak.at), last?.value ?? UNKNOWN];
    return [metric, of === '' ? '-' : of, String(samples), ...cells.map(String), ''];
  });
  const head = ['metric', 'of', 'samples', 'highest_bytes', 'at_us', 'last_bytes', ''];
  return aligned([head, ...rows], new Set([2, 3, 4, 5]));
}

function curveLines({ curve }: Series): string[] {
  const highest = curve.peak?.value ?? 0;
  const rows = curve.points.map(({ at, value }) => {
    const length = highest > 0 ? Math.max(0, Math.round((BAR * value) / highest)) : 0;
    return [us(at), mib(value), '#'.repeat(length)];
  });
  return aligned([['at_us', 'MiB', ''], ...rows], new Set([0, 1]));
}

/** The peak, its owners, all series, and the curve of the peak's. */
export function memoryText(report: MemoryReport, { top }: MemoryShown): string {
  const { profile, header, peak, series } = report;
  const { samples } = peak.series.curve;
  const lines = [
    `${profileHeading(profile, header)}, ${placeText(report)}`,
    ...peakLines(report),
    ...ownersBlocks(peak, top),
    ...(samples > 0 ? ['', '## Series', ...seriesLines(series)] : []),
    ...(samples > 0
      ? ['', `## Curve of ${nameOf(peak.series)}, from ${counted(samples, 'sample')}`, ...curveLines(peak.series)]
      : []),
  ];
  return `${lines.map(clean).join('\n')}\n`;
}

/** One object a line and device. */
export function memoryJson({ profile, header, device, peak, step, series }: MemoryReport): string {
  const line = {
    profile,
    file: header?.file ?? null,
    rank: header?.rank ?? null,
    device,
    peak: { metric: peak.series.metric, of: peak.series.of, bytes: peak.value, start: peak.start, step, op: peak.op },
    owners: peak.owners,
    series: series.map(({ metric, of, curve, whole }) => ({
      metric,
      of,
      samples: curve.samples,
      highest: curve.peak?.value ?? whole,
      at: curve.peak?.at ?? null,
      last: curve.last?.value ?? whole,
      curve: curve.points.map(({ at, value }) => [at, value]),
    })),
  };
  return `${JSON.stringify(line)}\n`;
}

const CSV_HEAD = ['profile', 'file', 'rank', 'device', 'metric', 'of', 'start_ns', 'bytes'];

/** A line a point; a value of the whole profile has no time. */
export function memoryCsv(reports: readonly MemoryReport[]): string {
  const lines = reports.flatMap((report) =>
    report.series.flatMap(({ metric, of, curve, whole }) => {
      const { profile, header } = report;
      const place = [profile, header?.file ?? UNKNOWN, header?.rank ?? UNKNOWN, deviceText(report), metric, of];
      const points = curve.points.map(({ at, value }) => [at, value]);
      const rows = points.length === 0 && whole !== null ? [[UNKNOWN, whole]] : points;
      return rows.map((row) => [...place, ...row].map((cell) => clean(String(cell))));
    }),
  );
  return stringify([CSV_HEAD, ...lines], { record_delimiter: '\n' });
}
