/** Finds the threads on whose behalf the autograd engine's threads work, in formats whose ranges are NVTX markers. */
import { elementAt } from '../../../containers/element.js';
import { EnclosingSpans, outermost, spanRows } from '../../../containers/nesting.js';
import { entryOf } from '../../../containers/map-entry.js';
import { groupAt, keepRows, type RowGroups } from '../../../containers/row-order.js';
import { CallerThreads, type Caller } from '../threads.js';
import type { Trace } from '../trace.js';
import type { Marker, OpMarker } from './markers.js';

type Sweeps = Map<number, EnclosingSpans<Marker>>;

/** The thread that an engine thread worked for last, if any, and its sweeps of other threads. */
export interface CallerState {
  readonly last: number | undefined;
  readonly sweeps: Sweeps;
}

/** Whether a marker comes from the autograd engine: a node of the backward pass. */
export const isOfEngine = (marker: Marker): boolean => marker.kind === 'op' && (marker.node || marker.wrapper);

/**
 * Number of outermost ranges of a thread that are read to decide whether it belongs to the engine. Reading all takes
 * too long.
 */
const RANGES_READ = 1000;

/**
 * Fractional part of the golden ratio. Its multiples are evenly spread and, unlike every nth range, do not coincide
 * with a periodic pattern.
 */
const GOLDEN = 0.618033988749895;

/**
 * Finds callers thread by thread, for launches in order of start time. Each engine thread sweeps the ranges of all other
 * threads.
 */
export class MarkerCallers {
  readonly #callers: CallerThreads;
  /** For each thread: whether it belongs to the engine. */
  readonly #isEngine = new Map<number, boolean>();
  readonly #sweeps = new Map<number, Sweeps>();
  #threadOfSequence: ReadonlyMap<number, number | null> | null = null;

  /** @param read reads the marker of a range */
  constructor(
    private readonly trace: Trace,
    private readonly rangeOrder: RowGroups,
    private readonly read: (range: number) => Marker,
  ) {
    const { first } = rangeOrder;
    const threads = Array.from({ length: trace.threads.count }, (_, thread) => thread);
    const withRanges = threads.filter((thread) => elementAt(first, thread) < elementAt(first, thread + 1));
    this.#callers = new CallerThreads(trace.threads, withRanges);
  }

  /**
   * The thread that an engine thread works for at a launch: see `CallerThreads.callerOf`. Null for other threads.
   * @param ops framework ops around the launch, outermost first
   */
  callerOf(thread: number, time: number, ops: readonly OpMarker[]): Caller | null | undefined {
    if (!this.#isEngineThread(thread)) return null;
    return this.#callers.callerOf(
      thread,
      (other) => this.#openOn(other, time, thread),
      () => this.#forwardThread(ops),
    );
  }

  /** Skips a launch. What depends on it is unknown until `callerOf` has found a caller again. */
  skip(thread: number, time: number): void {
    if (!this.#isEngineThread(thread)) return;
    for (const other of this.#callers.candidatesFor(thread)) this.#sweep(other, thread).advance(time);
    this.#callers.setLast(thread, null);
  }

  /** What `callerOf` depends on for the next launch of a thread; null when it is unknown because launches were skipped. */
  stateOf(thread: number): CallerState | null {
    const last = this.#callers.lastOf(thread);
    if (last === null) return null;
    const sweeps = this.#sweeps.get(thread) ?? [];
    return { last, sweeps: new Map([...sweeps].map(([other, sweep]) => [other, sweep.copy()] as const)) };
  }

  /** Goes back to an earlier launch of a thread. */
  restore(thread: number, { last, sweeps }: CallerState): void {
    this.#sweeps.set(thread, sweeps);
    this.#callers.setLast(thread, last);
  }

  /** Whether a thread is an autograd engine thread. */
  #isEngineThread(thread: number): boolean {
    return entryOf(this.#isEngine, thread, () => this.#isOfEngine(thread));
  }

  /**
   * Whether most of a thread's outermost ranges are nodes of the backward pass; a library's own do not count. A thread
   * that launches work but has no ranges also works for another thread: when a profile has no ranges of ops, an engine
   * thread looks like this.
   */
  #isOfEngine(thread: number): boolean {
    const { ranges } = this.trace;
    const outer = outermost(
      keepRows(groupAt(this.rangeOrder, thread).slice(), (row) => ranges.domainOf(row) === 0),
      spanRows(ranges),
    );
    const count = outer.length;
    if (count === 0) return true;
    const spread = (_: unknown, i: number): number => elementAt(outer, Math.floor(((i * GOLDEN) % 1) * count));
    const read = count <= RANGES_READ ? outer : Array.from({ length: RANGES_READ }, spread);
    return read.filter((range) => isOfEngine(this.read(range))).length > read.length / 2;
  }

  /** Strings of the program's ranges that are open on a thread, outermost first. */
  #openOn(thread: number, time: number, engine: number): string[] {
    const open: string[] = [];
    for (const range of this.#sweep(thread, engine).around(time, time)) {
      const marker = (range.reading ??= this.read(range.row));
      if (marker.kind === 'range') open.push(marker.text);
    }
    return open;
  }

  /** The sweep of a thread's ranges for the launches of an engine thread. */
  #sweep(thread: number, engine: number): EnclosingSpans<Marker> {
    const sweeps = entryOf(this.#sweeps, engine, () => new Map<number, EnclosingSpans<Marker>>());
    return entryOf(
      sweeps,
      thread,
      () => new EnclosingSpans<Marker>(this.trace.ranges, groupAt(this.rangeOrder, thread)),
    );
  }

  /** The thread that ran the forward op of the innermost node; null when there is none, or several. */
  #forwardThread(ops: readonly OpMarker[]): number | null {
    const sequence = ops.findLast(({ node, seq }) => node && seq !== null)?.seq ?? null;
    if (sequence === null) return null;
    this.#threadOfSequence ??= this.#readSequences();
    return this.#threadOfSequence.get(sequence) ?? null;
  }

  /**
   * By sequence number: the thread of the forward op, null when several threads have one. Reads the strings of all ranges.
   */
  #readSequences(): Map<number, number | null> {
    const found = new Map<number, number | null>();
    const { ranges } = this.trace;
    for (let row = 0; row < ranges.length; row++) {
      const marker = this.read(row);
      if (marker.kind !== 'op' || marker.seq === null || marker.node || marker.wrapper) continue;
      const thread = ranges.thread.at(row);
      const known = found.get(marker.seq);
      found.set(marker.seq, known === undefined || known === thread ? thread : null);
    }
    return found;
  }
}
