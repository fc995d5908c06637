/**
 * The host's ranges that are needed even if ranges are not written: those in which work was launched, steps, and the first and
 * last, which determine the time of the profile. Most ranges of a host are frames of Python that launch nothing. Memory: 8 bytes for each launch.
 */
import { elementAt } from '../../../containers/element.js';
import { countBelow, countUpTo } from '../../../containers/row-order.js';
import { NumericColumn } from '../../../containers/numeric-column.js';
import { entryOf } from '../../../containers/map-entry.js';
import { readStepName } from '../../../record/serving-step.js';
import { isOfEngine } from '../../trace/markers/marker-callers.js';
import { opMarker, parseMarker } from '../../trace/markers/markers.js';
import { ENDS_NEEDED } from '../../trace/mending/stray-events.js';

/** Keeps the smallest of many numbers. */
class Smallest {
  readonly #found: number[] = [];

  /** The largest number kept; Infinity until as many have been added. */
  last = Infinity;

  constructor(private readonly most: number) {}

  add(value: number): void {
    if (!(value < this.last)) return;
    this.#found.splice(
      countUpTo(this.#found.length, (i) => this.#found[i] ?? NaN, value),
      0,
      value,
    );
    if (this.#found.length > this.most) this.#found.pop();
    if (this.#found.length === this.most) this.last = this.#found.at(-1) ?? Infinity;
  }
}

export class NeededRanges {
  readonly #noted = NumericColumn.floats();
  /** Sorted times of the launches; set by the first query. */
  #launches: Float64Array | null = null;
  /** Position of the launch found last. The launch of the next range is usually near. */
  #near = 0;
  readonly #first = new Smallest(ENDS_NEEDED);
  readonly #last = new Smallest(ENDS_NEEDED);
  readonly #isStep = new Map<string, boolean>();
  /** Whether the autograd engine ran. Its calling thread is found from all ranges. */
  #isAll = false;

  /** Notes a launch. Time in ns. */
  launch(start: number): void {
    this.#noted.push(start);
  }

  /** Notes a range. All ranges must be noted before the first query. @param isOp whether its text is the name of an op */
  range(start: number, end: number, text: string, isOp: boolean): void {
    this.#first.add(start);
    this.#last.add(-end);
    entryOf(this.#isStep, text, () => {
      const marker = isOp ? opMarker(text, { text, seq: null, opId: null, sizes: null }) : parseMarker(text);
      this.#isAll ||= isOfEngine(marker);
      return readStepName(text) !== null;
    });
  }

  has(start: number, end: number, text: string): boolean {
    if (this.#isAll || !(start <= end) || start <= this.#first.last || -end <= this.#last.last) return true;
    return this.#nextLaunch(start) <= end || this.#isStep.get(text) !== false;
  }

  /** The first launch at or after a time; NaN when there is none. */
  #nextLaunch(time: number): number {
    const launches = (this.#launches ??= this.#noted.values.sort());
    let at = this.#near;
    if (launches[at] !== undefined && (launches[at] as number) < time) at++;
    const isNext = !((launches[at] ?? Infinity) < time) && !((launches[at - 1] ?? -Infinity) >= time);
    if (!isNext) at = countBelow(launches.length, (i) => elementAt(launches, i), time);
    this.#near = at;
    return launches[at] ?? NaN;
  }
}
