/** State that reading the rows of a file needs. */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { durationIn, type TableClock } from './json-clock.js';
import type { SubgraphCores } from './subgraph-cores.js';
import { numberOf, type ToolRow } from './table-row.js';

export interface TableContext {
  readonly profile: number;
  readonly clock: TableClock;
  readonly cores: SubgraphCores;
  readonly diagnostics: Diagnostics;
}

/** Duration of a row in ns; null when it has no valid one. */
export function durationOf(row: ToolRow, { clock, diagnostics }: TableContext): number | null {
  const cell = row['duration'];
  const value = numberOf(cell);
  if (value === null) {
    if (cell !== undefined && cell !== null) diagnostics.count('bad-row');
    return null;
  }
  if (value < 0) diagnostics.count('negative-duration');
  return durationIn(clock, value);
}
