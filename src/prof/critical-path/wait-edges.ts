/**
 * Where the host waited: for a device, a stream, an event, a copy that its call finishes. The call returned when the last
 * work that it waited for had ended, and its own time until then holds nothing.
 */
import { columns } from '../../containers/numeric-column.js';
import { entryOf } from '../../containers/map-entry.js';
import type { TimedGraph } from '../../containers/timed-graph.js';
import { LONGEST_LAUNCH, LONGEST_SWITCH } from '../steps/step-work.js';
import type { Missing, Pieces } from './bounds.js';
import { NO_THREAD, UNORDERED, type DeviceWork } from './device-work.js';
import type { HostThread, HostThreads } from './host-threads.js';

/** What is awaited, by the kind of a `sync` record. */
const KIND_CODES = { context: 0, stream: 1, event: 2, 'stream-wait-event': 3 } as const;
type WaitKind = keyof typeof KIND_CODES;

export const isWaitKind = (kind: string | null): kind is WaitKind => kind !== null && Object.hasOwn(KIND_CODES, kind);

/** Waits, by their call. Times in ns. */
class WaitColumns extends columns({
  thread: 'count',
  start: 'f64',
  end: 'f64',
  kind: 'u8',
  /** Device whose work is awaited; NaN for any. */
  device: 'f64',
  /** Stream that waits or is awaited; UNORDERED when that is not known. */
  stream: 'count',
  /** When and on which stream the event was recorded; NaN and UNORDERED when that is not known. */
  recorded: 'f64',
  recordedOn: 'count',
}) {}

/** What a record of a wait states beyond its call. */
export interface WaitFacts {
  readonly kind: WaitKind;
  readonly device: number;
  readonly stream: number;
  readonly recorded: number;
  readonly recordedOn: number;
}

/** What a call alone says: only its name. */
export const factsOfCall = (kind: WaitKind): WaitFacts => ({
  ...{ kind, device: NaN, stream: UNORDERED, recorded: NaN, recordedOn: UNORDERED },
});

export class HostWaits extends WaitColumns {
  /** Row by thread and start of the call: a call can be both a range and the launch of a record. */
  readonly #rows = new Map<number, Map<number, number>>();

  /** @param facts facts of a record; those of a call that is already known as a range are replaced */
  take(thread: number, start: number, end: number, facts: WaitFacts): void {
    const { kind, device, stream, recorded, recordedOn } = facts;
    const rows = entryOf(this.#rows, thread, () => new Map<number, number>());
    const known = rows.get(start);
    if (known === undefined) {
      rows.set(start, this.length);
      this.pushCells(thread, start, end, KIND_CODES[kind], device, stream, recorded, recordedOn);
      return;
    }
    this.kind.set(known, KIND_CODES[kind]);
    this.device.set(known, device);
    this.stream.set(known, stream);
    this.recorded.set(known, recorded);
    this.recordedOn.set(known, recordedOn);
  }

  /** Whether streams wait for events whose place is not known. */
  get haveUnknownEvents(): boolean {
    for (let row = 0; row < this.length; row++)
      if (this.isOf(row, 'stream-wait-event') && this.recordedOn.at(row) === UNORDERED) return true;
    return false;
  }

  isOf(row: number, kind: WaitKind): boolean {
    return this.kind.at(row) === KIND_CODES[kind];
  }
}

/** Waits of streams for events: the work that was awaited, by the row of the work that waited. */
export function awaitedByStreams(waits: HostWaits, work: DeviceWork): Map<number, number[]> {
  const awaited = new Map<number, number[]>();
  for (let wait = 0; wait < waits.length; wait++) {
    const recorded = waits.recorded.at(wait);
    if (!waits.isOf(wait, 'stream-wait-event') || Number.isNaN(recorded)) continue;
    const [on, stream] = [waits.recordedOn.at(wait), waits.stream.at(wait)];
    if (on === UNORDERED || stream === UNORDERED) continue;
    const source = work.lastIssued(on, recorded);
    const target = work.firstIssued(stream, waits.start.at(wait));
    if (source === null || target === null || work.end.at(source) > work.start.at(target)) continue;
    entryOf(awaited, target, () => []).push(source);
  }
  return awaited;
}

export class WaitEdges {
  /** Why the end of some waits has no known cause, by its node. */
  readonly missing = new Map<number, Missing>();
  /** When a thread last went on after work had ended, in ns. */
  lastReturn = -Infinity;
  readonly #piece: number;
  readonly #presumedPiece: number;

  constructor(
    private readonly graph: TimedGraph,
    private readonly work: DeviceWork,
    private readonly threads: HostThreads,
    private readonly pieces: Pieces,
  ) {
    this.#presumedPiece = pieces.numberOf('sync', 'presumed wait for a device');
    this.#piece = pieces.numberOf('sync', 'from the end of awaited work to the CPU');
  }

  build(waits: HostWaits): void {
    for (let wait = 0; wait < waits.length; wait++) {
      if (waits.isOf(wait, 'stream-wait-event')) continue;
      const thread = this.threads.at(waits.thread.at(wait));
      this.#wait(thread, waits.start.at(wait), waits.end.at(wait), this.#awaited(waits, wait));
    }
    const { called, returned, caller, isAwaited } = this.work;
    for (let row = 0; row < this.work.length; row++)
      if (isAwaited.at(row) === 1 && caller.at(row) !== NO_THREAD)
        this.#wait(this.threads.at(caller.at(row) - 1), called.at(row), returned.at(row), row);
    for (const thread of this.threads.all) this.#presume(thread);
  }

  /**
   * Presumes that a thread without any call waited for the device if it went on right after the end of the work that it
   * had launched last: programs may wait without a call that the profiler records.
   */
  #presume(thread: HostThread): void {
    for (let index = 1; index < thread.count; index++) {
      const [begin, end] = [thread.timeAt(index - 1), thread.timeAt(index)];
      if (end - begin <= LONGEST_LAUNCH || this.pieces.at(this.graph.tagOf(thread.edgeInto(index))).bound !== 'host')
        continue;
      const row = this.#endedBefore(begin, end);
      if (row !== null) this.#release(thread, index, row, this.#presumedPiece);
    }
  }

  /** The work that ended last right before a thread went on, of the work that each stream had been given last. */
  #endedBefore(begin: number, end: number): number | null {
    const { work } = this;
    for (const row of work.endedWithin(end - LONGEST_SWITCH, end))
      if (work.lastIssued(work.stream.at(row), begin) === row) return row;
    return null;
  }

  /** The work that ended last among the work that was launched before the wait, and that it may be for. */
  #awaited(waits: HostWaits, wait: number): number | null {
    const { work } = this;
    const [begin, until, device] = [waits.start.at(wait), waits.end.at(wait), waits.device.at(wait)];
    if (waits.isOf(wait, 'event') && waits.recordedOn.at(wait) !== UNORDERED)
      return work.lastIssued(waits.recordedOn.at(wait), waits.recorded.at(wait));
    const stated = waits.isOf(wait, 'stream') ? waits.stream.at(wait) : UNORDERED;
    if (stated !== UNORDERED) return work.lastIssued(stated, begin);
    return this.#lastEnded(begin, until, device);
  }

  /** The work that ended last up to a time, of the work that each stream of a device was given last. */
  #lastEnded(begin: number, until: number, device: number): number | null {
    const { work } = this;
    let latest: number | null = null;
    for (const stream of work.streamsOf(device)) {
      const row = work.lastIssued(stream, begin);
      if (row === null || work.end.at(row) > until) continue;
      if (latest === null || work.end.at(row) > work.end.at(latest)) latest = row;
    }
    return latest;
  }

  #wait(thread: HostThread, begin: number, end: number, row: number | null): void {
    const ended = row === null ? NaN : this.work.end.at(row);
    const index = thread.indexFrom(ended > begin && ended <= end ? ended : end);
    if (index <= 0 || index >= thread.count || thread.timeAt(index) > end) return;
    if (row !== null && ended > begin && thread.timeAt(index) - ended <= LONGEST_LAUNCH)
      this.#release(thread, index, row, this.#piece);
    else if (end - begin > LONGEST_LAUNCH && thread.timeAt(index - 1) >= begin) {
      // Without a cause, the wait is missing in a replay.
      this.graph.setLag(thread.edgeInto(index), 0);
      this.missing.set(thread.nodeAt(index), 'awaited');
    }
    // Slower work may still hold a wait that was over at once.
    if (row !== null && ended <= begin)
      this.graph.addEdge(this.work.endNode(row), thread.nodeAt(index), 0, this.#piece);
  }

  /** A thread went on when some work had ended; the time before holds nothing. */
  #release(thread: HostThread, index: number, row: number, piece: number): void {
    const time = thread.timeAt(index) - this.work.end.at(row);
    this.lastReturn = Math.max(this.lastReturn, thread.timeAt(index));
    this.graph.setLag(thread.edgeInto(index), 0);
    this.graph.addEdge(this.work.endNode(row), thread.nodeAt(index), time, piece);
  }
}
