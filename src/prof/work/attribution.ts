/**
 * Work attribution: the work of an op call is distributed once over the kernels that it launched. It goes to the kernel
 * that computes the result; kernels of one name that compute it piece by piece share it by their times; helpers (layout
 * changes, split-K sums, fills) have none.
 */
import { elementAt } from '../../containers/element.js';
import type { ResolvedWork } from '../../ops/resolve-work.js';
import type { Work } from '../../ops/family.js';
import { isShortcut } from '../../ops/kernels/product-name.js';
import type { KernelRecord } from '../../record/record.js';

/** A kernel of the call, with its work by its name alone. */
export interface CallKernel {
  readonly record: Pick<KernelRecord, 'name' | 'dur' | 'callIds'>;
  readonly described: ResolvedWork;
}

/**
 * The work of each kernel of one call, in the order of the kernels. Their FLOPs and bytes add up to those of the op.
 * @param inner whether ops inside the call, with formulas of their own, launched kernels too
 */
export function distributeWork(members: readonly CallKernel[], inner: boolean): Work[] {
  const [first] = members;
  if (first === undefined) return [];
  const parts = first.described.family.parts?.(first.described.call) ?? null;
  const given = members.map((): Work | null => null);
  if (parts !== null && parts.length > 0) assignParts(parts, members, given, inner);
  else {
    const mains = longest(candidates(members), members);
    // Element types may be inferred from the kernel's name: those of the main kernel count.
    const [main = 0] = mains;
    assign(elementAt(members, main).described.whole, mains, members, given);
  }
  const shortcuts = callsWithShortcut(members);
  return members.map(({ record, described }, i) => {
    const work = given[i] ?? withoutWork(described.work);
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

/** The work of a kernel that has no part of its op's: none, with the role of a bias kernel or a helper. */
export const withoutWork = (work: Work): Work => ({
  ...work,
  role: work.role === 'bias' ? 'bias' : 'helper',
  flops: 0,
  bytes: 0,
  formula: '0: the work of the op is given to its main kernel',
});

const isProduct = ({ role }: Work): boolean => role === 'main' || role === 'dgrad' || role === 'wgrad';

/** Indices of the kernels that may compute the result, by their names; all where this is undetermined. */
function candidates(members: readonly CallKernel[]): number[] {
  const all = members.map((_, i) => i);
  const main = all.filter((i) => isProduct(elementAt(members, i).described.work));
  return main.length > 0 ? main : all;
}

/**
 * Distributes work over those candidates whose common name took the most time.
 * @param given work by kernel; null before it has any
 */
function assign(work: Work, to: readonly number[], members: readonly CallKernel[], given: (Work | null)[]): void {
  const chosen = longest(to, members);
  const durations = chosen.map((i) => durationOf(elementAt(members, i)));
  const flops = split(work.flops, durations);
  const bytes = split(work.bytes, durations);
  chosen.forEach((i, at) => {
    const before = given[i] ?? null;
    const [f, b] = [flops[at] ?? null, bytes[at] ?? null];
    given[i] = before === null ? { ...work, flops: f, bytes: b } : joined(before, work, f, b);
  });
}

const durationOf = ({ record: { dur } }: CallKernel): number => dur ?? 0;

/** The work of one kernel with two parts of an op. */
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
  const groups = new Map<string, { time: number; indices: number[] }>();
  for (const i of of) {
    const member = elementAt(members, i);
    const { name } = member.record;
    const group = groups.get(name) ?? { time: 0, indices: [] };
    group.time += durationOf(member);
    group.indices.push(i);
    groups.set(name, group);
  }
  return [...groups.values()].sort((a, b) => b.time - a.time).map(({ indices }) => indices);
}

/** Splits a whole number by weights into whole numbers that add up to it; equally where all weights are 0. */
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
 * Distributes the parts of an op: each to the kernels whose names have its role; the others, in order, to the main
 * kernels, of which the last one takes what is left over.
 */
function assignParts(
  parts: readonly Work[],
  members: readonly CallKernel[],
  given: (Work | null)[],
  inner: boolean,
): void {
  const withRole = (role: string): number[] =>
    members.flatMap(({ described }, i) => (described.work.role === role ? [i] : []));
  const unassigned = parts.filter((part) => {
    const named = withRole(part.role);
    if (named.length > 0) assign(part, named, members, given);
    // A bias gradient is mostly summed by an op inside, which has that work.
    return named.length === 0 && !(part.role === 'bias' && inner);
  });
  const takers = byTime(withRole('main'), members);
  const allNamed = takers.length === 0 && unassigned.length < parts.length;
  const fallback = longest(candidates(members), members);
  unassigned.forEach((part, i) => {
    // A network's first convolution has a weight gradient alone: the gradient of its input is not computed.
    if (part.perhaps === true && allNamed) return;
    const to = takers[Math.min(i, takers.length - 1)] ?? fallback;
    assign(part, to, members, given);
  });
}
