/**
 * The samples of one series in order of time. Where there are more than asked for, time is cut into slots, of which each
 * keeps its lowest, its highest and its last sample and where it became unknown: extremes are exact, and so is the value
 * at the end of a slot. Slots are powers of two of ns, so that wider ones hold whole narrower ones.
 */
import { elementAt } from '../../../containers/element.js';

/** Samples that a slot keeps at most. */
const OF_SLOT = 4;

export class SampleCurve {
  /** ns. */
  at: number[] = [];
  /** NaN where it is unknown from then on. */
  values: number[] = [];
  samples = 0;
  /** ns of a slot; 0 as long as each sample is there. */
  width = 0;
  /** Until when the newest value is known to hold; NaN for up to the next. */
  #until = NaN;
  #isSorted = true;

  /** @param dur how long the value holds; null where that is not known, absent where it holds up to the next */
  add(at: number, value: number | null, dur?: number | null): void {
    this.#close(at);
    this.#push(at, value ?? NaN);
    this.samples++;
    this.#until = dur === undefined ? NaN : at + Math.max(0, dur ?? 0);
  }

  /** To be called after the last sample. @param holds whether the last value holds to the end where its time is not known */
  end(holds: boolean): void {
    this.#close(Infinity);
    const last = this.at.at(-1);
    if (!holds && last !== undefined && Number.isFinite(this.values.at(-1))) this.#push(last, NaN);
    this.#sort();
  }

  /** @param most points, or a few more */
  reduce(most: number): void {
    if (this.at.length <= most) return;
    this.#sort();
    const [first, last] = [elementAt(this.at, 0), elementAt(this.at, this.at.length - 1)];
    const least = (OF_SLOT * (last - first)) / Math.max(OF_SLOT, most);
    this.width = Math.max(this.width, 2 ** Math.ceil(Math.log2(Math.max(1, least))));
    this.#keepOfSlots();
  }

  #keepOfSlots(): void {
    const { at, values, width } = this;
    const kept: number[] = [];
    for (let from = 0; from < at.length;) {
      const slot = Math.floor(elementAt(at, from) / width);
      let to = from + 1;
      while (to < at.length && Math.floor(elementAt(at, to) / width) === slot) to++;
      for (const one of keptOf(values, from, to)) kept.push(one);
      from = to;
    }
    this.at = kept.map((one) => elementAt(at, one));
    this.values = kept.map((one) => elementAt(values, one));
  }

  /** The value is unknown between the end of its time and the next one. */
  #close(next: number): void {
    if (this.#until < next) this.#push(this.#until, NaN);
    this.#until = NaN;
  }

  #push(at: number, value: number): void {
    this.#isSorted &&= at >= (this.at.at(-1) ?? -Infinity);
    this.at.push(at);
    this.values.push(value);
  }

  /** Lines may have been edited: samples of one time stay in their order. */
  #sort(): void {
    if (this.#isSorted) return;
    const order = this.at.map((_, i) => i).sort((a, b) => elementAt(this.at, a) - elementAt(this.at, b) || a - b);
    [this.at, this.values] = [order.map((i) => elementAt(this.at, i)), order.map((i) => elementAt(this.values, i))];
    this.#isSorted = true;
  }
}

/** Of samples from..to: the lowest, the highest, the first unknown one and the last, in order. */
function keptOf(values: readonly number[], from: number, to: number): number[] {
  let [low, high, unknown] = [-1, -1, -1];
  for (let i = from; i < to; i++) {
    const value = elementAt(values, i);
    if (Number.isNaN(value)) {
      if (unknown === -1) unknown = i;
      continue;
    }
    if (low === -1 || value < elementAt(values, low)) low = i;
    if (high === -1 || value > elementAt(values, high)) high = i;
  }
  return [...new Set([low, high, unknown, to - 1])].filter((i) => i !== -1).sort((a, b) => a - b);
}
