/** Names with their count and total time, and operations by kind, within a bound. Needs nothing of Node. */
import { PS_PER_NS } from '../../containers/interval-union.js';
import { boundedEntryOf, entryOf } from '../../containers/map-entry.js';
import { addTimes } from '../../record/fields/times.js';
import { TransferRate } from '../steps/transfers.js';
import type { CollectiveOperations, MemoryOperations, Tally, TimedTally } from './summary-data.js';

/** Maximum number of names to keep, and of their characters. */
const MOST_NAMES = 50_000;
const MOST_TEXT = 32 * 1024 * 1024;

/** Name of the entry for all names beyond the bound. */
export const OTHERS = '(others)';

export class Tallies {
  readonly #sums = new Map<string, { count: number; time: number; untimed: number }>();
  #text = 0;

  /** @param time in ns; null if unknown */
  add(name: string, time: number | null): void {
    const sum = this.#sums.get(name) ?? this.#enter(name);
    sum.count++;
    if (time === null) sum.untimed++;
    else sum.time = addTimes(sum.time, time);
  }

  get size(): number {
    return this.#sums.size;
  }

  /** Largest time first, up to a maximum number. */
  byTime(most = Infinity): Tally[] {
    return this.#all((a, b) => timeOf(b) - timeOf(a) || b.count - a.count).slice(0, most);
  }

  /** Largest count first, up to a maximum number. */
  byCount(most: number): Tally[] {
    return this.#all((a, b) => b.count - a.count || timeOf(b) - timeOf(a)).slice(0, most);
  }

  #all(order: (a: Tally, b: Tally) => number): Tally[] {
    const all = [...this.#sums].map(([name, { untimed, ...sum }]) => tallyOf(name, sum, untimed));
    return all.sort((a, b) => order(a, b) || (a.name < b.name ? -1 : 1));
  }

  #enter(name: string) {
    this.#text += name.length;
    const isFull = this.#sums.size >= MOST_NAMES || this.#text > MOST_TEXT;
    return entryOf(this.#sums, isFull ? OTHERS : name, () => ({ count: 0, time: 0, untimed: 0 }));
  }
}

/** Sorts unknown times last. */
const timeOf = ({ time }: Tally): number => time ?? 0;

/**
 * A sum of times, some of which may be unknown.
 * @param untimed number of unknown times
 */
export const knownTime = ({ count, time }: Pick<TimedTally, 'count' | 'time'>, untimed: number): number | null =>
  untimed > 0 && untimed === count ? null : toPicoseconds(time);

/** @param untimed number of those without a duration */
const tallyOf = (name: string, sum: Pick<TimedTally, 'count' | 'time'>, untimed: number): Tally => ({
  ...{ name, count: sum.count, time: knownTime(sum, untimed) },
  ...(untimed > 0 ? { untimed } : {}),
});

/** Total time of all; null when none has a known time. */
export function sumOf(tallies: readonly Tally[]): number | null {
  const times = tallies.flatMap(({ time }) => time ?? []);
  return times.length === 0 && tallies.length > 0 ? null : toPicoseconds(times.reduce((sum, time) => sum + time, 0));
}

/** Rounds a sum of ns to picoseconds, because digits beyond that are rounding errors. */
const toPicoseconds = (ns: number): number => Math.round(ns * PS_PER_NS) / PS_PER_NS;

interface Sum {
  count: number;
  time: number;
  untimed: number;
  bytes: number | null;
  unsized: number;
  /** Rate of the operations with known size and time and a plausible end. */
  readonly rate: TransferRate;
  readonly groups: Set<string>;
}

interface Operation {
  /** Unit: ns; null if unknown. */
  readonly time: number | null;
  readonly bytes: number | null;
  /** Where and when it ran, in ns; absent when only its time is known: it then overlaps with no other. */
  readonly at?: { readonly device: number; readonly start: number };
  /** Whether the recorded end is not plausible, so that it is unknown how long it moved data. */
  readonly isCut?: boolean;
  /** Group of devices; null for none. */
  readonly group?: string | null;
  /** Number of operations. */
  readonly count?: number;
}

const noSum = (): Sum => ({
  ...{ count: 0, time: 0, untimed: 0, bytes: null, unsized: 0, rate: new TransferRate() },
  groups: new Set<string>(),
});

/** Maximum number of kinds and groups to keep; all others share one entry. */
const MOST_KINDS = 200;
const MOST_GROUPS = 100;
const OTHER_KINDS = 'others';

/** Operations by kind: how many, how long, how many bytes. */
export class OperationSums {
  readonly #sums = new Map<string, Sum>();

  add(kind: string, { time, bytes, at, isCut = false, group = null, count = 1 }: Operation): void {
    const sum = boundedEntryOf(this.#sums, kind, MOST_KINDS, noSum) ?? entryOf(this.#sums, OTHER_KINDS, noSum);
    sum.count += count;
    sum.time += time ?? 0;
    if (time === null) sum.untimed += count;
    if (group !== null && sum.groups.size < MOST_GROUPS) sum.groups.add(group);
    if (bytes === null) {
      sum.unsized += count;
      return;
    }
    sum.bytes = (sum.bytes ?? 0) + bytes;
    if (time === null || isCut) return;
    const { device, start } = at ?? { device: 0, start: sum.time - time };
    sum.rate.add(device, start, time, bytes);
  }

  get memory(): MemoryOperations[] {
    return this.#sorted().map(([kind, { untimed, bytes, unsized, rate, ...sum }]) => ({
      ...{ kind, count: sum.count, time: knownTime(sum, untimed), bytes },
      ...(bytes !== null && unsized > 0 ? { unsized } : {}),
      bytesPerS: rate.bytesPerS,
    }));
  }

  get collectives(): CollectiveOperations[] {
    return this.#sorted().map(([name, { untimed, bytes, groups, ...sum }]) => {
      return { ...tallyOf(name, sum, untimed), bytes, groups: [...groups].sort() };
    });
  }

  /** Sorted by time, largest first. */
  #sorted(): [string, Sum][] {
    return [...this.#sums].sort(([a, x], [b, y]) => y.time - x.time || y.count - x.count || (a < b ? -1 : 1));
  }
}
