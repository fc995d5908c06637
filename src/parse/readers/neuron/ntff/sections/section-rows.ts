/** What the readers of all sections share: where their rows go, and the check of a row's times. */
import type { Diagnostics } from '../../../../../record/diagnostics.js';
import type { RecordBlock } from '../file/ntff-file.js';
import type { RowChunks } from '../rows/row-chunks.js';
import { NO_DURATION } from '../rows/rows.js';
import type { DeviceClock } from './device-clock.js';

export interface SectionOutput {
  readonly clock: DeviceClock;
  readonly rows: RowChunks;
  readonly diagnostics: Diagnostics;
}

export abstract class SectionRows {
  protected readonly clock: DeviceClock;
  protected readonly rows: RowChunks;
  protected readonly diagnostics: Diagnostics;

  /** @param rank the part of the rank that all rows of the section have */
  constructor(
    protected readonly rank: number,
    { clock, rows, diagnostics }: SectionOutput,
  ) {
    this.clock = clock;
    this.rows = rows;
    this.diagnostics = diagnostics;
  }

  abstract read(block: RecordBlock): void;

  /** Counts what never ended. */
  finish(): void {
    // Semaphores have no end.
  }

  /** Whether a row is not within the execution, which is counted. */
  protected isOutside(start: number, end: number): boolean {
    const isOutside = start < 0 || Math.max(start, end) > this.clock.length;
    if (isOutside) this.diagnostics.count('outside-execution');
    return isOutside;
  }

  protected durationOf(start: number, end: number): number {
    if (end >= start) return end - start;
    this.diagnostics.count('negative-duration');
    return NO_DURATION;
  }
}
