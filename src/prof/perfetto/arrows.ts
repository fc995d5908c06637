/** Arrows between slices: from an operation to those of other ranks, and from an instruction to those that waited for it. */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import type { ProfileLine, KernelRecord } from '../../record/record.js';
import { jobTime } from '../ranks/clocks/job-clocks.js';
import type { JobReport } from '../ranks/job-report.js';
import type { MatchedGroup } from '../ranks/matching/match-group.js';
import { MESSAGE } from '../ranks/matching/job-groups.js';
import { timedOperation, type RankPart } from '../ranks/part/rank-part.js';
import type { ArrowKind, TraceArg } from './trace-element.js';
import { InstructionDependencies, dependencyText } from '../neuron/instructions/dependencies.js';

/** Arrows at the slice of an instruction. */
export interface SliceArrows {
  /** Profile and number of its kernel. */
  readonly key: string;
  /** Meaning of the arrows. */
  readonly kind: ArrowKind;
  /** Numbers of the arrows that start here; more are added while the slice is held back. */
  readonly flows: number[];
  readonly endsFlows: readonly number[];
  /** Numbers of the arrows that end at the end of the slice. */
  readonly endsLateFlows?: readonly number[];
  /** Text about the instructions that it waited for; empty when it did not wait. */
  readonly args: readonly TraceArg[];
}

interface HeldInstruction extends SliceArrows {
  /** Unit: ns. */
  readonly start: number;
}

const instructionKey = (profile: number, kernel: number): string => `${profile}/${kernel}`;

/**
 * Arrows from an instruction to those that waited for it. They start at its slice, which must be held back until those
 * instructions come (see `reorder-buffer.ts`).
 */
export class DependencyArrows {
  readonly #dependencies = new InstructionDependencies();
  /** Instructions whose slices are held back, by profile and number of the kernel. */
  readonly #held = new Map<string, HeldInstruction>();
  arrows = 0;
  /** Number of dependencies without an arrow: on an instruction that is no longer held, or that does not start earlier. */
  withoutArrow = 0;

  /** @param nextFlow returns the number of a new arrow */
  constructor(private readonly nextFlow: () => number) {}

  /** Must be called with all instructions in order, and followed by `close`. */
  open(record: KernelRecord): SliceArrows {
    const { profile, id, start } = record;
    const key = instructionKey(profile, id);
    const found = this.#dependencies.take(record);
    const endsFlows = found.flatMap(({ on }) =>
      this.#arrow(on === null ? null : instructionKey(profile, on.kernel), start),
    );
    const text = found.map((each) => dependencyText(each, start)).join(' | ');
    const held = {
      key,
      kind: 'dependency' as const,
      start,
      flows: [],
      endsFlows,
      args: text === '' ? [] : [['after', text] as const],
    };
    this.#held.set(key, held);
    return held;
  }

  /** Must be called when the slice is emitted: no further arrows can start there. */
  close({ key }: SliceArrows): void {
    this.#held.delete(key);
  }

  #arrow(from: string | null, start: number): number[] {
    const before = from === null ? undefined : this.#held.get(from);
    if (before === undefined || before.start >= start) {
      this.withoutArrow++;
      return [];
    }
    const flow = this.nextFlow();
    this.arrows++;
    before.flows.push(flow);
    return [flow];
  }
}

/** Arrows at an operation. */
interface MemberSlice extends SliceArrows {
  readonly flows: number[];
  readonly endsFlows: number[];
  readonly endsLateFlows: number[];
}

/** An operation of one rank that is in the trace. */
interface Member {
  readonly part: RankPart;
  /** Index among the operations of the part. */
  readonly at: number;
  /** On the job's clock, in whole ns. */
  readonly start: number;
  readonly end: number;
}

/** Maximum number of ranks of one operation that get arrows; more would be unreadable. */
const MOST_MEMBERS = 64;

/** Arrows from each rank that waits in a collective operation to the one that joins last, and from each send to its receive. */
export class MemberArrows {
  /** Operations by profile and device, and by their index on the device. */
  readonly #slices = new Map<string, Map<number, MemberSlice>>();
  /** Number of operations so far, by profile and device. */
  readonly #counts = new Map<string, number>();
  arrows = 0;

  /**
   * @param profiles parts by the number of their profile
   * @param shown whether the trace contains the operation of a part that begins at a given time of its profile
   * @param nextFlow returns the number of a new arrow
   */
  constructor(
    private readonly report: JobReport,
    profiles: ReadonlyMap<number, readonly RankPart[]>,
    shown: (part: RankPart, start: number) => boolean,
    nextFlow: () => number,
  ) {
    const profileOf = new Map(
      [...profiles].flatMap(([profile, parts]) => parts.map((part) => [part, profile] as const)),
    );
    for (const matched of report.matched) {
      for (const { at: places, signature } of matched.operations) {
        const members = this.#membersOf(matched, places).filter(({ part, at }) =>
          shown(part, elementAt(part.operations.start, at)),
        );
        const isMessage = signature.kind === MESSAGE;
        const kind = isMessage ? 'message' : 'collective';
        for (const [from, to] of isMessage ? messageArrows(members) : arrowsToLast(members)) {
          const flow = nextFlow();
          this.#slice(kind, profileOf.get(from.part), from.part.device, from.at).flows.push(flow);
          const end = this.#slice(kind, profileOf.get(to.part), to.part.device, to.at);
          // Viewers drop an arrow to a slice that begins earlier.
          (from.start < to.start ? end.endsFlows : end.endsLateFlows).push(flow);
        }
      }
    }
  }

  /** Arrows of a device activity, in the order of its records; null when it has none. */
  at(record: ProfileLine): SliceArrows | null {
    const slice = this.skip(record);
    if (slice !== null) this.arrows += slice.endsFlows.length + (slice.endsLateFlows?.length ?? 0);
    return slice;
  }

  /** Arrows of a record that the trace leaves out. */
  skip(record: ProfileLine): SliceArrows | null {
    const operation = timedOperation(record);
    if (operation === null) return null;
    const key = keyOf(operation.profile, operation.device);
    const index = this.#counts.get(key) ?? 0;
    this.#counts.set(key, index + 1);
    return this.#slices.get(key)?.get(index) ?? null;
  }

  /** The ranks that took part, in order of their start on the job's clock. */
  #membersOf({ group }: MatchedGroup, at: readonly number[]): Member[] {
    const { parts, ranks } = this.report;
    return at
      .flatMap((operation, column) => {
        if (operation < 0) return [];
        const index = elementAt(group.members, column).part;
        const part = elementAt(parts, index);
        const { clock } = elementAt(ranks, index);
        const start = elementAt(part.operations.start, operation);
        const end = start + elementAt(part.operations.dur, operation);
        const [from, to] = [Math.round(jobTime(clock, start)), Math.round(jobTime(clock, end))];
        return [{ part, at: operation, start: from, end: to }];
      })
      .sort((a, b) => a.start - b.start);
  }

  #slice(kind: ArrowKind, profile = -1, device: number, at: number): MemberSlice {
    const slices = entryOf(this.#slices, keyOf(profile, device), () => new Map<number, MemberSlice>());
    return entryOf(slices, at, () => ({ key: '', kind, flows: [], endsFlows: [], endsLateFlows: [], args: [] }));
  }
}

type Arrow = readonly [from: Member, to: Member];

/** @param members in order of their start */
function arrowsToLast(members: readonly Member[]): Arrow[] {
  const last = members.at(-1);
  if (last === undefined) return [];
  // A rank that begins together with the last one does not wait.
  const waiting = members.filter(({ start }) => start < last.start);
  return waiting.slice(-MOST_MEMBERS).map((member) => [member, last] as const);
}

/**
 * An arrow from the send to the receive, whichever waits; none when the clocks are so inaccurate that the receive ends
 * before the send starts.
 */
function messageArrows(members: readonly Member[]): Arrow[] {
  const memberThat = (kind: string): Member | undefined =>
    members.find(({ part, at }) => part.operations.kind[at] === kind);
  const [send, receive] = [memberThat('send'), memberThat('receive')];
  return send === undefined || receive === undefined || send.start >= receive.end ? [] : [[send, receive]];
}

const keyOf = (profile: number, device: number): string => `${profile}/${device}`;
