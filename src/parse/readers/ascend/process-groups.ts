/**
 * Finds the process group of an operation, and its number in the group, from its name and group.
 *
 * `parallel_group_info` lists the groups of a rank by the names of their communicators. Text files name a communicator
 * by a hash of that name, and operations by the last three digits of the hash: `hcom_allReduce__586_0_1` is operation 0
 * of group …586. Source: torch_npu's `parallel_group_info`; the hash and its digits are correct for all groups of a
 * real profile.
 */
import type { ProcessGroup, Transfer } from '../../../record/fields/collective.js';
import type { JobFacts, CollectiveOperation } from '../../trace/trace.js';
import { entriesOf, fieldOf, parseJson, shapeOf, sizeOf, textOf } from '../../json/json-value.js';

/** The hash that the tools write for a communicator: two polynomial hashes of its name, 32 bits each. */
export function communicatorHash(name: string): string {
  let [high, low] = [0, 0];
  for (const byte of Buffer.from(name)) {
    high = (Math.imul(high, 29) + byte) >>> 0;
    low = (Math.imul(low, 131) + byte) >>> 0;
  }
  return String((BigInt(high) << 32n) | BigInt(low));
}

/** Group and number of an operation; each null when its name does not contain it. */
export interface OperationName {
  /** Last three digits of the group's hash. */
  readonly group: string | null;
  readonly number: number | null;
}

export function parseOperationName(name: string): OperationName {
  const [, group = null, number] = /__(\d+)_(\d{1,15})_\d+$/.exec(name) ?? [];
  return { group, number: number === undefined ? null : Number(number) };
}

/** Operations between two ranks. Each rank numbers them on its own, so the numbers may differ. */
const MESSAGES: ReadonlySet<string> = new Set(['send', 'receive', 'recv', 'batchSendRecv']);

export class ProcessGroups {
  readonly all: readonly ProcessGroup[];
  readonly #byName = new Map<string, ProcessGroup>();
  /** Groups by the last three digits of the hash; null when several groups have the same digits. */
  readonly #byDigits = new Map<string, ProcessGroup | null>();

  /**
   * @param described `parallel_group_info`
   * @param hashed whether operations refer to groups by hash
   * @param rank rank of the profile; null when unknown
   */
  constructor(
    described: unknown,
    private readonly hashed: boolean,
    private readonly rank: number | null,
  ) {
    this.all = entriesOf(described).map(([communicator, group]) => {
      const ranks = shapeOf(fieldOf(group, 'global_ranks'));
      const name = hashed ? communicatorHash(communicator) : communicator;
      return { name, description: textOf(fieldOf(group, 'group_name')), size: ranks?.length ?? null, ranks };
    });
    for (const group of this.all) {
      const digits = group.name.slice(-3);
      this.#byName.set(group.name, group);
      if (hashed) this.#byDigits.set(digits, this.#byDigits.has(digits) ? null : group);
    }
  }

  /** The name of a communicator's group in `all`; null for an empty name. */
  nameOf(communicator: string): string | null {
    if (communicator === '') return null;
    return this.hashed ? communicatorHash(communicator) : communicator;
  }

  /** A group by its name, otherwise by the digits in an operation's name. */
  find(name: string | null, digits: string | null = null): ProcessGroup | null {
    if (name !== null) return this.#byName.get(name) ?? null;
    return digits === null ? null : (this.#byDigits.get(digits) ?? null);
  }

  /**
   * Number of an operation in its group, and the other rank of a message between two ranks.
   * @param transfers what the operation moved, with ranks numbered as in the group
   */
  identityOf(
    name: string,
    kind: string | null,
    group: ProcessGroup | null,
    transfers: readonly Transfer[],
  ): Pick<CollectiveOperation, 'ordinal' | 'peer'> {
    if (kind === null || !MESSAGES.has(kind)) {
      const { number } = parseOperationName(name);
      return number === null ? {} : { ordinal: number };
    }
    const peer = this.#peerOf(group?.ranks ?? [], transfers);
    return peer === null ? {} : { peer };
  }

  #peerOf(ranks: readonly number[], transfers: readonly Transfer[]): number | null {
    const ownIndex = this.rank === null ? -1 : ranks.indexOf(this.rank);
    if (ownIndex === -1) return null;
    const others = new Set(
      transfers
        .flatMap(({ src, dst }) => [src, dst])
        .filter((rank): rank is number => rank !== ownIndex && rank !== null),
    );
    if (others.size === 0 && ranks.length === 2) return ranks[1 - ownIndex] ?? null;
    const [other = NaN] = others;
    return others.size === 1 ? (ranks[other] ?? null) : null;
  }
}

/**
 * Facts about the job in a profile's metadata.
 * @param distributed `distributed_args`, parsed or as text
 */
export function jobOf(distributed: unknown, groups: ProcessGroups, host: string | null): JobFacts {
  const args = typeof distributed === 'string' ? parseJson(Buffer.from(distributed)) : distributed;
  const worldSize = sizeOf(fieldOf(args, 'world_size'));
  return {
    ...(worldSize === null ? undefined : { worldSize }),
    ...(host === null ? undefined : { host }),
    ...(groups.all.length === 0 ? undefined : { groups: groups.all }),
  };
}
