/** State that reading the rows of a file needs. */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { durationIn, type TableClock } from './json-clock.js';
import type { SubgraphCores } from './subgraph-cores.js';
import { numberOf, type ToolRow } from './table-row.js';

/** Cores that run collective operations (CC-cores) by the id of their stream, lowest first. */
export type CollectiveStreams = ReadonlyMap<number, readonly number[]>;

export interface TableContext {
  readonly profile: number;
  /** Of the capture; null when unknown. */
  readonly rank: number | null;
  readonly clock: TableClock;
  readonly cores: SubgraphCores;
  readonly streams: CollectiveStreams;
  readonly diagnostics: Diagnostics;
}

/**
 * Duration of a row in ns; null when it has no valid one.
 * @param start of a row that may state its end in place of a duration
 */
export function durationOf(row: ToolRow, { clock, diagnostics }: TableContext, start = NaN): number | null {
  const end = numberOf(row['end_ts']);
  const cell =
    row['duration'] ?? row['duration_ns'] ?? (end === null || Number.isNaN(start) ? row['end_ts'] : end - start);
  const value = numberOf(cell);
  if (value === null) {
    if (cell !== undefined && cell !== null) diagnostics.count('bad-row');
    return null;
  }
  if (value < 0) diagnostics.count('negative-duration');
  return durationIn(clock, value);
}
