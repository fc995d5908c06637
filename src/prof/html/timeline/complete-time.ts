/** From when to when the events of a buffer are complete: what it could not take lies before or after. */
export class CompleteTime {
  /** End of the last event that is missing at the front, ns. */
  from = -Infinity;
  /** Start of the first event, or of its launch, that is missing at the back, ns. */
  to = Infinity;

  missBefore(end: number): void {
    this.from = Math.max(this.from, end);
  }

  missFrom(start: number): void {
    this.to = Math.min(this.to, start);
  }
}
