/** The groups of a job, each with the operations of its members: a process group, or two ranks that exchange messages. */
import { entryOf, groupsOf } from '../../../containers/map-entry.js';
import type { ProcessGroup } from '../../../record/fields/collective.js';
import type { RankPart, OperationColumns } from '../part/rank-part.js';

export interface OperationSignature {
  readonly kind: string | null;
  readonly bytes: number | null;
  readonly dtype: string | null;
}

/** Operations in which ranks may exchange parts of different sizes. */
const UNEVEN: ReadonlySet<string> = new Set(['all-to-all', 'gather', 'scatter', 'send-receive']);
/** Kind of the two ends of a message. */
export const MESSAGE = 'message';
const ENDS: ReadonlySet<string> = new Set(['send', 'receive']);

/**
 * The fields that the records of one operation must have in common on all ranks: kind, size and element type, if known.
 */
export function signatureOf({ kind, bytes, dtype }: OperationColumns, at: number): OperationSignature {
  const name = kind[at] ?? null;
  const isUneven = name !== null && UNEVEN.has(name);
  return {
    kind: name !== null && ENDS.has(name) ? MESSAGE : name,
    bytes: isUneven ? null : (bytes[at] ?? null),
    dtype: dtype[at] ?? null,
  };
}

/** Whether two records may belong to the same operation; an unknown value matches any. */
export const fits = (a: OperationSignature, b: OperationSignature): boolean =>
  agree(a.kind, b.kind) && agree(a.bytes, b.bytes) && agree(a.dtype, b.dtype);

const agree = (a: unknown, b: unknown): boolean => a === null || b === null || a === b;

/** Text of an operation for messages: `all-reduce of 8196000 bytes, float32`. */
export function signatureText({ kind, bytes, dtype }: OperationSignature): string {
  const size = bytes === null ? '' : ` of ${bytes} bytes`;
  return `${kind ?? 'operation'}${size}${dtype === null ? '' : `, ${dtype}`}`;
}

/** Operations of one rank in one group. */
export interface GroupMember {
  /** Index of the rank's part. */
  readonly part: number;
  /** Indices of its operations, in order of start time. */
  readonly operations: readonly number[];
}

export interface JobGroup {
  readonly name: string | null;
  readonly description: string | null;
  /** Ranks of the group, with or without a profile; null when no profile lists them. */
  readonly ranks: readonly number[] | null;
  readonly size: number | null;
  /** For messages between two ranks: sender and receiver. */
  readonly pair: readonly [from: number, to: number] | null;
  /** Whether its operations are messages whose other rank is unknown. */
  readonly lone: boolean;
  /** Members with a profile, in order of parts. */
  readonly members: readonly GroupMember[];
}

/** A group while it is collected. */
interface OpenGroup extends Omit<JobGroup, 'members'> {
  readonly operations: Map<number, number[]>;
}

/** Each process names its groups itself. Groups with the same name but other ranks are different. */
const keyOf = ({ name, ranks }: StatedGroup, pair: JobGroup['pair'], lone: boolean): string =>
  JSON.stringify([name, ranks, pair, lone]);

type StatedGroup = Pick<JobGroup, 'name' | 'description' | 'ranks' | 'size'>;

/** Groups in order of their first operation, part by part. */
export function jobGroups(parts: readonly RankPart[]): JobGroup[] {
  const open = new Map<string, OpenGroup>();
  for (const [index, part] of parts.entries()) addPart(open, part, index);
  return [...open.values()].map(({ operations, ...group }) => ({
    ...group,
    members: [...operations].map(([part, list]) => ({ part, operations: list })),
  }));
}

function addPart(open: Map<string, OpenGroup>, part: RankPart, index: number): void {
  const { groups, members, sizes, group, kind, peer } = part.operations;
  const listed = groupsOf<string | null, ProcessGroup>(part.processGroups, ({ name }) => name);
  const stated = groups.map((name, at) =>
    statedGroup(listed.get(name) ?? [], name, members[at] ?? null, sizes[at] ?? null),
  );
  const known = new Map<string, OpenGroup>();
  for (const [at, groupIndex] of group.entries()) {
    const found = stated[groupIndex];
    if (found === undefined) continue;
    const pair = pairOf(kind[at] ?? null, part.rank, peer[at] ?? null);
    const isMessage = kind[at] === 'send' || kind[at] === 'receive';
    // In a group of two, each message is between these two.
    const lone = isMessage && pair === null && found.size !== 2;
    // Lists of ranks are long and operations are many, so the key of a group is built only once per rank.
    const whole = entryOf(known, `${groupIndex}/${pair?.join('>') ?? ''}/${lone}`, () =>
      entryOf(open, keyOf(found, pair, lone), () => ({
        ...{ ...found, pair, lone },
        operations: new Map<number, number[]>(),
      })),
    );
    entryOf(whole.operations, index, (): number[] => []).push(at);
  }
}

/** The data that the rank records about a group, from its operations, or else from its list of groups. */
function statedGroup(
  named: readonly ProcessGroup[],
  name: string | null,
  ranks: readonly number[] | null,
  size: number | null,
): StatedGroup {
  const listed = listedGroup(named, ranks, size);
  const all = ranks ?? listed?.ranks ?? null;
  return {
    name,
    description: listed?.description ?? null,
    ranks: all,
    size: all?.length ?? size ?? listed?.size ?? null,
  };
}

/** The process group with that name that has, or may have, these ranks; undefined when several may. */
function listedGroup(
  named: readonly ProcessGroup[],
  ranks: readonly number[] | null,
  size: number | null,
): ProcessGroup | undefined {
  const sizeOf = (group: ProcessGroup): number | null => group.ranks?.length ?? group.size;
  const wantedSize = ranks?.length ?? size;
  const fitting = named.filter(
    (candidate) => wantedSize === null || sizeOf(candidate) === null || sizeOf(candidate) === wantedSize,
  );
  const same = fitting.find(
    (candidate) => ranks !== null && candidate.ranks !== null && isSame(candidate.ranks, ranks),
  );
  if (same !== undefined) return same;
  const open = fitting.filter((candidate) => ranks === null || candidate.ranks === null);
  return open.length === 1 ? open[0] : undefined;
}

const isSame = (a: readonly number[], b: readonly number[]): boolean => {
  const all = new Set(a);
  return a.length === b.length && b.every((rank) => all.has(rank));
};

/** Sender and receiver of a message; null for operations of the whole group, and when either is unknown. */
function pairOf(kind: string | null, rank: number | null, peer: number | null): JobGroup['pair'] {
  if (rank === null || peer === null) return null;
  if (kind === 'send') return [rank, peer];
  return kind === 'receive' ? [peer, rank] : null;
}
