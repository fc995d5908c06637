/**
 * How long at least one of many intervals ran, in ns: one pass over intervals in order of their start, in constant
 * memory.
 */
export class Cover {
  /** ns covered. */
  total = 0;
  /** The end reached so far. */
  end = -Infinity;

  add(start: number, end: number): void {
    if (end <= this.end) return;
    this.total += end - Math.max(start, this.end);
    this.end = end;
  }
}
