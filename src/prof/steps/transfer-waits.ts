/**
 * Waits of a device's program for the end of transfers that it started, in any unit of time. Memory: the latest waits, which
 * are enough for the gap that the next work ends.
 */

/** Minimum share of a gap that something must fill to be its cause. */
export const MOSTLY = 0.5;

interface TransferWait {
  readonly start: number;
  readonly end: number;
  readonly awaited: string;
}

/** Number of waits to keep: a gap has about one for each tensor that the next instruction reads. */
const MOST_WAITS = 64;

export class TransferWaits {
  readonly #latest: TransferWait[] = [];

  /** Adds a wait, in order of start. @param awaited what it waits for, in words */
  add(start: number, end: number, awaited: string): void {
    this.#latest.push({ start, end, awaited });
    if (this.#latest.length > MOST_WAITS) this.#latest.shift();
  }

  /** What the longest wait in a gap was for, if waits fill most of the gap; else null. */
  filling(from: number, to: number): string | null {
    let [time, reached, longest, awaited] = [0, from, 0, ''];
    for (const wait of this.#latest) {
      const end = Math.min(to, wait.end);
      const added = Math.max(0, end - Math.max(reached, wait.start));
      if (added > longest) [longest, awaited] = [added, wait.awaited];
      time += added;
      reached = Math.max(reached, end);
    }
    return time > MOSTLY * (to - from) ? awaited : null;
  }
}
