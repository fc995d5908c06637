/**
 * The program context of each launch, from the strings of the ranges around it: op calls, layers, call stack, framework
 * ops and other ranges. Launches are processed thread by thread in order of start time, because a kernel's numbering
 * depends on the kernels that its thread launched before.
 */
import { append, elementAt } from '../../../containers/element.js';
import type { Context, OpCall, RangeKind } from '../../../record/record.js';
import type { Trace } from '../trace.js';
import { NO_CONTEXT, LaunchSteps, type KernelContexts, type Step, type StepRange } from '../launch-steps.js';
import type { LaunchJoin } from '../launches.js';
import { isNcclCall, parseMarker, MarkerReader, type Marker, type OpMarker } from './markers.js';
import { MarkerCallers, type CallerState } from './marker-callers.js';
import { EnclosingSpans, type OpenSpan } from '../../../containers/nesting.js';
import { allRows, keepRows, groupAt, groupRows, sortRows, type RowGroups } from '../../../containers/row-order.js';
import { compareTexts, orderRanges, rangeKey } from '../record-order.js';
import { NO_INSTANCE, SequenceState, type SequenceFacts } from './sequence.js';
import { OpSizesReader } from './op-sizes.js';
import type { HostCalls, Ranges } from '../trace-columns.js';
import type { Writable } from '../../../containers/writable.js';
import { LruCache } from '../../../containers/map-entry.js';
import { readStepName } from '../../../record/serving-step.js';

type NamedStep = Pick<StepRange, 'text' | 'number'>;

/** Ranges of the default domain that mark steps, in no particular order. */
function* markedSteps(trace: Trace): Generator<StepRange> {
  const { ranges, names } = trace;
  const known = new LruCache<number, NamedStep | null>(4096);
  const read = (number: number): NamedStep | null => {
    const text = names.rangeText(number);
    const name = text === null ? null : readStepName(text);
    return text === null || name === null ? null : { text, number: name.number };
  };
  const { stepRanges } = trace;
  const count = stepRanges?.length ?? ranges.length;
  for (let i = 0; i < count; i++) {
    const row = stepRanges?.[i] ?? i;
    const step = ranges.domainOf(row) === 0 ? known.of(ranges.text.at(row), read) : null;
    if (step === null || ranges.strays.has(row)) continue;
    const [start, end, thread] = [ranges.start.at(row), ranges.end.at(row), ranges.thread.at(row)];
    yield { start, end, thread, ...step };
  }
}

/** Position up to which the launches of one thread have been processed. */
interface ThreadState {
  readonly thread: number;
  readonly ranges: EnclosingSpans<Marker>;
  sequence: SequenceState;
  /** Index of the thread's next launch in the order of launches. */
  next: number;
  /** Index after the thread's last launch. */
  readonly end: number;
  /** Index of the first launch whose irregularities no thread has counted yet. */
  uncounted: number;
  /** The state before the first of the launches that were skipped; null when the present state is known. */
  before: StateBefore | null;
}

/** What the contexts of a thread's launches depend on, before the launch at an index. */
interface StateBefore {
  readonly next: number;
  readonly ranges: EnclosingSpans<Marker>;
  readonly sequence: SequenceState;
  readonly caller: CallerState;
}

/**
 * How many launches before the next one are still processed after a skip. After that many, the state is almost always
 * known again.
 */
const LAUNCHES_BEFORE = 16;

const KINDS: Readonly<Record<Marker['kind'], RangeKind>> = {
  op: 'op',
  recomputation: 'op',
  layer: 'layer',
  call: 'marker',
  lookup: 'marker',
  trace: 'marker',
  repr: 'marker',
  range: 'annotation',
};

/** Op calls with their ids and the number of kernels that each launched. */
type NumberedCalls = Required<Pick<Context, 'calls' | 'callIds' | 'callKernels'>>;

/** Contexts of kernels in formats whose ranges are NVTX markers, read from the strings around each launch. */
export class MarkerContexts implements KernelContexts {
  readonly #texts = new MarkerReader();
  readonly #sizes = new OpSizesReader();
  readonly #order: RowGroups;
  readonly rangesByThread: RowGroups;
  readonly #threads: ThreadState[] = [];
  /** Contexts of launches whose kernels have not all been taken yet. */
  readonly #pending = new Map<number, Context>();
  /** For each host call: number of its kernels that have been taken or skipped. */
  readonly #kernelsDone: Uint32Array;
  /** For each host call: its index in the order of launches. Made when the first kernel is skipped. */
  #places: Uint32Array | null = null;
  readonly #callers: MarkerCallers;
  readonly #steps: LaunchSteps;
  /** Created when the first call needs it. */
  #callKernels: CallKernels | null = null;

  constructor(
    private readonly trace: Trace,
    private readonly launches: LaunchJoin,
  ) {
    const { hostCalls, ranges, threads } = trace;
    const launching = keepRows(allRows(hostCalls.length), (call) => elementAt(launches.kernelCounts, call) > 0);
    this.#kernelsDone = new Uint32Array(hostCalls.length);
    this.#order = groupRows(launching, (call) => hostCalls.thread.at(call), threads.count);
    const { rows, first } = this.#order;
    this.rangesByThread = orderRanges(ranges, threads.count, (a, b) =>
      compareTexts(rangeKey(trace, a), rangeKey(trace, b)),
    );
    trace.diagnostics.count('range-repeated', ranges.length - this.rangesByThread.rows.length);
    this.#callers = new MarkerCallers(trace, this.rangesByThread, (range) => this.#parse(range, this.#textOf(range)));
    this.#steps = new LaunchSteps(markedSteps(trace), threads);
    for (let thread = 0; thread < threads.count; thread++) {
      const [from, to] = [elementAt(first, thread), elementAt(first, thread + 1)];
      sortRows(rows.subarray(from, to), (a, b) => this.#compareCalls(a, b));
      this.#threads.push(this.#stateAtStart(thread));
    }
  }

  #stateAtStart(thread: number): ThreadState {
    const { ranges, diagnostics } = this.trace;
    const { first } = this.#order;
    const leaveOut = (left: number): void => diagnostics.count('range-not-nested', left);
    const around = new EnclosingSpans<Marker>(ranges, groupAt(this.rangesByThread, thread), leaveOut);
    const [next, end] = [elementAt(first, thread), elementAt(first, thread + 1)];
    return { thread, ranges: around, sequence: new SequenceState(), next, end, uncounted: next, before: null };
  }

  get steps(): readonly Step[] {
    return this.#steps.all;
  }

  ofKernel(call: number): Context {
    if (call === -1) return NO_CONTEXT;
    const context = this.#pending.get(call) ?? this.#advanceTo(call);
    const done = this.#take(call);
    return done === 0 ? context : shifted(context, done);
  }

  skip(call: number): void {
    if (call === -1) return;
    this.#take(call);
    const state = this.#stateOf(call);
    state.uncounted = Math.max(state.uncounted, elementAt((this.#places ??= this.#readPlaces()), call) + 1);
  }

  /** Counts a kernel of a launch. @returns how many of its kernels were counted before */
  #take(call: number): number {
    const done = elementAt(this.#kernelsDone, call);
    this.#kernelsDone[call] = done + 1;
    if (this.#isComplete(call)) this.#pending.delete(call);
    return done;
  }

  #isComplete(call: number): boolean {
    return elementAt(this.#kernelsDone, call) === elementAt(this.launches.kernelCounts, call);
  }

  #readPlaces(): Uint32Array {
    const places = new Uint32Array(this.trace.hostCalls.length);
    for (const [place, call] of this.#order.rows.entries()) places[call] = place;
    return places;
  }

  #stateOf(call: number): ThreadState {
    return elementAt(this.#threads, this.trace.hostCalls.thread.at(call));
  }

  #compareCalls(a: number, b: number): number {
    const { start, end, corr } = this.trace.hostCalls;
    return start.at(a) - start.at(b) || end.at(b) - end.at(a) || corr.at(a) - corr.at(b);
  }

  /** Processes the launches of a call's thread up to and including that call. */
  #advanceTo(call: number): Context {
    const { diagnostics } = this.trace;
    const state = this.#stateOf(call);
    this.#skipLaunches(state);
    while (state.next < state.end) {
      const launch = elementAt(this.#order.rows, state.next);
      diagnostics.isPaused = state.next < state.uncounted;
      const context = this.#context(launch, state);
      diagnostics.isPaused = false;
      state.next++;
      if (!this.#isComplete(launch)) this.#pending.set(launch, context);
      if (launch !== call) continue;
      state.uncounted = Math.max(state.uncounted, state.next);
      return context;
    }
    throw new RangeError(`launch ${call} has fewer kernels than requested`);
  }

  /** Skips the launches whose kernels have all been skipped, except the last few before the next launch. */
  #skipLaunches(state: ThreadState): void {
    const { rows } = this.#order;
    let next = state.next;
    while (next < state.end && this.#isComplete(elementAt(rows, next))) next++;
    const from = next - LAUNCHES_BEFORE;
    if (from <= state.next) return;
    const caller = state.sequence.isKnown ? this.#callers.stateOf(state.thread) : null;
    if (caller !== null)
      state.before = { next: state.next, ranges: state.ranges.copy(), sequence: state.sequence, caller };
    this.#sweepTo(state, from);
    state.sequence = SequenceState.unknown();
  }

  /** Goes on to the launch at an index, without contexts for those before it. */
  #sweepTo(state: ThreadState, next: number): void {
    const { diagnostics, hostCalls } = this.trace;
    diagnostics.isPaused = true;
    for (; state.next < next; state.next++) {
      const start = hostCalls.start.at(elementAt(this.#order.rows, state.next));
      state.ranges.advance(start);
      this.#callers.skip(state.thread, start);
    }
    diagnostics.isPaused = false;
  }

  /** Finds the state before the next launch by processing the skipped launches. */
  #restore(state: ThreadState, before: StateBefore): void {
    const { diagnostics } = this.trace;
    const { isPaused } = diagnostics;
    const replayed = { ...state, ...before, before: null };
    this.#callers.restore(state.thread, before.caller);
    diagnostics.isPaused = true;
    for (; replayed.next < state.next; replayed.next++)
      this.#context(elementAt(this.#order.rows, replayed.next), replayed);
    diagnostics.isPaused = isPaused;
    state.sequence = replayed.sequence;
    state.before = null;
  }

  stepOf(call: number): number | null {
    if (call === -1) return null;
    const { start, thread } = this.trace.hostCalls;
    return this.#steps.at(thread.at(call), null, start.at(call));
  }

  rangeKindOf(range: number, text: string): RangeKind {
    return KINDS[this.#parse(range, text).kind];
  }

  /**
   * The context of a launch. If it depends on skipped launches and no kernel of it is left, the result is not used.
   */
  #context(call: number, state: ThreadState): Context {
    const { hostCalls } = this.trace;
    const [start, thread] = [hostCalls.start.at(call), hostCalls.thread.at(call)];
    const open = state.ranges.around(start, hostCalls.end.at(call));
    const around = open.map((range) => (range.reading ??= this.#read(range.row)));
    const sorted = sortMarkers(around);
    const instance = open[instanceOf(around)]?.row ?? NO_INSTANCE;
    const kernels = elementAt(this.launches.kernelCounts, call);
    const next = (): SequenceFacts | null =>
      state.sequence.next(sorted.calls, sorted.ops, sorted.libraryCall, kernels, instance);
    let facts = next();
    let caller = this.#callers.callerOf(thread, start, sorted.ops);
    if (facts === null || caller === undefined) {
      if (state.before === null || this.#isComplete(call)) return NO_CONTEXT;
      this.#restore(state, state.before);
      [facts, caller] = [next(), this.#callers.callerOf(thread, start, sorted.ops)];
      if (facts === null || caller === undefined)
        throw new RangeError(`the context of launch ${call} is still unknown after its state was restored`);
    }
    const step = this.#steps.at(thread, caller?.thread ?? null, start);
    const numbered = sorted.calls.length > 0 ? null : this.#callsBySizes(open);
    // Optional fields are assigned one by one, because a copy with `...` takes as long as all the rest.
    const context: Writable<Context> = {
      dir: facts.dir,
      layer: sorted.layer,
      trace: sorted.trace,
      calls: sorted.calls,
      mod: facts.mod,
      op: facts.op,
      repr: sorted.repr,
      seqMarker: facts.seqMarker,
      seq: facts.seq,
      altSeq: facts.altSeq,
      sub: facts.sub,
      ranges: sorted.ranges,
    };
    if (caller !== null) context.callerRanges = caller.ranges;
    if (step !== null) context.step = step;
    return numbered === null ? context : Object.assign(context, numbered);
  }

  /** Op calls of the enclosing framework ops that record the shapes of their arguments; null when none does. */
  #callsBySizes(open: readonly OpenSpan<Marker>[]): NumberedCalls | null {
    const calls: OpCall[] = [];
    const rows: number[] = [];
    for (const { row, reading } of open) {
      const call = reading?.kind === 'op' ? this.#sizes.callOf(reading) : null;
      if (call === null) continue;
      calls.push(call);
      rows.push(row);
    }
    if (calls.length === 0) return null;
    const callKernels = (this.#callKernels ??= this.#countKernels());
    return {
      calls,
      callIds: rows.map((row) => callKernels.idOf(row)),
      callKernels: rows.map((row) => callKernels.kernelsIn(row)),
    };
  }

  #countKernels(): CallKernels {
    const { ranges, hostCalls, threads } = this.trace;
    const byId = Array.from(this.#threads.keys()).sort((a, b) => threads.compare(a, b));
    return new CallKernels(ranges, this.rangesByThread, byId, hostCalls, this.#order, this.launches.kernelCounts);
  }

  /** The marker of a range around a launch. Counts malformed markers. */
  #read(range: number): Marker {
    const { diagnostics } = this.trace;
    const text = this.#textOf(range);
    if (text === '') diagnostics.count('range-without-text');
    const marker = this.#parse(range, text);
    if (marker.kind === 'range' && marker.malformed) diagnostics.count('marker-not-literal');
    return marker;
  }

  /** Text of a range. In some formats this is a query of the database, so each string is asked for once only. */
  #textOf(range: number): string {
    return this.trace.names.rangeText(this.trace.ranges.text.at(range)) ?? '';
  }

  #parse(range: number, text: string): Marker {
    const stated = this.trace.markerOf?.(range) ?? null;
    if (stated !== null) return stated;
    const domain = this.trace.ranges.domainOf(range);
    if (domain === 0) return this.#texts.read(text);
    return parseMarker(`${this.trace.names.domainName(domain) ?? `domain#${domain}`}:${text}`, true);
  }
}

interface SortedMarkers {
  readonly calls: OpCall[];
  readonly ops: OpMarker[];
  readonly layer: string[];
  readonly repr: string[];
  readonly ranges: string[];
  trace: readonly string[];
  /** Modules on the call stack. They are the layer when no range names one. */
  modules: readonly string[];
  /** Text of the innermost call of a library. */
  libraryCall: string | null;
}

/** The markers around a launch by kind, each kind outermost first. */
function sortMarkers(markers: readonly Marker[]): SortedMarkers {
  const sorted: SortedMarkers = {
    calls: [],
    ops: [],
    layer: [],
    repr: [],
    ranges: [],
    trace: [],
    modules: [],
    libraryCall: null,
  };
  for (const marker of markers) addMarker(marker, sorted);
  if (sorted.layer.length === 0) append(sorted.layer, sorted.modules);
  return sorted;
}

function addMarker(marker: Marker, sorted: SortedMarkers): void {
  switch (marker.kind) {
    case 'call':
      sorted.calls.push(marker.call);
      break;
    case 'op':
      sorted.ops.push(marker);
      if (marker.seq === null) sorted.ranges.push(marker.text);
      break;
    case 'lookup':
      break;
    case 'layer':
      sorted.layer.push(marker.name);
      break;
    case 'trace':
      // The innermost stack includes the outer ones.
      sorted.trace = marker.frames;
      sorted.modules = marker.modules ?? [];
      break;
    case 'repr':
      sorted.repr.push(marker.text);
      break;
    case 'recomputation':
      sorted.ranges.push(marker.text);
      break;
    case 'range':
      sorted.ranges.push(marker.text);
      if (!marker.inDomain && isNcclCall(marker.text)) sorted.libraryCall = marker.text;
  }
}

/**
 * Index of the marker whose kernels are numbered together: the innermost call, otherwise autograd node, otherwise op; -1
 * when there is none.
 */
function instanceOf(markers: readonly Marker[]): number {
  let [node, op] = [-1, -1];
  for (let i = markers.length - 1; i >= 0; i--) {
    const marker = markers[i];
    if (marker?.kind === 'call') return i;
    if (marker?.kind !== 'op') continue;
    if (marker.node && node === -1) node = i;
    if (op === -1) op = i;
  }
  return node === -1 ? op : node;
}

/** The context of a later kernel of a launch: `sub` counts up if the launch has a sequence id. */
const shifted = (context: Context, by: number): Context =>
  context.seq.length === 0 ? context : { ...context, sub: context.sub + by };

/**
 * Counts the kernels launched inside each range, and gives ids to ranges that are op calls. This is a separate pass,
 * because the record of a call's first kernel already states the number of kernels. Cost: linear in ranges and in pairs
 * of a launch and a range around it; no strings are read. Memory: 8 bytes for each range.
 */
class CallKernels {
  readonly #kernels: Uint32Array;
  readonly #ids: Uint32Array;

  /**
   * @param threads numbers of the threads, in the order in which their ranges get ids
   * @param order the launching host calls by thread, in order of start time
   * @param kernelCounts number of kernels that each host call launched
   */
  constructor(
    ranges: Ranges,
    rangeOrder: RowGroups,
    threads: readonly number[],
    hostCalls: HostCalls,
    order: RowGroups,
    kernelCounts: Uint32Array,
  ) {
    this.#kernels = new Uint32Array(ranges.length);
    this.#ids = new Uint32Array(ranges.length);
    let id = 0;
    for (const thread of threads) {
      const sweep = new EnclosingSpans<never>(ranges, groupAt(rangeOrder, thread));
      for (const call of groupAt(order, thread)) {
        const count = elementAt(kernelCounts, call);
        for (const { row } of sweep.around(hostCalls.start.at(call), hostCalls.end.at(call))) {
          this.#kernels[row] = elementAt(this.#kernels, row) + count;
        }
      }
      for (const row of groupAt(rangeOrder, thread)) if (this.kernelsIn(row) > 0) this.#ids[row] = ++id;
    }
  }

  /** Number of kernels that were launched inside a range. */
  kernelsIn(range: number): number {
    return elementAt(this.#kernels, range);
  }

  /** Id of the op call of a range: its number among the ranges with kernels, thread by thread in order of start time. */
  idOf(range: number): number {
    return elementAt(this.#ids, range);
  }
}
