/** Spans without a gap in which at least one of several activities ran, from activities in order of start. */
import { PS_PER_NS } from '../../../containers/interval-union.js';

/** Picoseconds from the profile's start. */
export interface BusySpan {
  readonly from: number;
  readonly to: number;
}

export class BusySpans {
  /** Of one nanosecond: records have no order within it. */
  #held: BusySpan[] = [];
  #now = -Infinity;
  #from = NaN;
  #to = -Infinity;

  /** @param onSpan called with each span when it is known to have ended */
  constructor(private readonly onSpan: (span: BusySpan) => void) {}

  add(span: BusySpan): void {
    const now = Math.floor(span.from / PS_PER_NS);
    if (now > this.#now) this.#flush();
    this.#now = now;
    this.#held.push(span);
  }

  finish(): void {
    this.#flush();
    if (this.#to >= this.#from) this.onSpan({ from: this.#from, to: this.#to });
    this.#from = NaN;
  }

  #flush(): void {
    if (this.#held.length > 1) this.#held.sort((a, b) => a.from - b.from);
    for (const { from, to } of this.#held) {
      if (from > this.#to) {
        if (this.#to >= this.#from) this.onSpan({ from: this.#from, to: this.#to });
        this.#from = from;
      }
      this.#to = Math.max(this.#to, to);
    }
    this.#held = [];
  }
}
