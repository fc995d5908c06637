/** Events that a full buffer could not take: how many, and from when on the others are no longer complete. */

interface MissedCounts {
  readonly events: number;
  /** Of devices. */
  readonly activities: number;
}

export class MissedEvents {
  #first = Infinity;
  #events = 0;
  #activities = 0;
  /** Start of the first that began after the span as it was known then. */
  #after = Infinity;
  /** End of the last that was over before the span as it was known then. */
  #before = -Infinity;

  /** Start of the first event that is left out, or of its launch: all before it are there. */
  get cutAt(): number {
    return Math.min(this.#first, this.#after);
  }

  /** Leaves out what starts at a time or later. */
  cut(at: number): void {
    this.#first = Math.min(this.#first, at);
  }

  /** One that may be in the span. */
  add(from: number, events: number, activities: number): void {
    this.cut(from);
    this.#events += events;
    this.#activities += activities;
  }

  addAfter(from: number): void {
    this.#after = Math.min(this.#after, from);
  }

  addBefore(end: number): void {
    this.#before = Math.max(this.#before, end);
  }

  /** Those in a span; null where their number is not known, as the span has grown since. */
  within({ start, end }: { readonly start: number; readonly end: number }): MissedCounts | null {
    if (this.#after <= end || this.#before >= start) return null;
    return this.#first <= end ? { events: this.#events, activities: this.#activities } : { events: 0, activities: 0 };
  }
}
