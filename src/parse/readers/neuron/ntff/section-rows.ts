/** Common code of the section readers: the output of rows, the check of a row's times, and the device clock. */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import type { RecordBlock } from './ntff-file.js';
import { NO_DURATION, type DeviceRows } from './rows.js';
import type { ExecutionWindow } from './metadata.js';

const WORD = 2 ** 32;

/**
 * Converts device timestamps to picoseconds after the start of the execution window. The device's clock exceeds 2^53
 * some hours after power-on, so timestamps are subtracted as two 32-bit words.
 */
export class DeviceClock {
  /** Low and high word of the window's start. */
  readonly low: number;
  readonly high: number;
  /** Picoseconds from the start of the first execution to the end of the last. */
  readonly length: number;

  private constructor(start: bigint, length: bigint) {
    this.low = Number(start & 0xffffffffn);
    this.high = Number(start >> 32n);
    this.length = Number(length);
  }

  /**
   * A clock for these executions; null when there is none, or when one ends before it starts or lasts longer than 2^53 ps
   * (2.5 hours).
   */
  static of(windows: readonly ExecutionWindow[]): DeviceClock | null {
    const [first, ...others] = windows;
    if (first === undefined || windows.some(({ start, end }) => end < start)) return null;
    const start = others.reduce((least, each) => (each.start < least ? each.start : least), first.start);
    const end = others.reduce((most, each) => (each.end > most ? each.end : most), first.end);
    return end - start > BigInt(Number.MAX_SAFE_INTEGER) ? null : new DeviceClock(start, end - start);
  }

  /** Picoseconds from the window's start to a timestamp in two words; exact within the window. */
  since(low: number, high: number): number {
    return (high - this.high) * WORD + (low - this.low);
  }
}

export interface SectionOutput {
  readonly clock: DeviceClock;
  readonly rows: DeviceRows;
  readonly diagnostics: Diagnostics;
}

export abstract class SectionRows {
  protected readonly clock: DeviceClock;
  protected readonly rows: DeviceRows;
  protected readonly diagnostics: Diagnostics;

  /** @param rank the part of the rank that is the same for all rows of the section */
  constructor(
    protected readonly rank: number,
    { clock, rows, diagnostics }: SectionOutput,
  ) {
    this.clock = clock;
    this.rows = rows;
    this.diagnostics = diagnostics;
  }

  abstract read(block: RecordBlock): void;

  /** Counts activities that did not end. */
  finish(): void {
    // Semaphores have no end.
  }

  /** Whether a row is outside the execution; if so, it is counted. */
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
