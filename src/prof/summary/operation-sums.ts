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
  /** Of operations with known size and time, for their rate. */
  ratedBytes: number;
  ratedTime: number;
  readonly groups: Set<string>;
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

  /** `time` is ns, null when it is not known; `group` is of devices, null for none; `count` that of operations. */
  add(kind: string, time: number | null, bytes: number | null, group: string | null = null, count = 1): void {
    const sum = boundedEntryOf(this.#sums, kind, MOST_KINDS, noSum) ?? entryOf(this.#sums, OTHERS, noSum);
    sum.count += count;
    sum.time += time ?? 0;
    if (time === null) sum.untimed += count;
    if (group !== null && sum.groups.size < MOST_GROUPS) sum.groups.add(group);
    if (bytes === null) return;
    sum.bytes = (sum.bytes ?? 0) + bytes;
    if (time === null) return;
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
