/**
 * The rate at which devices move data by transfers of one kind: their bytes over the time in which at least one of a device
 * runs. Transfers that overlap on a device share its link, so that the sum of their times says nothing about the rate.
 * Needs nothing of Node. Memory: three numbers per device.
 */
import { IntervalUnion } from '../../containers/interval-union.js';
import { entryOf } from '../../containers/map-entry.js';
import { NS_PER_S } from '../../record/units.js';

export class TransferRate {
  #bytes = 0;
  readonly #devices = new Map<number, IntervalUnion>();

  /** Adds a transfer, in order of start on its device. Times in ns. */
  add(device: number, start: number, dur: number, bytes: number): void {
    this.#bytes += bytes;
    entryOf(this.#devices, device, () => new IntervalUnion()).add(start, start + dur);
  }

  /** Mean over the devices; null when no transfer took time. */
  get bytesPerS(): number | null {
    const time = [...this.#devices.values()].reduce((sum, { total }) => sum + total, 0);
    return time > 0 ? (this.#bytes / time) * NS_PER_S : null;
  }
}
