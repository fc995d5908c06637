/** Who takes part in messages: the members of a process group, or two neighbours of a pipeline group in one direction. */
import { SLOTS, type Slot } from './messages.js';
import type { JobGroup, Layout } from './layout.js';
import type { StageProgram } from './program.js';

export interface Channel {
  readonly id: number;
  readonly group: JobGroup;
  /** Ranks; of a message between two the sender first. */
  readonly members: readonly number[];
  /** By member: where its program has the messages. */
  readonly slots: readonly Slot[];
  /** How many messages go through it. */
  readonly length: number;
  /** Number of its first message among those of the job. */
  readonly first: number;
}

export interface Channels {
  readonly all: readonly Channel[];
  /** Channel of each rank and slot, `rank * SLOTS.length + slot`; -1 where there is none. */
  readonly of: Int32Array;
  /** Messages of the whole job. */
  readonly messages: number;
}

type Ends = Pick<Channel, 'group' | 'members' | 'slots'>;

const BETWEEN_STAGES: readonly (readonly [Slot, Slot])[] = [
  ['toNext', 'fromPrevious'],
  ['toPrevious', 'fromNext'],
];

/** Channels of a group. */
function* channelsIn(group: JobGroup): Generator<Ends> {
  const { kind, ranks } = group;
  if (kind !== 'pipeline') {
    yield { group, members: ranks, slots: ranks.map(() => kind) };
    return;
  }
  for (const [place, rank] of ranks.slice(0, -1).entries()) {
    const next = ranks[place + 1] ?? rank;
    for (const slots of BETWEEN_STAGES) {
      yield { group, slots, members: slots[0] === 'toNext' ? [rank, next] : [next, rank] };
    }
  }
}

/** @param programs by stage */
export function channelsOf({ ranks, groups }: Layout, programs: readonly StageProgram[]): Channels {
  const all: Channel[] = [];
  const of = new Int32Array(ranks.length * SLOTS.length).fill(-1);
  let messages = 0;
  for (const group of groups) {
    for (const ends of channelsIn(group)) {
      const [rank = 0] = ends.members;
      const [slot = 'world'] = ends.slots;
      const length = programs[ranks[rank]?.pipeline ?? 0]?.messages[slot].length ?? 0;
      const id = all.push({ ...ends, id: all.length, length, first: messages }) - 1;
      messages += length;
      for (const [i, member] of ends.members.entries()) {
        of[member * SLOTS.length + SLOTS.indexOf(ends.slots[i] ?? slot)] = id;
      }
    }
  }
  return { all, of, messages };
}
