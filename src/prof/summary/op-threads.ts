/** Ranges of the host → how long each thread was in ops. In one pass in order of start; memory: the threads. */
import { boundedEntryOf } from '../../containers/map-entry.js';
import type { RangeRecord } from '../../record/record.js';
import type { OpTimes } from './detail-data.js';

const MOST_THREADS = 65_536;

interface OpThread {
  readonly pid: number | null;
  readonly tid: number | null;
  time: number;
  /** Of the ops so far. */
  end: number;
}

export class OpThreads {
  readonly #threads = new Map<string, OpThread>();
  #start = Infinity;
  #end = -Infinity;

  /** Ranges that are no ops are passed over; ops within ops count once. */
  add({ kind, start, dur, pid, tid }: RangeRecord): void {
    const end = start + dur;
    if (kind !== 'op' || !Number.isFinite(end)) return;
    this.#start = Math.min(this.#start, start);
    this.#end = Math.max(this.#end, end);
    const key = `${pid ?? ''}/${tid ?? ''}`;
    const thread = boundedEntryOf(this.#threads, key, MOST_THREADS, () => ({ pid, tid, time: 0, end: -Infinity }));
    if (thread === null || end <= thread.end) return;
    thread.time += end - Math.max(start, thread.end);
    thread.end = end;
  }

  /** Null without ops. */
  get result(): OpTimes | null {
    if (this.#threads.size === 0) return null;
    const span = this.#end - this.#start;
    const threads = [...this.#threads.values()].sort((a, b) => b.time - a.time);
    return {
      ...{ start: this.#start, span, time: threads.reduce((sum, { time }) => sum + time, 0) },
      threads: threads.map(({ pid, tid, time }) => ({ pid, tid, time, share: span > 0 ? time / span : null })),
    };
  }
}
