/** Work of streams that is launched and has not begun, in one pass. Memory: the latest starts. */
import { elementAt } from '../../containers/element.js';
import { LogHistogram } from '../../containers/log-histogram.js';
import { boundedEntryOf } from '../../containers/map-entry.js';
import { countUpTo } from '../../containers/row-order.js';
import type { KernelLine } from '../../record/record.js';
import type { LaunchWaits } from '../html/idle/idle-data.js';
import { launchOf } from '../input/device-activity.js';

/** Maximum number of starts to keep: no driver queues as many launches. */
const MOST_STARTS = 4096;

export class StreamQueue {
  /** The latest starts of work, in order. */
  readonly #starts: number[] = [];

  /**
   * Adds work in order of start time.
   * @param launched when its launch call began
   * @returns how much of the work launched earlier had not begun at that time
   */
  add(start: number, launched: number): number {
    const starts = this.#starts;
    const length = starts.length - countUpTo(starts.length, (at) => elementAt(starts, at), launched);
    if (start >= (starts.at(-1) ?? -Infinity)) starts.push(start);
    if (starts.length > 2 * MOST_STARTS) starts.splice(0, MOST_STARTS);
    return length;
  }
}

const MOST_STREAMS = 4096;

/** A kernel that a call launched alone, not as a part of a graph. Times in ns. */
export interface LaunchedKernel extends Pick<KernelLine, 'device' | 'stream' | 'start'> {
  readonly dur: number;
  readonly launch: { readonly start: number; readonly dur: number };
}

/** How long launched kernels wait, and behind how many others. */
export class LaunchWaitSums {
  #kernels = 0;
  #shorter = 0;
  readonly #delays = new LogHistogram();
  readonly #queues = new LogHistogram();
  readonly #streams = new Map<string, StreamQueue>();

  /** Must be called in order of start time. */
  take(record: KernelLine): void {
    const { dur, graph } = record;
    const launch = launchOf(record);
    if (launch === null || launch.dur === null || dur === null || graph !== undefined) return;
    this.add({ ...record, dur, launch: { start: launch.start, dur: launch.dur } });
  }

  /**
   * Must be called in order of start time.
   * @param counts false for kernels that only stand before others in the queue
   */
  add({ device, stream, start, dur, launch }: LaunchedKernel, counts = true): void {
    if (!Number.isFinite(start + dur + launch.dur)) return;
    const queue = boundedEntryOf(this.#streams, `${device}/${stream ?? ''}`, MOST_STREAMS, () => new StreamQueue());
    const length = queue?.add(start, launch.start);
    if (!counts) return;
    this.#kernels++;
    if (dur < launch.dur) this.#shorter++;
    this.#delays.add(Math.max(0, start - launch.start - launch.dur));
    if (length !== undefined) this.#queues.add(length);
  }

  get result(): LaunchWaits | null {
    const [delay, queue] = [this.#delays.distribution, this.#queues.distribution];
    if (delay === null || queue === null) return null;
    return { kernels: this.#kernels, shorter: this.#shorter, delay, queue };
  }
}
