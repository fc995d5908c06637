/**
 * Ranks in a trace that was merged from those of several processes: tools state the rank of each event in its `args`. Numbers
 * of devices are those of each process, so that all ranks of a job with a device each may have device 0.
 */
import { elementAt } from '../../../containers/element.js';
import type { Device } from '../../../record/record.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { NarrowColumn } from '../../../containers/narrow-column.js';
import { NumericColumn } from '../../../containers/numeric-column.js';

export class MergedRanks {
  /** Rows of activities that state a rank, and the rank. */
  readonly #rows = NumericColumn.counts();
  readonly #ranks = NumericColumn.floats();

  take(row: number, rank: number): void {
    if (!(rank >= 0)) return;
    this.#rows.push(row);
    this.#ranks.push(rank);
  }

  /**
   * Ranks by device; none unless there are several. Where ranks share the number of a device and have one each, devices get
   * the numbers of their ranks.
   * @param device of each activity
   */
  settle(device: NarrowColumn): ReadonlyMap<number, number> {
    const [ranksOf, devicesOf] = [new Map<number, Set<number>>(), new Map<number, Set<number>>()];
    for (let i = 0; i < this.#rows.length; i++) {
      const [rank, id] = [this.#ranks.at(i), device.at(this.#rows.at(i))];
      entryOf(ranksOf, id, () => new Set()).add(rank);
      entryOf(devicesOf, rank, () => new Set()).add(id);
    }
    if (devicesOf.size < 2) return new Map();
    if (areSingle(ranksOf)) return new Map([...ranksOf].map(([id, ranks]) => [id, elementAt([...ranks], 0)]));
    if (!areSingle(devicesOf) || this.#rows.length < device.length) return new Map();
    for (let i = 0; i < this.#rows.length; i++) device.set(this.#rows.at(i), this.#ranks.at(i));
    return new Map([...devicesOf.keys()].map((rank) => [rank, rank]));
  }
}

const areSingle = (sets: ReadonlyMap<number, ReadonlySet<number>>): boolean =>
  [...sets.values()].every(({ size }) => size === 1);

/** @param ranks by device */
export const withRanks = (devices: readonly Device[], ranks: ReadonlyMap<number, number>): Device[] =>
  devices.map((device) => {
    const rank = ranks.get(device.id);
    return rank === undefined ? device : { ...device, rank };
  });
