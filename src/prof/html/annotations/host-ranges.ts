/**
 * Host ranges by thread and text: finds which of several equal ones was around a launch, or the latest before it. 56 bytes
 * per range, up to a limit.
 */
import { entryOf } from '../../../containers/map-entry.js';
import { elementAt } from '../../../containers/element.js';
import type { RangeRecord } from '../../../record/record.js';
import { contextText } from '../../by/host/range-name.js';

/**
 * Maximum number of ranges to keep, each under its thread and under ANY_THREAD; beyond it the earlier half of each text is
 * dropped.
 */
const MOST_RANGES = 2_000_000;

/**
 * Maximum number of texts to keep, each under its threads and under ANY_THREAD. If all texts differ, each encloses only
 * a few launches.
 */
const MOST_TEXTS = 200_000;

/** Used in place of a thread, for tools that launch on a different thread than the one that called the op. */
export const ANY_THREAD = '*';
type ThreadId = number | null | typeof ANY_THREAD;

/** Start, end and number of each range in turn, in order of start; ranges do not nest. */
type RangeTimes = number[];
const FIELDS = 3;
/** The ranges of a thread, by text. */
type ThreadRanges = Map<string, RangeTimes>;

export class HostRanges {
  /** Ranges by process and thread. */
  readonly #threads = new Map<number | null, Map<ThreadId, ThreadRanges>>();
  #texts = 0;
  #kept = 0;
  #taken = 0;

  constructor(
    private readonly most = MOST_RANGES,
    private readonly mostTexts = MOST_TEXTS,
  ) {}

  /** Must be called in order of start. A range within another of the same text counts as part of it. */
  take(record: RangeRecord): void {
    const { pid, tid, start, dur } = record;
    if (!Number.isFinite(start) || !(dur >= 0)) return;
    const text = contextText(record);
    const number = this.#taken++;
    for (const thread of [tid, ANY_THREAD] as const) {
      const times = this.#timesOf(pid, thread, text);
      const lastEnd = times?.at(1 - FIELDS);
      if (times === null || (lastEnd !== undefined && start < lastEnd)) continue;
      times.push(start, start + dur, number);
      if (++this.#kept > this.most) this.#dropEarlierHalf();
    }
  }

  /** Null for a new text when the limit is reached. */
  #timesOf(pid: number | null, tid: ThreadId, text: string): RangeTimes | null {
    const known = this.#threads.get(pid)?.get(tid)?.get(text);
    if (known !== undefined) return known;
    if (this.#texts >= this.mostTexts) return null;
    this.#texts++;
    const threads = entryOf(this.#threads, pid, () => new Map<ThreadId, ThreadRanges>());
    const times: RangeTimes = [];
    entryOf(threads, tid, (): ThreadRanges => new Map()).set(text, times);
    return times;
  }

  /** Number of the range with this text in which a thread of the process was at a time; null when no such range is known. */
  around(pid: number | null, tid: ThreadId, text: string, time: number): number | null {
    const latest = this.#latest(pid, tid, text, time);
    return latest !== null && time <= latest.end ? latest.number : null;
  }

  /** Number of the latest range with the text that began in the process before a time. */
  before(pid: number | null, text: string, time: number): number | null {
    return this.#latest(pid, ANY_THREAD, text, time)?.number ?? null;
  }

  #latest(
    pid: number | null,
    tid: ThreadId,
    text: string,
    time: number,
  ): { readonly end: number; readonly number: number } | null {
    const times = this.#threads.get(pid)?.get(tid)?.get(text);
    if (times === undefined) return null;
    let [from, to] = [0, times.length / FIELDS];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (elementAt(times, FIELDS * middle) <= time) from = middle + 1;
      else to = middle;
    }
    if (from === 0) return null;
    const at = FIELDS * (from - 1);
    return { end: elementAt(times, at + 1), number: elementAt(times, at + 2) };
  }

  /** Ranges come before the work that was launched in them, so later work was launched in the later ranges. */
  #dropEarlierHalf(): void {
    this.#kept = this.#texts = 0;
    for (const [pid, threads] of this.#threads) {
      for (const [tid, texts] of threads) {
        for (const [text, times] of texts) {
          times.splice(0, FIELDS * Math.ceil(times.length / FIELDS / 2));
          if (times.length === 0) texts.delete(text);
          this.#kept += times.length / FIELDS;
        }
        this.#texts += texts.size;
        if (texts.size === 0) threads.delete(tid);
      }
      if (threads.size === 0) this.#threads.delete(pid);
    }
  }
}
