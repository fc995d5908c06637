/**
 * A value over time in a bounded number of points that preserves extremes: time is divided into slots, each of which keeps
 * its lowest and its highest point. When time exceeds the slots, they are made twice as long. All points are kept until
 * there are more than requested.
 */
import { elementAt } from '../../containers/element.js';

export interface Point {
  /** Unit: ns. */
  readonly at: number;
  readonly value: number;
}

interface Slot {
  low: Point;
  high: Point;
}

const LEAST = 4;

export class Curve {
  /** All points, as long as there are only a few. */
  #points: Point[] | null = [];
  readonly #slots = new Map<number, Slot>();
  #begin = 0;
  #width = 1;
  readonly #most: number;
  samples = 0;
  /** The highest point; of equal ones the first. */
  peak: Point | null = null;
  last: Point | null = null;

  /** @param most maximum number of points, at least 4 */
  constructor(most: number) {
    this.#most = Math.max(LEAST, most);
  }

  /** Returns whether the point is higher than all before. */
  add(at: number, value: number): boolean {
    const point = { at, value };
    this.samples++;
    this.last = point;
    this.#keep(point);
    if (this.peak !== null && value <= this.peak.value) return false;
    this.peak = point;
    return true;
  }

  /** Sorted by time, at most as many as requested. */
  get points(): readonly Point[] {
    if (this.#points !== null) return this.#points;
    return [...this.#slots]
      .sort(([a], [b]) => a - b)
      .flatMap(([, { low, high }]) => (low === high ? [low] : low.at < high.at ? [low, high] : [high, low]));
  }

  #keep(point: Point): void {
    if (this.#points !== null) {
      this.#points.push(point);
      if (this.#points.length > this.#most) this.#cut(this.#points);
      return;
    }
    while (this.#slotOf(point) >= Math.floor(this.#most / 2)) this.#widen();
    this.#put(this.#slotOf(point), { low: point, high: point });
  }

  #cut(points: readonly Point[]): void {
    this.#points = null;
    this.#begin = elementAt(points, 0).at;
    for (const point of points) this.#keep(point);
  }

  /** A point before the first slot is added to it. */
  #slotOf({ at }: Point): number {
    return Math.max(0, Math.floor((at - this.#begin) / this.#width));
  }

  #put(number: number, { low, high }: Slot): void {
    const slot = this.#slots.get(number);
    if (slot === undefined) this.#slots.set(number, { low, high });
    else {
      if (low.value < slot.low.value) slot.low = low;
      if (high.value > slot.high.value) slot.high = high;
    }
  }

  #widen(): void {
    this.#width *= 2;
    const slots = [...this.#slots];
    this.#slots.clear();
    for (const [number, slot] of slots) this.#put(Math.floor(number / 2), slot);
  }
}
