/** Ranges of the host by thread and text: which of equal ones was around a launch. 40 bytes a range, up to a bound. */
import { boundedEntryOf } from '../../containers/map-entry.js';
import { elementAt } from '../../containers/element.js';
import type { RangeRecord } from '../../record/record.js';
import { contextText } from '../by/host/annotation-name.js';

/** Ranges that are kept, each under its thread and under ANY_THREAD; the earlier half of each text is dropped beyond. */
const MOST_RANGES = 2_000_000;

/** Texts by thread that are kept: where every text differs, none of them is around many launches. */
const MOST_TEXTS = 200_000;

/** In place of a thread, for tools that launch on another thread than the one that called the op. */
export const ANY_THREAD = '*';

/** Start and end of each range in turns, in order of start; none within another. */
type RangeTimes = number[];

export class HostRanges {
  readonly #times = new Map<string, RangeTimes>();
  #kept = 0;

  constructor(private readonly most = MOST_RANGES) {}

  /** To be called in order of start. A range within another of the same text is part of it. */
  take(record: RangeRecord): void {
    const { pid, tid, start, dur } = record;
    if (!Number.isFinite(start) || !(dur >= 0)) return;
    const name = contextText(record);
    this.#add(keyOf(pid, tid, name), start, dur);
    this.#add(keyOf(pid, ANY_THREAD, name), start, dur);
  }

  #add(key: string, start: number, dur: number): void {
    const times = boundedEntryOf(this.#times, key, MOST_TEXTS, (): RangeTimes => []);
    const lastEnd = times?.at(-1);
    if (times === null || (lastEnd !== undefined && start < lastEnd)) return;
    times.push(start, start + dur);
    if (++this.#kept > this.most) this.#dropEarlierHalf();
  }

  /** Start of the range with the text that a thread of the process was in at a time; null where none is known. */
  startOf(pid: number | null, tid: number | null | typeof ANY_THREAD, text: string, time: number): number | null {
    const times = this.#times.get(keyOf(pid, tid, text));
    if (times === undefined) return null;
    let [from, to] = [0, times.length / 2];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (elementAt(times, 2 * middle) <= time) from = middle + 1;
      else to = middle;
    }
    const [start, end] = [times[2 * from - 2], times[2 * from - 1]];
    return start !== undefined && end !== undefined && time <= end ? start : null;
  }

  /** Ranges come before the work that was launched in them: what is still to come was launched in the later ones. */
  #dropEarlierHalf(): void {
    this.#kept = 0;
    for (const [key, times] of this.#times) {
      const ranges = times.length >> 1;
      times.splice(0, 2 * Math.ceil(ranges / 2));
      if (times.length === 0) this.#times.delete(key);
      this.#kept += times.length >> 1;
    }
  }
}

const keyOf = (pid: number | null, tid: number | null | typeof ANY_THREAD, text: string): string =>
  `${pid ?? ''}/${tid ?? ''}/${text}`;
