/** Messages of collectives between ranks, equal ones added up. */
import { entryOf } from '../../../containers/map-entry.js';
import type { Transfer } from '../../../record/fields/transfer.js';
import type { Writable } from '../../../containers/writable.js';

/** A rank that the profiler does not state. */
const NO_RANK = 4294967295;
const ON_CHIP = 'ON_CHIP';

export class Transfers {
  readonly #sums = new Map<string, Writable<Transfer>>();

  /**
   * @param link name of the link; messages over none are left out
   * @param bytes size; tasks that move nothing, as those that notify, have 0
   * @param ns NaN when unknown
   */
  add(src: number, dst: number, link: string, bytes: number, ns: number): void {
    if (!(bytes > 0) || link === 'N/A' || /INVALID|RESERVED/.test(link)) return;
    const from = rankOf(src);
    // What stays on the chip comes to the rank that it is from.
    const to = link === ON_CHIP ? from : rankOf(dst);
    const none = (): Writable<Transfer> => ({ src: from, dst: to, link, bytes, count: 0, dur: 0 });
    const sum = entryOf(this.#sums, `${link},${from ?? ''},${to ?? ''},${bytes}`, none);
    sum.count++;
    sum.dur = sum.dur === null || Number.isNaN(ns) ? null : sum.dur + ns;
  }

  /** In order of link, ranks and size. */
  get all(): Transfer[] {
    return [...this.#sums.values()].sort(
      (a, b) =>
        (a.link === b.link ? 0 : a.link < b.link ? -1 : 1) ||
        (a.src ?? -1) - (b.src ?? -1) ||
        (a.dst ?? -1) - (b.dst ?? -1) ||
        a.bytes - b.bytes,
    );
  }
}

const rankOf = (rank: number): number | null => (rank >= 0 && rank !== NO_RANK ? rank : null);
