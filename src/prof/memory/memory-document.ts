/** Memory in use of a device as `dprof memory -f json` has it. Times ns, sizes bytes. */
import type { Peak } from './device-memory.js';
import type { MemoryReport } from './memory-columns.js';

/** Memory in use of a device, or of the host. */
export interface MemoryDocument {
  readonly profile: number;
  readonly file: string | null;
  readonly rank: number | null;
  /** Null for the host. */
  readonly device: number | null;
  readonly peak: PeakMemory;
  /** What held the memory at the peak, most first; null where the profile has no allocations. */
  readonly owners: Peak['owners'];
  readonly series: readonly MemorySeries[];
}

/** The highest value of the series that counts. */
export interface PeakMemory {
  readonly metric: string;
  /** Component or kind of memory; '' where there is one. */
  readonly of: string;
  readonly bytes: number;
  /** Null for a value of the whole profile. */
  readonly start: number | null;
  readonly step: number | null;
  readonly op: string | null;
}

/** A metric over time. */
export interface MemorySeries {
  readonly metric: string;
  readonly of: string;
  readonly samples: number;
  readonly highest: number | null;
  readonly at: number | null;
  readonly last: number | null;
  readonly curve: readonly (readonly [start: number, bytes: number])[];
}

export const memoryDocument = ({ profile, header, device, peak, step, series }: MemoryReport): MemoryDocument => ({
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
    curve: curve.points.map(({ at, value }) => [at, value] as const),
  })),
});
