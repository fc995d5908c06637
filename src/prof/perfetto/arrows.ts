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
  /** What they stand for. */
  readonly kind: ArrowKind;
  /** Numbers of the arrows that start here: more of them come while the slice is held back. */
  readonly flows: number[];
  readonly endsFlows: readonly number[];
  /** Those that end at the end of the slice. */
  readonly endsLateFlows?: readonly number[];
  /** What it waited for, in words; none where it waited for nothing. */
  readonly args: readonly TraceArg[];
}

interface HeldInstruction extends SliceArrows {
  /** ns */
  readonly start: number;
}

const instructionKey = (profile: number, kernel: number): string => `${profile}/${kernel}`;

/**
 * Arrows from an instruction to those that waited for it. They start at its slice, which must be held back until those
 * come (see `reorder-buffer.ts`).
 */
export class DependencyArrows {
  readonly #dependencies = new InstructionDependencies();
  /** By profile and number of the kernel, those whose slices are held back. */
  readonly #held = new Map<string, HeldInstruction>();
  arrows = 0;
  /** Dependencies without an arrow: on an instruction that is no longer held, or does not start before. */
  withoutArrow = 0;

  /** @param nextFlow number of a new arrow */
  constructor(private readonly nextFlow: () => number) {}

  /** To be called with all instructions in their order; `close` ends what this begins. */
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

  /** To be called when the slice is emitted: no further arrows can start there. */
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
  /** Among the operations of the part. */
  readonly at: number;
  /** On the clock of the job, whole ns. */
  readonly start: number;
  readonly end: number;
}

/** Ranks of one operation that get arrows: more of them cannot be read. */
const MOST_MEMBERS = 64;

/** Arrows from each rank that waits in a collective operation to the one that joins last, and from each send to its receive. */
export class MemberArrows {
  /** By profile and device, the operations by their place among those of the device. */
  readonly #slices = new Map<string, Map<number, MemberSlice>>();
  /** Operations so far, likewise. */
  readonly #counts = new Map<string, number>();
  arrows = 0;

  /**
   * @param profiles parts by the number of their profile
   * @param shown whether the trace has the operation of a part that begins at a time of its profile
   * @param nextFlow number of a new arrow
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
          // Viewers drop an arrow to what begins before it.
          (from.start < to.start ? end.endsFlows : end.endsLateFlows).push(flow);
        }
      }
    }
  }

  /** Of an activity of a device, in the order of its records; null where it has no arrows. */
  at(record: ProfileLine): SliceArrows | null {
    const slice = this.skip(record);
    if (slice !== null) this.arrows += slice.endsFlows.length + (slice.endsLateFlows?.length ?? 0);
    return slice;
  }

  /** The same of a record that the trace leaves out. */
  skip(record: ProfileLine): SliceArrows | null {
    const operation = timedOperation(record);
    if (operation === null) return null;
    const key = keyOf(operation.profile, operation.device);
    const index = this.#counts.get(key) ?? 0;
    this.#counts.set(key, index + 1);
    return this.#slices.get(key)?.get(index) ?? null;
  }

  /** Those that took part, in order of their start on the job's clock. */
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
  // Who begins with the last one does not wait.
  const waiting = members.filter(({ start }) => start < last.start);
  return waiting.slice(-MOST_MEMBERS).map((one) => [one, last] as const);
}

/** From the send to the receive, whoever waits; none where the receive is over before, by clocks that are so far off. */
function messageArrows(members: readonly Member[]): Arrow[] {
  const memberThat = (kind: string): Member | undefined =>
    members.find(({ part, at }) => part.operations.kind[at] === kind);
  const [send, receive] = [memberThat('send'), memberThat('receive')];
  return send === undefined || receive === undefined || send.start >= receive.end ? [] : [[send, receive]];
}

const keyOf = (profile: number, device: number): string => `${profile}/${device}`;
