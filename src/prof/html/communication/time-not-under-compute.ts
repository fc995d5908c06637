/** Time in which an operation runs while nothing is computed, in one pass over work of one device in order of start. */

/** An operation that may still run. */
interface RunningOperation {
  readonly end: number;
  /** Called with time that it does not share with computing, ns; may be below 0 to correct what was added. */
  readonly add: (time: number) => void;
}

export class TimeNotUnderCompute {
  #running: RunningOperation[] = [];
  /** Latest end of computing so far. */
  #computed = -Infinity;

  /** @param add called with the time, and with less than 0 for what is found to be hidden after all */
  communicate(start: number, end: number, add: (time: number) => void): void {
    // All computing so far began before: what still runs at the start runs up to the latest end.
    add(Math.max(0, end - Math.max(start, this.#computed)));
    this.#running = this.#running.filter((one) => one.end > start);
    this.#running.push({ end, add });
  }

  compute(start: number, end: number): void {
    const from = Math.max(start, this.#computed);
    if (end <= from) return;
    this.#running = this.#running.filter((one) => one.end > start);
    for (const one of this.#running) {
      const hidden = Math.min(end, one.end) - from;
      if (hidden > 0) one.add(-hidden);
    }
    this.#computed = end;
  }
}
