/** How long launched kernels wait, and behind how many others. One pass; memory: MOST_STARTS numbers a stream. */
import { elementAt } from '../../../containers/element.js';
import { LogHistogram } from '../../../containers/log-histogram.js';
import { boundedEntryOf } from '../../../containers/map-entry.js';
import { countUpTo } from '../../../containers/row-order.js';
import type { KernelLine } from '../../../record/record.js';
import { launchOf } from '../../input/device-activity.js';
import type { LaunchWaits } from './idle-data.js';

const MOST_STREAMS = 4096;
/** No driver lets as many launches wait. */
const MOST_STARTS = 4096;

export class LaunchWaitSums {
  #kernels = 0;
  #shorter = 0;
  readonly #delays = new LogHistogram();
  readonly #queues = new LogHistogram();
  /** By stream: the latest starts of kernels, in order. */
  readonly #starts = new Map<string, number[]>();

  /** To be called in order of start. */
  take(record: KernelLine): void {
    const { start, dur, device, stream, graph } = record;
    const launch = launchOf(record);
    if (launch === null || launch.dur === null || dur === null || graph !== undefined) return;
    if (!Number.isFinite(start + dur + launch.dur)) return;
    this.#kernels++;
    if (dur < launch.dur) this.#shorter++;
    this.#delays.add(Math.max(0, start - launch.start - launch.dur));
    const starts = boundedEntryOf(this.#starts, `${device}/${stream ?? ''}`, MOST_STREAMS, (): number[] => []);
    if (starts === null) return;
    this.#queues.add(starts.length - countUpTo(starts.length, (at) => elementAt(starts, at), launch.start));
    if (start >= (starts.at(-1) ?? -Infinity)) starts.push(start);
    if (starts.length > 2 * MOST_STARTS) starts.splice(0, MOST_STARTS);
  }

  get result(): LaunchWaits | null {
    const [delay, queue] = [this.#delays.distribution, this.#queues.distribution];
    if (delay === null || queue === null) return null;
    return { kernels: this.#kernels, shorter: this.#shorter, delay, queue };
  }
}
