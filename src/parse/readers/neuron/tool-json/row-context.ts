/** State that reading the rows of a file needs. */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { type Clock, nanoseconds } from './json-clock.js';
import type { Cores } from './json-devices.js';
import { numberOf, type Row } from './table-row.js';

export interface RowContext {
  readonly profile: number;
  readonly clock: Clock;
  readonly cores: Cores;
  readonly diagnostics: Diagnostics;
}

/** Keys that identify the core of a row. */
export const CORE_KEYS: readonly string[] = ['subgraph', 'fully_qualified_subgraph'];

/** Duration of a row in ns; null when it has no valid one. */
export function durationOf(row: Row, { clock, diagnostics }: RowContext): number | null {
  const cell = row['duration'];
  const value = numberOf(cell);
  if (value === null) {
    if (cell !== undefined && cell !== null) diagnostics.count('bad-row');
    return null;
  }
  if (value >= 0) return nanoseconds(clock, value);
  diagnostics.count('negative-duration');
  return null;
}
