/**
 * Where in the program each launch stands: the ranges around it, read and sorted into calls, layers, call stack,
 * framework ops and the rest. Launches are worked through thread by thread in order of their start, because a
 * kernel's numbering depends on the kernels that its thread launched before.
 */
import type { Context, OpCall } from '../../record/record.js';
import { CallKernels, type LaunchOrder } from './call-kernels.js';
import type { Capture } from './capture.js';
import type { Launches } from './launches.js';
import { parseMarker, TextReader, type Marker, type OpMarker } from './markers.js';
import { allRows, groupRows, sortRows } from '../../containers/row-order.js';
import { orderRanges, Sweep, type OpenRange, type RangeOrder } from './ranges.js';
import { NO_INSTANCE, SequenceState } from './sequence.js';
import { SizesReader } from './op-sizes.js';

interface ThreadProgress {
  readonly sweep: Sweep<Marker>;
  readonly state: SequenceState;
  /** Place of the next launch in the order of launches. */
  next: number;
  readonly last: number;
}

/** A launch whose kernels have not all been written. */
interface Pending {
  readonly context: Context;
  kernelsLeft: number;
  kernelsGiven: number;
}

/** Calls that are told apart, and how many kernels each has. */
type Numbered = Required<Pick<Context, 'calls' | 'callIds' | 'callKernels'>>;

/** Tells the context of every kernel. */
export interface KernelContexts {
  /**
   * The context of the next kernel of a launch; to be asked once for every kernel, in order of start.
   * @param call the launch; -1 when it is not known
   * @param activity the kernel
   */
  ofKernel(call: number, activity: number): Context;
}

/** Of a kernel whose launch is not known. */
export const NOWHERE: Context = {
  dir: null,
  layer: [],
  trace: [],
  calls: [],
  mod: ['na'],
  op: [],
  repr: [],
  seqMarker: [],
  seq: [],
  altSeq: [],
  sub: 0,
  ranges: [],
};

export class Contexts implements KernelContexts {
  readonly #texts = new TextReader();
  readonly #sizes = new SizesReader();
  readonly #order: LaunchOrder;
  readonly #rangeOrder: RangeOrder;
  readonly #threads: ThreadProgress[] = [];
  readonly #pending = new Map<number, Pending>();
  /** Counted when the first call needs it. */
  #callKernels: CallKernels | null = null;

  constructor(
    private readonly capture: Capture,
    private readonly launches: Launches,
  ) {
    const { calls, ranges, threads } = capture;
    const launching = allRows(calls.length).filter((call) => (launches.kernels[call] ?? 0) > 0);
    this.#order = groupRows(launching, (call) => calls.thread.at(call), threads.count);
    const { rows, first } = this.#order;
    this.#rangeOrder = orderRanges(ranges, threads.count, (a, b) => this.#compareTexts(a, b));
    for (let thread = 0; thread < threads.count; thread++) {
      const [from = 0, to = 0] = [first[thread], first[thread + 1]];
      sortRows(rows.subarray(from, to), (a, b) => this.#compareCalls(a, b));
      const sweep = new Sweep<Marker>(ranges, this.#rangeOrder, thread);
      this.#threads.push({ sweep, state: new SequenceState(), next: from, last: to });
    }
  }

  ofKernel(call: number): Context {
    if (call === -1) return NOWHERE;
    const pending = this.#pending.get(call) ?? this.#advanceTo(call);
    const context = pending.kernelsGiven === 0 ? pending.context : shifted(pending.context, pending.kernelsGiven);
    pending.kernelsGiven++;
    if (--pending.kernelsLeft === 0) this.#pending.delete(call);
    return context;
  }

  #compareCalls(a: number, b: number): number {
    const { start, end, corr } = this.capture.calls;
    return start.at(a) - start.at(b) || end.at(b) - end.at(a) || corr.at(a) - corr.at(b);
  }

  #compareTexts(a: number, b: number): number {
    const key = (row: number): string =>
      `${this.#text(row)}\0${this.capture.names.domainName(this.capture.ranges.domainOf(row)) ?? ''}`;
    const [keyA, keyB] = [key(a), key(b)];
    return keyA === keyB ? 0 : keyA < keyB ? -1 : 1;
  }

  #advanceTo(call: number): Pending {
    const progress = this.#threads[this.capture.calls.thread.at(call)];
    while (progress !== undefined && progress.next < progress.last) {
      const passed = this.#order.rows[progress.next++] ?? 0;
      const kernels = this.launches.kernels[passed] ?? 0;
      const context = this.#context(passed, progress, kernels);
      const pending = { context, kernelsLeft: kernels, kernelsGiven: 0 };
      this.#pending.set(passed, pending);
      if (passed === call) return pending;
    }
    throw new RangeError(`launch ${call} was asked for more often than it has kernels`);
  }

  #context(call: number, { sweep, state }: ThreadProgress, kernels: number): Context {
    const { calls } = this.capture;
    const open = sweep.enclosing(calls.start.at(call), calls.end.at(call));
    const around = open.map((range) => (range.reading ??= this.#read(range.row)));
    const sorted = sortMarkers(around);
    const instance = open[instanceOf(around)]?.row ?? NO_INSTANCE;
    const facts = state.next(sorted.calls, sorted.ops, sorted.innermostRange, kernels, instance);
    const numbered = sorted.calls.length > 0 ? null : this.#callsBySizes(open);
    return {
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
      ...(sorted.step === null ? undefined : { step: sorted.step }),
      ...numbered,
    };
  }

  /** The calls of the framework's ops that print the extents of their arguments; null when none around does. */
  #callsBySizes(open: readonly OpenRange<Marker>[]): Numbered | null {
    const calls: OpCall[] = [];
    const rows: number[] = [];
    for (const { row, reading } of open) {
      const call = reading?.kind === 'op' ? this.#sizes.callOf(reading) : null;
      if (call === null) continue;
      calls.push(call);
      rows.push(row);
    }
    if (calls.length === 0) return null;
    const counted = (this.#callKernels ??= this.#countKernels());
    return {
      calls,
      callIds: rows.map((row) => counted.idOf(row)),
      callKernels: rows.map((row) => counted.kernelsIn(row)),
    };
  }

  #countKernels(): CallKernels {
    const { ranges, calls } = this.capture;
    return new CallKernels(ranges, this.#rangeOrder, calls, this.#order, this.launches.kernels);
  }

  #text(range: number): string {
    return this.capture.names.rangeText(this.capture.ranges.text.at(range)) ?? '';
  }

  #read(range: number): Marker {
    const { ranges, names, diagnostics } = this.capture;
    const text = this.#text(range);
    if (text === '') diagnostics.count('range-without-text');
    const domain = ranges.domainOf(range);
    if (domain !== 0) return parseMarker(`${names.domainName(domain) ?? `domain#${domain}`}:${text}`, true);
    const marker = this.#texts.read(text);
    if (marker.kind === 'range' && marker.malformed) diagnostics.count('marker-not-literal');
    return marker;
  }
}

interface SortedMarkers {
  readonly calls: OpCall[];
  readonly ops: OpMarker[];
  readonly layer: string[];
  readonly repr: string[];
  readonly ranges: string[];
  trace: readonly string[];
  step: number | null;
  /** Text of the innermost range of the program's own that is none of the other kinds. */
  innermostRange: string | null;
}

/** Markers around a launch by kind, each kind outermost first. */
function sortMarkers(markers: readonly Marker[]): SortedMarkers {
  const sorted: SortedMarkers = {
    calls: [],
    ops: [],
    layer: [],
    repr: [],
    ranges: [],
    trace: [],
    step: null,
    innermostRange: null,
  };
  for (const marker of markers) place(marker, sorted);
  return sorted;
}

function place(marker: Marker, sorted: SortedMarkers): void {
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
      // The innermost stack holds the outer ones.
      sorted.trace = marker.frames;
      break;
    case 'repr':
      sorted.repr.push(marker.text);
      break;
    case 'recomputation':
      sorted.ranges.push(marker.text);
      break;
    case 'range':
      sorted.ranges.push(marker.text);
      if (marker.step !== null) sorted.step = marker.step;
      if (!marker.inDomain) sorted.innermostRange = marker.text;
  }
}

/** Place of the marker whose kernels are numbered together: the innermost call, else autograd node, else op; or -1. */
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

/** A launch's later kernels are numbered on where the launch has a sequence id. */
const shifted = (context: Context, by: number): Context =>
  context.seq.length === 0 ? context : { ...context, sub: context.sub + by };
