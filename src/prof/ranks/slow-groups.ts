/**
 * Groups whose transfers take longer than those of other groups with the same kind, size, message size and reach, which
 * indicates a slow link. Groups within a machine are compared with each other, as are groups between machines.
 */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { median } from '../../record/statistics.js';
import { falseDiscovery, mannWhitney } from '../diff/mann-whitney.js';
import type { GroupReach, GroupKind, KnownKind } from './group-kinds.js';
import { logChoices, mostLate } from './stragglers/late-alike.js';
import type { OperationWaits } from './waits.js';

/** Transfers of one kind of operation and size in one group. */
export interface SlowTransfers {
  readonly group: number;
  readonly kind: string | null;
  readonly groupKind: GroupKind | null;
  readonly bytes: number | null;
  /** Median times of the group, and of the other groups, in ns. */
  readonly time: number;
  readonly others: number;
  readonly operations: number;
  readonly q: number;
}

/** Maximum number of transfers to keep for each group and class. */
const MOST_KEPT = 500;
/** Minimum slowdown that indicates a slow link. */
const LEAST_RATIO = 1.1;
const FALSE_DISCOVERY_RATE = 0.01;

export class GroupTransfers {
  readonly #classes = new Map<string, Map<number, number[]>>();

  add(
    { operation, transfer, parts }: OperationWaits,
    group: number,
    kind: KnownKind | null,
    { size, machines }: GroupReach,
  ): void {
    // When some rank has no profile, the apparent transfer may include time in which all other ranks waited for it.
    if (transfer === null || (size !== null && parts.length < size)) return;
    const isWithin = machines === null ? null : machines === 1;
    const { signature } = operation;
    const key = JSON.stringify([signature.kind, kind?.kind ?? null, signature.bytes, parts.length, isWithin]);
    const groups = entryOf(this.#classes, key, () => new Map<number, number[]>());
    const list = entryOf(groups, group, (): number[] => []);
    if (list.length < MOST_KEPT) list.push(transfer);
  }

  /** Largest lost time first. */
  get slow(): SlowTransfers[] {
    const tests = [...this.#classes].flatMap(([key, groups]) => testsOf(key, groups));
    const qs = falseDiscovery(tests.map(({ p }) => p));
    return tests
      .flatMap(({ p, ...row }, index) => {
        const q = p === null ? null : (qs[index] ?? null);
        return q !== null && q <= FALSE_DISCOVERY_RATE && row.time >= LEAST_RATIO * row.others ? [{ ...row, q }] : [];
      })
      .sort((a, b) => (b.time - b.others) * b.operations - (a.time - a.others) * a.operations || a.group - b.group);
  }
}

function testsOf(
  key: string,
  groups: ReadonlyMap<number, readonly number[]>,
): (Omit<SlowTransfers, 'q'> & { readonly p: number | null })[] {
  const [kind, groupKind, bytes] = JSON.parse(key) as [string | null, GroupKind | null, number | null];
  if (groups.size < 3) return [];
  const medians = new Map([...groups].map(([group, times]) => [group, median(times) ?? 0] as const));
  const rising = [...medians.values()].sort((a, b) => a - b);
  const fast = elementAt(rising, rising.length - mostLate(rising.length) - 1);
  const typical = [...groups].filter(([group]) => isTypical(medians, group, fast));
  const times = typical.flatMap(([, groupTimes]) => groupTimes).slice(0, 2000);
  const others = elementAt(rising, (typical.length - 1) >> 1);
  // If the fast groups are the minority, other groups could have been the fast ones by chance, so the probability is
  // multiplied by the number of choices (Bonferroni).
  const choices = 2 * typical.length < groups.size ? Math.exp(logChoices(groups.size, typical.length)) : 1;
  const chanceOf = (group: number, groupTimes: readonly number[]): number | null => {
    const p = isTypical(medians, group, fast) ? null : (mannWhitney(times, groupTimes)?.p ?? null);
    return p === null ? null : Math.min(1, choices * p);
  };
  return [...groups].map(([group, groupTimes]) => ({
    ...{ group, kind, groupKind, bytes, time: medians.get(group) ?? 0, others, operations: groupTimes.length },
    p: chanceOf(group, groupTimes),
  }));
}

const isTypical = (medians: ReadonlyMap<number, number>, group: number, fast: number): boolean =>
  (medians.get(group) ?? 0) < LEAST_RATIO * fast;
