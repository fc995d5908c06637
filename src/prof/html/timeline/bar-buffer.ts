/**
 * All events of a profile in a bounded number of bars, merged during the pass. In each lane and depth, events that are
 * shorter than a time cell and start in the same cell become one bar, with their number, the sum of their durations,
 * and the strings of the longest. When there are too many bars, the cells grow.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { TextTable } from './column-packing.js';
import { EVENT_BUFFER_BOUNDS, EventBuffer, type BufferedEvent } from './event-buffer.js';
import { LaneDepths } from './timeline-lanes.js';

/** Where an event is drawn. Unlike ranges, calls do not arrive in order of start time, so they have separate depths. */
interface BarEvent {
  readonly lane: number;
  readonly isLaunch: boolean;
  /** Unit: ns. */
  readonly start: number;
  readonly dur: number;
  /** The event with its strings; called only when the bar uses them. */
  readonly describe: (texts: TextTable) => BufferedEvent;
}

/** Bars of one lane and depth that can still take events, by cell. */
type BarCells = Map<number, number>;

/** Number of depths of a lane; more than `LaneDepths` ever assigns. */
const DEPTHS = 256;

export class BarBuffer {
  readonly buffer = new EventBuffer({ ...EVENT_BUFFER_BOUNDS, text: 8 * 1024 * 1024 });
  /** For each bar, the number of events and the sum of their durations in ns. */
  counts: number[] = [];
  times: number[] = [];
  #longest: number[] = [];
  #tracks: number[] = [];
  /** Unit: ns; 0 while every event has its own bar. */
  #cell = 0;
  readonly #cells = new Map<number, BarCells>();
  readonly #depths: LaneDepths[] = [];
  #start = Infinity;
  #end = -Infinity;

  /** @param most maximum number of bars; up to twice as many are in memory */
  constructor(private readonly most: number) {}

  /** Events shorter than this may be merged, in ns; 0 when none are merged. */
  get resolution(): number {
    return this.#cell;
  }

  take(event: BarEvent): void {
    const { lane, isLaunch, start, dur } = event;
    this.#start = Math.min(this.#start, start);
    this.#end = Math.max(this.#end, start + dur);
    const kind = 2 * lane + (isLaunch ? 1 : 0);
    const depth = (this.#depths[kind] ??= new LaneDepths()).place(start, start + dur);
    const track = kind * DEPTHS + depth;
    if (dur < this.#cell) {
      const cells = entryOf(this.#cells, track, (): BarCells => new Map());
      const cell = Math.floor(start / this.#cell);
      const bar = cells.get(cell);
      if (bar !== undefined) {
        this.#extend(bar, start, dur, 1, dur);
        if (dur > elementAt(this.#longest, bar)) {
          this.#longest[bar] = dur;
          this.buffer.describe(bar, event.describe(this.buffer.texts));
        }
        return;
      }
      cells.set(cell, this.buffer.rows);
    }
    this.buffer.push(event.describe(this.buffer.texts));
    this.counts.push(1);
    this.times.push(dur);
    this.#longest.push(dur);
    this.#tracks.push(track);
    if (this.buffer.rows >= 2 * this.most || this.buffer.isFull) this.reduce(this.most);
  }

  /** Merges until there are at most `most` bars, or until the cells are as long as the profile. */
  reduce(most: number): void {
    const span = Math.max(1, this.#end - this.#start);
    while ((this.buffer.rows > most || this.buffer.isFull) && this.#cell <= span) {
      const gone = new Uint8Array(this.buffer.rows);
      let left = gone.length;
      do {
        this.#cell = Math.max(2 * this.#cell, span / most);
        left -= this.#merge(gone);
      } while (left > most && this.#cell <= span);
      // Rows are removed all at once, because this takes longer than merging them.
      this.#drop(gone);
    }
  }

  /**
   * A merged bar is shorter than two of the previous cells, so it is shorter than a new cell and can be merged as a
   * whole.
   * @param gone 1 for each bar that was merged into another one
   * @returns number of bars that this call merged
   */
  #merge(gone: Uint8Array): number {
    const [starts, durs] = [this.buffer.column('start'), this.buffer.column('dur')];
    this.#cells.clear();
    let merged = 0;
    for (let bar = 0; bar < gone.length; bar++) {
      const [start, dur] = [elementAt(starts, bar), elementAt(durs, bar)];
      if (gone[bar] === 1 || dur >= this.#cell) continue;
      const cells = entryOf(this.#cells, elementAt(this.#tracks, bar), (): BarCells => new Map());
      const into = entryOf(cells, Math.floor(start / this.#cell), () => bar);
      if (into === bar) continue;
      gone[bar] = 1;
      merged++;
      this.#extend(into, start, dur, elementAt(this.counts, bar), elementAt(this.times, bar));
      const longest = elementAt(this.#longest, bar);
      if (longest <= elementAt(this.#longest, into)) continue;
      this.#longest[into] = longest;
      this.buffer.describeAs(into, bar);
    }
    return merged;
  }

  #drop(gone: Uint8Array): void {
    const isKept = (_: unknown, bar: number): boolean => gone[bar] === 0;
    this.buffer.keep((bar) => gone[bar] === 0);
    this.counts = this.counts.filter(isKept);
    this.times = this.times.filter(isKept);
    this.#longest = this.#longest.filter(isKept);
    this.#tracks = this.#tracks.filter(isKept);
    const places = new Uint32Array(gone.length);
    let place = 0;
    for (const [bar, isGone] of gone.entries()) places[bar] = isGone === 1 ? 0 : place++;
    for (const cells of this.#cells.values()) for (const [cell, bar] of cells) cells.set(cell, elementAt(places, bar));
  }

  #extend(bar: number, start: number, dur: number, count: number, time: number): void {
    this.buffer.extend(bar, start, start + dur);
    this.counts[bar] = elementAt(this.counts, bar) + count;
    this.times[bar] = elementAt(this.times, bar) + time;
  }
}
