/**
 * One op call, several kernels: the op's work is given out once. It goes to the kernel that does it; kernels of the same
 * name that do it piece by piece share it by their times; helpers (layout changes, split-K sums, fills) have none.
 * Pure: kernels and their works in, shares out.
 */
import type { ResolvedWork } from '../../ops/resolve-work.js';
import type { Work } from '../../ops/family.js';
import { isShortcut } from '../../ops/kernels/product-name.js';
import type { KernelRecord } from '../../record/record.js';

/** A kernel of the call, and what the call's family says of it by its name. */
export interface CallKernel {
  readonly record: Pick<KernelRecord, 'name' | 'dur' | 'callIds'>;
  readonly described: ResolvedWork;
}

/**
 * What each kernel of one call has of its work, in the order of the kernels. The FLOPs and bytes of all of them
 * together are those of the op.
 * @param inner whether ops inside the call launched kernels too, which have formulas of their own
 */
export function distributeWork(members: readonly CallKernel[], inner: boolean): Work[] {
  const [first] = members;
  if (first === undefined) return [];
  const parts = first.described.family.parts?.(first.described.call) ?? null;
  const given = members.map((): Work | null => null);
  if (parts !== null && parts.length > 0) giveParts(parts, members, given, inner);
  else {
    const mains = longest(candidates(members), members);
    // Element types may be taken from the kernel's name: the main kernel's counts.
    const { described } = members[mains[0] ?? 0] ?? first;
    give(described.whole, mains, members, given);
  }
  const shortcuts = callsWithShortcut(members);
  return members.map(({ record, described }, i) => {
    const work = given[i] ?? nothing(described.work);
    return work.role !== 'helper' && shortcuts.has(innermostCall(record)) ? { ...work, shortcut: true } : work;
  });
}

const innermostCall = ({ callIds }: CallKernel['record']): number | undefined => callIds?.at(-1);

/**
 * The innermost calls whose algorithm does less than the plain form, by the name of any of their kernels: the products
 * inside a Winograd convolution have names like all others.
 */
const callsWithShortcut = (members: readonly CallKernel[]): ReadonlySet<number | undefined> =>
  new Set(members.filter(({ record }) => isShortcut(record.name)).map(({ record }) => innermostCall(record)));

/** The work of a kernel that is given none: its role, if it is one beside the main kernel. */
export const nothing = (work: Work): Work => ({
  ...work,
  role: work.role === 'bias' ? 'bias' : 'helper',
  flops: 0,
  bytes: 0,
  formula: '0: the work of the op is given to its main kernel',
});

const isProduct = ({ role }: Work): boolean => role === 'main' || role === 'dgrad' || role === 'wgrad';

/** Kernels that may do the op itself, by their names; all where no name tells. */
function candidates(members: readonly CallKernel[]): number[] {
  const all = members.map((_, i) => i);
  const main = all.filter((i) => isProduct((members[i] as CallKernel).described.work));
  return main.length > 0 ? main : all;
}

/**
 * Gives a work to the candidates whose common name took the most time.
 * @param given by member; null before it is given any
 */
function give(work: Work, to: readonly number[], members: readonly CallKernel[], given: (Work | null)[]): void {
  const chosen = longest(to, members);
  const durations = chosen.map((i) => members[i]?.record.dur ?? 0);
  const flops = split(work.flops, durations);
  const bytes = split(work.bytes, durations);
  chosen.forEach((i, at) => {
    const before = given[i] ?? null;
    const [f, b] = [flops[at] ?? null, bytes[at] ?? null];
    given[i] = before === null ? { ...work, flops: f, bytes: b } : joined(before, work, f, b);
  });
}

/** One kernel with two parts of an op. */
const joined = (a: Work, b: Work, flops: number | null, bytes: number | null): Work => ({
  ...a,
  role: 'main',
  flops: a.flops === null || flops === null ? null : a.flops + flops,
  bytes: a.bytes === null || bytes === null ? null : a.bytes + bytes,
  formula: `${a.formula}; ${b.formula}`,
  ...(b.unknown === undefined ? undefined : { unknown: a.unknown ?? b.unknown }),
});

/** The kernels of one name that took the most time together; of several names the one that came first. */
const longest = (of: readonly number[], members: readonly CallKernel[]): number[] => byTime(of, members)[0] ?? [];

/** Kernels by name, those first that took the most time together, then those that came first. */
function byTime(of: readonly number[], members: readonly CallKernel[]): number[][] {
  const groups = new Map<string, { time: number; places: number[] }>();
  for (const i of of) {
    const record = members[i]?.record;
    if (record === undefined) continue;
    const group = groups.get(record.name) ?? { time: 0, places: [] };
    group.time += record.dur ?? 0;
    group.places.push(i);
    groups.set(record.name, group);
  }
  return [...groups.values()].sort((a, b) => b.time - a.time).map(({ places }) => places);
}

/** A whole number in shares of these weights, whole numbers again that add up to it; in equal ones without weights. */
function split(total: number | null, weights: readonly number[]): (number | null)[] {
  if (total === null || weights.length === 1) return weights.map(() => total);
  const sum = weights.reduce((a, b) => a + b, 0);
  const shares: number[] = [];
  let given = 0;
  let weight = 0;
  weights.forEach((own, i) => {
    weight += sum === 0 ? 1 / weights.length : own / sum;
    const until = i === weights.length - 1 ? total : Math.min(total, Math.round(total * weight));
    shares.push(until - given);
    given = until;
  });
  return shares;
}

/**
 * Gives out the parts of an op: each to the kernels whose names tell that part; the others, in order, to the kernels
 * whose names tell none, the last of them taking what is left over.
 */
function giveParts(
  parts: readonly Work[],
  members: readonly CallKernel[],
  given: (Work | null)[],
  inner: boolean,
): void {
  const withRole = (role: string): number[] =>
    members.flatMap(({ described }, i) => (described.work.role === role ? [i] : []));
  const untold = parts.filter((part) => {
    const told = withRole(part.role);
    if (told.length > 0) give(part, told, members, given);
    // A bias gradient is mostly summed by an op of its own inside, which has that work.
    return told.length === 0 && !(part.role === 'bias' && inner);
  });
  const takers = byTime(withRole('main'), members);
  const allTold = takers.length === 0 && untold.length < parts.length;
  const fallback = longest(candidates(members), members);
  untold.forEach((part, i) => {
    // The weight gradient of a network's first convolution: nobody asks for the input's.
    if (part.perhaps === true && allTold) return;
    const to = takers[Math.min(i, takers.length - 1)] ?? fallback;
    give(part, to, members, given);
  });
}
