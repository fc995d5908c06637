/** Idle time of a device by its cause: a late launch, the queue, or a wait for a transfer. */
import { gapEnd, type GapEnd } from '../../containers/interval-union.js';
import { MissingTimes } from './missing-work.js';
import { TransferWaits } from './transfers.js';

export class GapSums {
  readonly missing = new MissingTimes();
  readonly transfers = new TransferWaits();
  count = 0;
  longest = 0;
  /** In picoseconds. */
  host = 0;
  queue = 0;
  transfer = 0;

  /** @param launched start of the launch of the work that ended the gap; NaN when not known */
  readonly add = (from: number, to: number, launched: number): void => {
    const before = this.missing.take(from, to);
    if (before === null)
      this.#add(to - from, this.transfers.filling(from, to) === null ? gapEnd(from, launched) : 'transfer');
    // The device ran out of work before the host launched the work that is missing.
    else if (before > 0) this.#add(before, 'host');
  };

  #add(length: number, end: GapEnd | 'transfer'): void {
    this.count++;
    this.longest = Math.max(this.longest, length);
    if (end !== null) this[end] += length;
  }
}
