/**
 * Sums over matched operations: by kind, size class and kind of group, and by group. Times in ns, rates in bytes per
 * second.
 */
import { busFactor } from '../../ops/collective-bytes.js';
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { median } from '../../record/statistics.js';
import { NS_PER_S } from '../../record/units.js';
import type { GroupKind, KnownKind, GroupReach } from './group-kinds.js';
import { MESSAGE } from './matching/job-groups.js';
import type { OperationWaits } from './waits.js';

/** Sums over a set of operations. */
export interface TransferSums {
  readonly operations: number;
  /** Sum of S over operations whose size is known; null when none is. */
  readonly bytes: number | null;
  /** Mean over operations of the time that a rank waited for others. */
  readonly wait: number;
  /** Share of the waiting that could be clock error; null without waiting. */
  readonly unsure: number | null;
  /** Median time from the first rank to join to the last, and the maximum. */
  readonly skew: number;
  readonly longestSkew: number;
  /** Median time from the last rank to join to the end; null if unknown. */
  readonly transfer: number | null;
  /** Median over operations of S divided by the transfer time, and median of the bus bandwidth. */
  readonly algorithmBandwidth: number | null;
  readonly busBandwidth: number | null;
}

/** Sums over operations of one kind and about one size, in groups of one kind. */
export interface TransferClass extends TransferSums {
  readonly kind: string | null;
  readonly groupKind: GroupKind | null;
  /** Lower end of the size class, a power of four in bytes; null when sizes are unknown. */
  readonly size: number | null;
  readonly groups: number;
  /** Number of operations with ranks that have no profile: their waits are lower bounds, their transfers upper bounds. */
  readonly incomplete: number;
  /** Link peak of all groups if it is the same, in bytes/s. */
  readonly linkPeak: number | null;
}

/** Sums over operations during the pass. */
export class TransferCounter {
  #operations = 0;
  #bytes: number | null = null;
  #waited = 0;
  #unsure = 0;
  #waits = 0;
  readonly #skews: number[] = [];
  readonly #transfers: number[] = [];
  readonly #algorithm: number[] = [];
  readonly #bus: number[] = [];

  /** @param size number of ranks of the group, captured or not; null when unknown */
  add({ operation, waits, unsure, skew, transfer }: OperationWaits, size: number | null): void {
    const { bytes, kind } = operation.signature;
    this.#operations++;
    this.#skews.push(skew);
    for (const wait of waits) this.#waited += wait;
    for (const wait of unsure) this.#unsure += wait;
    this.#waits += waits.length;
    if (bytes !== null) this.#bytes = (this.#bytes ?? 0) + bytes;
    if (transfer === null) return;
    this.#transfers.push(transfer);
    // Without the other ranks it is unknown when the last one joined.
    if (bytes === null || size === null || size !== waits.length) return;
    const rate = (bytes / transfer) * NS_PER_S;
    this.#algorithm.push(rate);
    const factor = busFactor(kind === MESSAGE ? 'send' : (kind ?? ''), size);
    if (factor !== null) this.#bus.push(rate * factor);
  }

  get sums(): TransferSums {
    return {
      operations: this.#operations,
      bytes: this.#bytes,
      wait: this.#waited / Math.max(1, this.#waits),
      unsure: this.#waited > 0 ? this.#unsure / this.#waited : null,
      skew: median(this.#skews) ?? 0,
      longestSkew: this.#skews.reduce((most, skew) => Math.max(most, skew), 0),
      transfer: median(this.#transfers),
      algorithmBandwidth: median(this.#algorithm),
      busBandwidth: median(this.#bus),
    };
  }
}

/** The largest power of four bytes that is not above the size; null for an unknown size. */
export const sizeClass = (bytes: number | null): number | null =>
  bytes === null || bytes < 1 ? null : 4 ** Math.floor(Math.log2(bytes) / 2);

interface OpenClass {
  readonly kind: string | null;
  readonly groupKind: GroupKind | null;
  readonly size: number | null;
  readonly groups: Set<number>;
  readonly incomplete: Set<number>;
  readonly counter: TransferCounter;
  readonly links: Set<number | null>;
}

/** Classes of operations during the pass. */
export class TransferClasses {
  readonly #classes = new Map<string, OpenClass>();

  add(
    waits: OperationWaits,
    group: number,
    groupKind: KnownKind | null,
    { size: ranks, isComplete, linkPeak }: GroupReach,
  ): void {
    const { kind, bytes } = waits.operation.signature;
    const size = sizeClass(bytes);
    const openClass = entryOf(this.#classes, JSON.stringify([kind, groupKind?.kind ?? null, size]), () => ({
      ...{ kind, groupKind: groupKind?.kind ?? null, size },
      ...{ groups: new Set<number>(), incomplete: new Set<number>() },
      ...{ counter: new TransferCounter(), links: new Set<number | null>() },
    }));
    openClass.groups.add(group);
    if (isComplete === false) openClass.incomplete.add(group);
    openClass.links.add(linkPeak);
    openClass.counter.add(waits, ranks);
  }

  /** Largest wait first. */
  get all(): TransferClass[] {
    return [...this.#classes.values()]
      .map(({ counter, groups, incomplete, links, ...place }) => ({
        ...place,
        groups: groups.size,
        incomplete: incomplete.size,
        linkPeak: links.size === 1 ? ([...links][0] ?? null) : null,
        ...counter.sums,
      }))
      .sort((a, b) => b.wait * b.operations - a.wait * a.operations || order(a, b));
  }
}

const order = (a: TransferClass, b: TransferClass): number =>
  JSON.stringify([a.kind, a.groupKind, a.size]) < JSON.stringify([b.kind, b.groupKind, b.size]) ? -1 : 1;

/** Waits of each rank: how long it waited for others, and others for it. */
export class RankWaits {
  /** Time that each part waited. */
  readonly waited: number[];
  /** Part of the waiting that could be clock error. */
  readonly unsure: number[];
  /** For each part, the number of operations that it joined last, and the number of all that it joined. */
  readonly last: number[];
  readonly joined: number[];
  /** For each part, how much later it joined than the rank before it, in operations that it joined last. */
  readonly delayed: number[];

  constructor(parts: number) {
    const zeros = (): number[] => new Array<number>(parts).fill(0);
    [this.waited, this.unsure, this.last] = [zeros(), zeros(), zeros()];
    [this.joined, this.delayed] = [zeros(), zeros()];
  }

  add({ parts, waits, unsure, last, behind }: OperationWaits): void {
    for (const [index, part] of parts.entries()) {
      this.waited[part] = elementAt(this.waited, part) + elementAt(waits, index);
      this.unsure[part] = elementAt(this.unsure, part) + elementAt(unsure, index);
      this.joined[part] = elementAt(this.joined, part) + 1;
    }
    this.last[last] = elementAt(this.last, last) + 1;
    this.delayed[last] = elementAt(this.delayed, last) + behind;
  }
}
