/** Operations by kind: how many, how long, how many bytes. */
import { boundedEntryOf, entryOf } from '../../containers/map-entry.js';
import { NS_PER_S } from '../../record/units.js';
import type { CollectiveOperations, MemoryOperations } from './summary-data.js';
import { knownTime, tallyOf } from './tallies.js';

interface Sum {
  count: number;
  time: number;
  untimed: number;
  bytes: number | null;
  /** Of operations with known size and time whose end is believed, for their rate. */
  ratedBytes: number;
  ratedTime: number;
  readonly groups: Set<string>;
}

interface Operation {
  /** ns; null when it is not known. */
  readonly time: number | null;
  readonly bytes: number | null;
  /** Whether its end is not believed: how long it moved bytes is not known. */
  readonly isCut?: boolean;
  /** Of devices; null for none. */
  readonly group?: string | null;
  /** Of operations. */
  readonly count?: number;
}

const noSum = (): Sum => ({
  ...{ count: 0, time: 0, untimed: 0, bytes: null, ratedBytes: 0, ratedTime: 0 },
  groups: new Set<string>(),
});

/** Kinds and groups that are kept; all others share one entry. */
const MOST_KINDS = 200;
const MOST_GROUPS = 100;
const OTHERS = 'others';

export class OperationSums {
  readonly #sums = new Map<string, Sum>();

  add(kind: string, { time, bytes, isCut = false, group = null, count = 1 }: Operation): void {
    const sum = boundedEntryOf(this.#sums, kind, MOST_KINDS, noSum) ?? entryOf(this.#sums, OTHERS, noSum);
    sum.count += count;
    sum.time += time ?? 0;
    if (time === null) sum.untimed += count;
    if (group !== null && sum.groups.size < MOST_GROUPS) sum.groups.add(group);
    if (bytes === null) return;
    sum.bytes = (sum.bytes ?? 0) + bytes;
    if (time === null || isCut) return;
    sum.ratedBytes += bytes;
    sum.ratedTime += time;
  }

  get memory(): MemoryOperations[] {
    return this.#sorted().map(([kind, { untimed, bytes, ratedBytes, ratedTime, ...sum }]) => {
      const bytesPerS = ratedTime > 0 ? (ratedBytes / ratedTime) * NS_PER_S : null;
      return { kind, count: sum.count, time: knownTime(sum, untimed), bytes, bytesPerS };
    });
  }

  get collectives(): CollectiveOperations[] {
    return this.#sorted().map(([name, { untimed, bytes, groups, ...sum }]) => {
      return { ...tallyOf(name, sum, untimed), bytes, groups: [...groups].sort() };
    });
  }

  /** Most time first. */
  #sorted(): [string, Sum][] {
    return [...this.#sums].sort(([a, x], [b, y]) => y.time - x.time || y.count - x.count || (a < b ? -1 : 1));
  }
}
