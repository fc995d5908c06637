/**
 * The time that the program ran, on the device's clock of picoseconds. That clock exceeds 2^53 some hours after a
 * device was switched on, so that times are taken apart into two words and put together from the window's start.
 */
import type { ExecutionWindow } from './metadata.js';

const WORD = 2 ** 32;

export class Clock {
  /** Words of the start. */
  readonly low: number;
  readonly high: number;
  /** Picoseconds from the start of the first execution to the end of the last. */
  readonly length: number;

  private constructor(start: bigint, length: bigint) {
    this.low = Number(start & 0xffffffffn);
    this.high = Number(start >> 32n);
    this.length = Number(length);
  }

  /** Null when there is no execution, one that ends before it starts, or one of hours, which no capture can hold. */
  static of(windows: readonly ExecutionWindow[]): Clock | null {
    const [first, ...others] = windows;
    if (first === undefined || windows.some(({ start, end }) => end < start)) return null;
    const start = others.reduce((least, each) => (each.start < least ? each.start : least), first.start);
    const end = others.reduce((most, each) => (each.end > most ? each.end : most), first.end);
    return end - start > BigInt(Number.MAX_SAFE_INTEGER) ? null : new Clock(start, end - start);
  }

  /** Picoseconds from the start of a time in two words: exact wherever it lies within the window. */
  since(low: number, high: number): number {
    return (high - this.high) * WORD + (low - this.low);
  }
}
