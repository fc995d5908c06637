/** Reports of memory → the peak of each device and who held it, as `dprof memory` says. */
import type { Owner } from './allocations.js';
import type { MemoryReport } from './memory-columns.js';
import type { MemoryOwners, MemoryPeak } from '../html/page-data.js';

const MOST_OWNERS = 50;

/** Largest first, as given; what is not shown is added up. */
function bounded(owners: readonly Owner[]): MemoryOwners {
  const rest = owners.slice(MOST_OWNERS).reduce((sum, { bytes }) => sum + bytes, 0);
  return { shown: owners.slice(0, MOST_OWNERS), count: owners.length, restBytes: rest };
}

export const memoryPeaks = (reports: readonly MemoryReport[]): MemoryPeak[] =>
  reports.map(({ device, peak, step }) => ({
    ...{ device, metric: peak.series.metric, of: peak.series.of, bytes: peak.value, start: peak.start, step },
    op: peak.op,
    ops: peak.owners === null ? null : bounded(peak.owners.ops),
    categories: peak.owners === null ? null : bounded(peak.owners.categories),
  }));
