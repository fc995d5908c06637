/**
 * Loads of ranks by all-to-alls, above all of experts: what each rank sends and receives in each all-to-all of a step. These
 * are numbered for each group: those of one place belong to one layer in every step, the dispatch of tokens to their experts
 * before the return of the results. A rank's load is what it receives in the dispatch and sends in the return.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { JobGroup } from '../matching/job-groups.js';
import type { RankPart } from '../part/rank-part.js';

/** Sizes are means over operations, in bytes; null when the profile lacks the size of one of them. */
export interface ExpertLoad {
  /** Index of the group, and of the rank's part. */
  readonly group: number;
  readonly part: number;
  /** Position among the all-to-alls of the group in a step, from 0; null without steps. */
  readonly place: number | null;
  readonly operations: number;
  readonly sent: number | null;
  readonly received: number | null;
  /** Divided by the mean of the group's ranks; null unless all are known to have a profile with the same operations and sizes. */
  readonly sentRatio: number | null;
  readonly receivedRatio: number | null;
  /** The most that the rank sends to one rank, divided by the mean of all: mean over operations. */
  readonly spread: number | null;
}

/** Sums over the operations of a rank at one position. */
class Load {
  /** Step and element type of each operation: ranks that differ in these did different operations at the place. */
  readonly operations: string[] = [];
  #sent: number | null = 0;
  #received: number | null = 0;
  #spread: number | null = 0;

  add(operation: string, sent: number | null, received: number | null, spread: number | null): void {
    this.operations.push(operation);
    this.#sent = sum(this.#sent, sent);
    this.#received = sum(this.#received, received);
    this.#spread = sum(this.#spread, spread);
  }

  get means(): Pick<ExpertLoad, 'operations' | 'sent' | 'received' | 'spread'> {
    const operations = this.operations.length;
    const mean = (all: number | null): number | null => (all === null ? null : all / operations);
    return { operations, sent: mean(this.#sent), received: mean(this.#received), spread: mean(this.#spread) };
  }
}

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

/** The loads at each position of one member of a group. */
function loadsOfMember(part: RankPart, operations: readonly number[]): Map<number | null, Load> {
  const { kind, step, dtype, bytes, received = [], spread = [] } = part.operations;
  const loads = new Map<number | null, Load>();
  const counts = new Map<number, number>();
  for (const at of operations) {
    if (kind[at] !== 'all-to-all') continue;
    const number = step[at] ?? null;
    const place = number === null ? null : (counts.get(number) ?? 0);
    if (number !== null && place !== null) counts.set(number, place + 1);
    entryOf(loads, place, () => new Load()).add(
      `${number ?? ''} ${dtype[at] ?? ''}`,
      bytes[at] ?? null,
      received[at] ?? null,
      spread[at] ?? null,
    );
  }
  return loads;
}

/** Each value divided by their mean; null where one is unknown. */
function ratios(values: readonly (number | null)[]): (number | null)[] {
  const total = values.reduce(sum, 0);
  return values.map((value) =>
    value === null || total === null || total === 0 ? null : (value * values.length) / total,
  );
}

/** In order of groups, places and ranks. */
export function expertLoads(parts: readonly RankPart[], groups: readonly JobGroup[]): ExpertLoad[] {
  return groups.flatMap((job, group) => loadsOfGroup(parts, job, group));
}

function loadsOfGroup(parts: readonly RankPart[], { members, size }: JobGroup, group: number): ExpertLoad[] {
  const loads = members.map(({ part, operations }) => loadsOfMember(elementAt(parts, part), operations));
  const places = new Set(loads.flatMap((ofMember) => [...ofMember.keys()]));
  return [...places]
    .sort((a, b) => (a ?? Infinity) - (b ?? Infinity))
    .flatMap((place) => {
      const found = members.flatMap(({ part }, i) => {
        const load = loads[i]?.get(place);
        return load === undefined ? [] : [{ part, load }];
      });
      const rows = found.map(({ part, load }) => ({ group, part, place, ...load.means }));
      const areSame = new Set(found.map(({ load }) => load.operations.join())).size === 1;
      // Some ranks may lack a profile if the size of the group is unknown.
      if (size === null || found.length < Math.max(2, size) || !areSame)
        return rows.map((row) => ({ ...row, sentRatio: null, receivedRatio: null }));
      const [sent, received] = [ratios(rows.map((row) => row.sent)), ratios(rows.map((row) => row.received))];
      return rows.map((row, i) => ({ ...row, sentRatio: sent[i] ?? null, receivedRatio: received[i] ?? null }));
    });
}
