/**
 * Work attribution: the work of an op call is distributed once over the kernels that it launched. It is assigned to the
 * kernel that computes the result; kernels of one name that compute it piece by piece share it in proportion to their
 * times, as do kernels of all names if the op is several products; helpers (layout changes, split-K sums, fills) have none.
 * Work that the op's arguments do not determine is unknown: that of a second product next to the one that has the work, and
 * any part of an op whose whole work is unknown.
 */
import { elementAt, largest } from '../../containers/element.js';
import type { Work, Family } from '../../ops/family.js';
import { kernelKind, isShortcut, isProductKernel } from '../../ops/kernels/kernel-name.js';
import { LruCache } from '../../containers/map-entry.js';
import type { ResolvedWork } from '../../ops/resolve-work.js';
import type { KernelRecord, OpCall } from '../../record/record.js';

/** A kernel of the call, with the work that follows from its name alone. */
export interface CallKernel {
  readonly record: Pick<KernelRecord, 'name' | 'short' | 'dur' | 'callIds'>;
  readonly described: ResolvedWork;
}

const hasProductRole = ({ role }: Work): boolean => role === 'main' || role === 'dgrad' || role === 'wgrad';

/** Whether the kernel is a product according to its name and to its op's family. */
const isNamedProduct = ({ record, described }: CallKernel): boolean =>
  hasProductRole(described.work) && isProductKernel(record);

/** Number of calls whose parts are cached, because calls of a loop repeat. */
const KEPT = 2048;
const found = new LruCache<OpCall, { readonly family: Family; readonly parts: readonly Work[] | null }>(KEPT);

/** The parts of an op that computes several results with separate kernels; null for all other ops. */
function partsOf({ described: { call, family } }: CallKernel): readonly Work[] | null {
  if (family.parts === undefined) return null;
  const known = found.get(call);
  if (known?.family === family) return known.parts;
  const parts = family.parts(call);
  found.set(call, { family, parts });
  return parts;
}

/**
 * The work of each kernel of one call, in the order of the kernels. The known work adds up to the work of the op.
 * @param inner whether inner ops with their own formulas also launched kernels
 */
export function distributeWork(members: readonly CallKernel[], inner: boolean): Work[] {
  const trials = trialsAmong(members);
  if (trials.size === 0) return distribute(members, inner);
  const rest = distribute(
    members.filter((_, i) => !trials.has(i)),
    inner,
  );
  let next = 0;
  return members.map(({ described }, i) => (trials.has(i) ? workOfTrial(described.work) : elementAt(rest, next++)));
}

function distribute(members: readonly CallKernel[], inner: boolean): Work[] {
  const [first] = members;
  if (first === undefined) return [];
  const parts = partsOf(first);
  const given = members.map((): Work | null => null);
  if (parts !== null && parts.length > 0) assignParts(parts, members, given, inner);
  else {
    const able = candidates(members);
    const mains = longest(able, members);
    // Element types may be inferred from the kernel's name; those of the main kernel are used.
    const { whole } = elementAt(members, mains[0] ?? 0).described;
    const isShared = whole.severalProducts === true && isNamedProduct(elementAt(members, mains[0] ?? 0));
    assign(whole, isShared ? able : mains, members, given);
  }
  const shortcuts = callsWithShortcut(members);
  return members.map((member, i) => {
    const work = given[i] ?? workBesideMain(member);
    return work.role !== 'helper' && shortcuts.has(innermostCall(member.record)) ? { ...work, shortcut: true } : work;
  });
}

const innermostCall = ({ callIds }: CallKernel['record']): number | undefined => callIds?.at(-1);

/**
 * The innermost calls whose algorithm does fewer FLOPs than the plain form, according to the name of any of their kernels:
 * the products inside a Winograd convolution have ordinary names.
 */
const callsWithShortcut = (members: readonly CallKernel[]): ReadonlySet<number | undefined> =>
  new Set(members.filter(({ record }) => isShortcut(record.name)).map(({ record }) => innermostCall(record)));

/** Zero work, for a kernel that gets no share of its op's work; its role is bias kernel or helper. */
export const withoutWork = (work: Work): Work => ({
  ...work,
  role: work.role === 'bias' ? 'bias' : 'helper',
  flops: 0,
  bytes: 0,
  formula: "0: the op's work is assigned to its main kernel",
});

/**
 * The work of a kernel in an op whose work is assigned to other kernels. If it is a product by its name, its work is
 * unknown, because it does some; so is that of any kernel other than a helper if the op's work is unknown.
 */
export function workBesideMain(member: CallKernel): Work {
  const { described } = member;
  const { work, whole } = described;
  if (work.byName === true) return work;
  const why = whole.unknown ?? FURTHER_PRODUCT;
  if (isNamedProduct(member)) return { ...work, flops: null, bytes: null, formula: NOT_KNOWN, unknown: why };
  const none = withoutWork(work);
  if (!hasProductRole(work) || kernelKind(member.record) === 'helper') return none;
  const [flops, bytes] = [whole.flops === null ? null : 0, whole.bytes === null ? null : 0];
  return flops === 0 && bytes === 0 ? none : { ...none, flops, bytes, formula: NOT_KNOWN, unknown: why };
}

const NOT_KNOWN = 'unknown: the work that the arguments of the call determine is assigned to another kernel';
const FURTHER_PRODUCT = 'another product of the call, which its arguments do not determine';

/** Indices of the kernels that may compute the result, according to their names; all when this is undetermined. */
function candidates(members: readonly CallKernel[]): number[] {
  const all = members.map((_, i) => i);
  const main = all.filter((i) => hasProductRole(elementAt(members, i).described.work));
  if (main.length === 0) return all;
  // A product's name is preferred to an unclear one, because an epilogue is not a product, however long it takes.
  const products = main.filter((i) => isMatrixProduct(elementAt(members, i)));
  return products.length > 0 ? products : main;
}

const isMatrixProduct = (member: CallKernel): boolean => member.described.whole.matmul && isNamedProduct(member);

/** Distributes work over those kernels whose common name took the most time, or over all of them if they share it. */
function assign(work: Work, to: readonly number[], members: readonly CallKernel[], given: (Work | null)[]): void {
  const chosen = work.severalProducts === true ? to : longest(to, members);
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

/** The kernels whose common name took the most total time; of equal names, the one that came first. */
const longest = (chosen: readonly number[], members: readonly CallKernel[]): number[] =>
  byTime(chosen, members)[0] ?? [];

/** Kernels by name, sorted by total time, then by first appearance. */
function byTime(chosen: readonly number[], members: readonly CallKernel[]): number[][] {
  const groups = new Map<string, { time: number; indices: number[] }>();
  for (const i of chosen) {
    const member = elementAt(members, i);
    const { name } = member.record;
    const group = groups.get(name) ?? { time: 0, indices: [] };
    group.time += durationOf(member);
    group.indices.push(i);
    groups.set(name, group);
  }
  return [...groups.values()].sort((a, b) => b.time - a.time).map(({ indices }) => indices);
}

/** Splits an integer by weights into integers that add up to it; equally if all weights are 0. */
function split(total: number | null, weights: readonly number[]): (number | null)[] {
  if (total === null || weights.length === 1) return weights.map(() => total);
  const sum = weights.reduce((a, b) => a + b, 0);
  const shares: number[] = [];
  let given = 0;
  let weight = 0;
  weights.forEach((ownWeight, i) => {
    weight += sum === 0 ? 1 / weights.length : ownWeight / sum;
    const until = i === weights.length - 1 ? total : Math.min(total, Math.round(total * weight));
    shares.push(until - given);
    given = until;
  });
  return shares;
}

/**
 * Distributes the parts of an op: each to the kernels whose names have its role; the others, in order, to the main kernels.
 * The last main kernel takes all remaining parts.
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
    // A bias gradient is usually summed by an inner op, which has that work.
    return named.length === 0 && !(part.role === 'bias' && inner);
  });
  const takers = byTime(withRole('main'), members);
  const allNamed = takers.length === 0 && unassigned.length < parts.length;
  const fallback = longest(candidates(members), members);
  unassigned.forEach((part, i) => {
    // A network's first convolution has only a weight gradient: the gradient of its input is not computed.
    if (part.perhaps === true && allNamed) return;
    const to = takers[Math.min(i, takers.length - 1)] ?? fallback;
    assign(part, to, members, given);
  });
}

/** Minimum number of distinct product names in one call for them to be trials. */
const FEWEST_NAMES = 3;

const ROLES = ['main', 'dgrad', 'wgrad'] as const;

/** Indices of the trials among the kernels of one call, which are in order of start time. */
export function trialsAmong(members: readonly CallKernel[]): ReadonlySet<number> {
  const trials = new Set<number>();
  if (members.length < FEWEST_NAMES) return trials;
  for (const role of ROLES) {
    const products = members.flatMap((member, i) => (isOneProduct(member, role) ? [i] : []));
    for (const i of triedOf(products, members)) trials.add(i);
  }
  const isSingle = members.every((member) => partsOf(member) === null);
  // A kernel that prepares a trial is part of it; for the gradients of a convolution it is unknown which one it prepares.
  if (isSingle) for (let i = largest(trials, -1); i >= 0; i--) trials.add(i);
  return trials;
}

function isOneProduct(member: CallKernel, role: Work['role']): boolean {
  const { work, whole } = member.described;
  if (work.role !== role || !whole.matmul || whole.severalProducts === true || whole.flops === null) return false;
  return isNamedProduct(member);
}

function triedOf(products: readonly number[], members: readonly CallKernel[]): readonly number[] {
  const names = products.map((i) => elementAt(members, i).record.name);
  if (new Set(names).size < FEWEST_NAMES) return [];
  const chosen = names.at(-1);
  const others = names.findLastIndex((name) => name !== chosen) + 1;
  const launches = names.length - others;
  const wasTried = names.indexOf(chosen ?? '') < others;
  return products.slice(0, wasTried ? others : others + Math.floor(launches / 2));
}

/** The work of a trial, which gets none of the op's work. */
export const workOfTrial = (work: Work): Work => ({
  ...work,
  role: 'trial',
  flops: 0,
  bytes: 0,
  formula: "0: a trial run; the op's work is assigned to the kernel that was chosen",
});
