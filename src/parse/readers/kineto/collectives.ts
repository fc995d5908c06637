/**
 * Reads the collective operations of a trace's kernels, and the process groups of its job.
 *
 * Source: torch/csrc/profiler/util.cpp (metadata of `record_param_comms`), libkineto/src/output_json.cpp (which of it
 * kernels have, and `distributedInfo`), torch/distributed/distributed_c10d.py (`pg_config`).
 */
import { shapeOf, fieldOf, listOf, parseJson, sizeOf, textOf } from '../../json/json-value.js';
import type { Collective, ProcessGroup } from '../../../record/fields/collective.js';
import type { JobFacts } from '../../trace/trace.js';
import { elementType } from '../../../record/element-types.js';

/** For each operation: the key of the peer rank of a message, in the job's numbering. */
const PEER_KEYS: ReadonlyMap<string, string> = new Map([
  ['send', 'Dst Rank'],
  ['recv', 'Src Rank'],
]);

/**
 * Numbers such as `[0, 1, 2]`, from a list or a string; null for an abbreviated list (`[0, 1, ...]`) and for an empty one.
 */
function numbersOf(value: unknown): number[] | null {
  const numbers = shapeOf(typeof value === 'string' ? parseJson(Buffer.from(value)) : value);
  return numbers === null || numbers.length === 0 ? null : numbers;
}

const product = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a * b);

/** The collective operation of a kernel, with sizes in bytes; null when there is none. */
export function readCollective(args: unknown): Collective | null {
  const field = (name: string): unknown => fieldOf(args, name);
  const op = textOf(field('Collective name'));
  if (op === null) return null;
  const name = textOf(field('dtype'));
  const type = name === null ? null : elementType(name);
  const size = type?.bytes ?? null;
  const peerKey = PEER_KEYS.get(op);
  const peer = peerKey === undefined ? null : sizeOf(field(peerKey));
  const [splitsIn, splitsOut] = [numbersOf(field('In split size')), numbersOf(field('Out split size'))];
  // Each rank numbers its messages on its own, so sender and receiver may have different numbers.
  const ordinal = peerKey === undefined ? sizeOf(field('Seq')) : null;
  return {
    op,
    bytesIn: product(sizeOf(field('In msg nelems')), size),
    bytesOut: product(sizeOf(field('Out msg nelems')), size),
    dtype: type?.dtype ?? null,
    group: textOf(field('Process Group Name')),
    groupSize: sizeOf(field('Group size')),
    ranks: numbersOf(field('Process Group Ranks')),
    ...(ordinal === null ? undefined : { ordinal }),
    ...(peer === null ? undefined : { peer }),
    ...(splitsIn === null ? undefined : { splitsIn }),
    ...(splitsOut === null ? undefined : { splitsOut }),
  };
}

/** What PyTorch writes when the program gives a group no description. */
const NOT_DESCRIBED = 'undefined';

function descriptionOf(value: unknown): string | null {
  const description = textOf(value);
  return description === NOT_DESCRIBED ? null : description;
}

/** A group of `pg_config`; null when it has no name. */
function readGroup(value: unknown): ProcessGroup | null {
  const field = (name: string): unknown => fieldOf(value, name);
  const name = textOf(field('pg_name'));
  if (name === null) return null;
  const [description, size] = [descriptionOf(field('pg_desc')), sizeOf(field('pg_size'))];
  return { name, description, size, ranks: numbersOf(field('ranks')) };
}

const byName = (a: ProcessGroup, b: ProcessGroup): number => (a.name < b.name ? -1 : 1);

/** Collective operations by kernel. Memory: an object for each kernel with an operation, and one for each group. */
export class Collectives {
  readonly #operations = new Map<number, Collective>();
  /** Groups named by operations, by name. */
  readonly #groups = new Map<string, ProcessGroup>();

  /** @param args parsed `args` of the kernel */
  take(activity: number, args: unknown): void {
    const operation = readCollective(args);
    if (operation === null) return;
    this.#operations.set(activity, operation);
    const { group: name, groupSize: size, ranks } = operation;
    if (name === null) return;
    const description = descriptionOf(fieldOf(args, 'Process Group Description'));
    this.#groups.set(name, merged({ name, description, size, ranks }, this.#groups.get(name)));
  }

  of(activity: number): Collective | null {
    return this.#operations.get(activity) ?? null;
  }

  /** Process groups: those that the trace lists, in its order, then those that only kernels name, sorted by name. */
  job(distributedInfo: unknown): JobFacts {
    const worldSize = sizeOf(fieldOf(distributedInfo, 'world_size'));
    const listed = new Map<string, ProcessGroup>();
    for (const value of listOf(fieldOf(distributedInfo, 'pg_config'))) {
      const group = readGroup(value);
      if (group !== null) listed.set(group.name, merged(group, listed.get(group.name) ?? this.#groups.get(group.name)));
    }
    const others = [...this.#groups.values()].filter(({ name }) => !listed.has(name)).sort(byName);
    const groups = [...listed.values(), ...others];
    return {
      ...(worldSize === null ? undefined : { worldSize }),
      ...(groups.length === 0 ? undefined : { groups }),
    };
  }
}

/** Merges two descriptions of a group. */
const merged = (group: ProcessGroup, other: ProcessGroup | undefined): ProcessGroup =>
  other === undefined
    ? group
    : {
        name: group.name,
        description: group.description ?? other.description,
        size: group.size ?? other.size,
        ranks: group.ranks ?? other.ranks,
      };
