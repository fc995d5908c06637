/**
 * The program context of each kernel: the chain of ops, modules, Python frames and annotations around its launch. A kernel
 * of the backward pass also has its forward op, and inherits its modules and frames.
 */
import type { Context, ForwardOp, OpCall, RangeKind } from '../../record/record.js';
import { LruCache } from '../../containers/map-entry.js';
import type { Writable } from '../../containers/writable.js';
import { NO_CONTEXT, LaunchSteps, type KernelContexts, type Step, type StepRange } from '../trace/launch-steps.js';
import type { Caller, ThreadTable } from '../trace/threads.js';
import type { LaunchJoin } from '../trace/launches.js';
import { elementAt } from '../../containers/element.js';
import { orNull } from '../../containers/numeric-column.js';
import { ForwardOps, NO_OP } from './forward-ops.js';
import type { HostEvents } from './host-events.js';
import { annotatedSteps, EngineThreads } from './engine-threads.js';
import {
  isCompiledNode,
  definedFunction,
  readStack,
  stackTexts,
  directionOf,
  enterCompiled,
  enterForward,
  layerOf,
  namesOf,
  type HostName,
  type Chain,
} from './event-names.js';
import { OUTSIDE, type Nesting } from './nesting.js';
import { addShown, ShownOperands } from './shown-operands.js';

export interface TorchFacts {
  readonly events: HostEvents;
  readonly nesting: Nesting;
  readonly threads: ThreadTable;
  readonly launches: LaunchJoin;
  /** Start of a host call in ns, and its thread. */
  readonly callStart: (call: number) => number;
  readonly callThread: (call: number) => number;
  /** External id of an activity; NaN when it has none. */
  readonly externalId: (activity: number) => number;
  /** Whether external ids are ids of ops. In traces of some years, they are copies of the correlation id. */
  readonly externalIdsAreOps: boolean;
  /** How much later than its op a launch may start, in ns, because times are rounded. */
  readonly slack: number;
  /** Whether threads of a queue launch work for other threads. If so, the op of an external id may be on any thread. */
  readonly launchedByQueue?: boolean;
  /** Text number of a kernel's name, if operands are to be derived from it. */
  readonly kernelName?: (activity: number) => number;
  /** Steps that replace those of annotations, if the profile records steps separately. */
  readonly steps?: readonly StepRange[];
}

/** Fields that only some launches have. */
const callerFields = (caller: Caller | null, step: number | null): Pick<Context, 'callerRanges' | 'step'> => ({
  ...(caller === null ? undefined : { callerRanges: caller.ranges }),
  ...(step === null ? undefined : { step }),
});

export class TorchContexts implements KernelContexts {
  readonly #chains = new LruCache<number, Chain>(512);
  readonly #calls = new LruCache<string, OpCall>(8192);
  /** Frames of each call stack, by its number. */
  readonly #stacks = new LruCache<number, readonly string[]>(512);
  #forward: ForwardOps | null = null;
  readonly #steps: LaunchSteps;
  readonly #engines: EngineThreads;
  readonly #shown: ShownOperands;
  /** For each op: how many kernels it launched. */
  readonly #kernels: Uint32Array;
  /** For each op: how many of its kernels have been numbered so far. */
  readonly #numbered: Uint32Array;
  /** For each op: its id in the records, 0 before its first use. */
  readonly #ids: Uint32Array;
  #lastId = 0;
  /** For each activity: the innermost range around its launch, or OUTSIDE. */
  readonly #leaves: Int32Array;

  /** `kernels` are rows of kernels; `others` are rows of other activities that have a context. */
  constructor(
    private readonly facts: TorchFacts,
    kernels: Iterable<number>,
    others: Iterable<number> = [],
  ) {
    const ops = facts.events.ops.length;
    const { events, nesting, threads, steps = [] } = facts;
    this.#steps = new LaunchSteps(steps.length > 0 ? steps : annotatedSteps(events), threads);
    this.#engines = new EngineThreads(events, nesting, threads);
    this.#shown = new ShownOperands(events, nesting);
    this.#kernels = new Uint32Array(ops);
    this.#numbered = new Uint32Array(ops);
    this.#ids = new Uint32Array(ops);
    const { callOf } = facts.launches;
    this.#leaves = new Int32Array(callOf.length).fill(OUTSIDE);
    for (const kernel of kernels) {
      const leaf = this.#leafOf(elementAt(callOf, kernel), kernel);
      this.#leaves[kernel] = leaf;
      this.#countKernel(leaf);
    }
    for (const other of others) this.#leaves[other] = this.#leafOf(elementAt(callOf, other), other);
  }

  get steps(): readonly Step[] {
    return this.#steps.all;
  }

  ofKernel(call: number, activity: number): Context {
    const leaf = elementAt(this.#leaves, activity);
    const caller = this.#callerOf(call, leaf);
    const step = this.#stepOf(call, leaf, caller);
    if (leaf === OUTSIDE) return { ...NO_CONTEXT, ...callerFields(caller, step) };
    const chain = this.#chains.of(leaf, (row) => this.#chain(row));
    const { callOps, calls, trace, ranges, backward } = chain;
    const forward = backward || chain.recomputed ? this.#forwardOf(chain) : undefined;
    const forwardChain =
      forward === undefined || forward === null ? null : this.#chains.of(forward, (row) => this.#chain(row));
    const innermost = callOps.at(-1);
    const { mod, op } = namesOf(chain);
    const { seqMarker, seq, altSeq } = this.#sequenceOf(chain);
    const context: Writable<Context> = {
      dir: directionOf(chain),
      layer: layerOf(chain, forwardChain),
      trace: backward && forwardChain !== null && forwardChain.trace.length > 0 ? forwardChain.trace : trace,
      calls,
      mod,
      op,
      repr: [],
      seqMarker,
      seq,
      altSeq,
      sub: innermost === undefined ? 0 : this.#next(innermost),
      ranges,
      ...callerFields(caller, step),
    };
    context.callIds = callOps.map((call) => this.#idOf(call));
    context.callKernels = callOps.map((call) => elementAt(this.#kernels, call));
    if (backward && forward !== undefined) context.forward = forward === null ? null : this.#forwardOp(forward);
    const { kernelName, callStart } = this.facts;
    const shown = call === -1 ? null : this.#shown.of(kernelName?.(activity), leaf, callStart(call));
    if (shown !== null) addShown(context, shown, this.#idOf(shown.op));
    return context;
  }

  stepOf(call: number, activity: number): number | null {
    const leaf = this.#leaves[activity] ?? OUTSIDE;
    return this.#stepOf(call, leaf, this.#callerOf(call, leaf));
  }

  rangeKindOf(range: number): RangeKind {
    const named = this.facts.events.kindOf(range);
    const { kind } = this.facts.events.roleOf(range);
    if (kind === 'layer') return kind;
    if (named === 'frame' || named === 'overhead') return named;
    return kind === 'range' ? 'annotation' : 'op';
  }

  readonly isRepeated = (range: number): boolean => this.facts.nesting.repeated.has(range);

  stackOf(range: number): readonly string[] {
    const { events } = this.facts;
    const op = events.opOf(range);
    const stack = op === NO_OP ? 0 : events.ops.callStack.at(op);
    return stack === 0
      ? []
      : this.#stacks.of(stack, () => events.texts.stackTexts?.(stack) ?? stackTexts(events.texts.text(stack - 1)));
  }

  /** The innermost op around an activity's launch; -1 when there is none. */
  opOf(activity: number): number {
    const { events, nesting } = this.facts;
    let row = this.#leaves[activity] ?? OUTSIDE;
    while (row !== OUTSIDE && events.opOf(row) === NO_OP) row = elementAt(nesting.parent, row);
    return row === OUTSIDE ? NO_OP : events.opOf(row);
  }

  #stepOf(call: number, leaf: number, caller: Caller | null): number | null {
    const origin = this.#originOf(call, leaf);
    return origin === null ? null : this.#steps.at(origin.thread, caller?.thread ?? null, origin.time);
  }

  /** The thread that the launching thread works for; null when there is none or it is unknown. */
  #callerOf(call: number, leaf: number): Caller | null {
    const origin = this.#originOf(call, leaf);
    if (origin === null) return null;
    const forwardThread = (): number | null => {
      if (leaf === OUTSIDE) return null;
      const forward = this.#forwardOf(this.#chains.of(leaf, (row) => this.#chain(row))) ?? null;
      return forward === null ? null : this.facts.events.ranges.thread.at(forward);
    };
    return this.#engines.callerOf(origin.thread, origin.time, forwardThread);
  }

  /**
   * Thread and time of a launch. If the launch is unknown, or a queue made it later, those of the innermost op are
   * used. Null when neither is known.
   */
  #originOf(call: number, leaf: number): { readonly thread: number; readonly time: number } | null {
    if (call === -1 && leaf === OUTSIDE) return null;
    const { events, callStart, callThread, launchedByQueue = false } = this.facts;
    const byOp = call === -1 || (launchedByQueue && leaf !== OUTSIDE);
    return byOp
      ? { thread: events.ranges.thread.at(leaf), time: events.ranges.start.at(leaf) }
      : { thread: callThread(call), time: callStart(call) };
  }

  #idOf(op: number): number {
    return (this.#ids[op] ||= ++this.#lastId);
  }

  /** Ordinal of the op's next kernel, from 0. */
  #next(op: number): number {
    const ordinal = elementAt(this.#numbered, op);
    this.#numbered[op] = ordinal + 1;
    return ordinal;
  }

  /** Adds a kernel to every op around its launch. */
  #countKernel(leaf: number): void {
    const { events, nesting } = this.facts;
    for (let row = leaf; row !== OUTSIDE; row = elementAt(nesting.parent, row)) {
      const op = events.opOf(row);
      if (op !== NO_OP) this.#kernels[op] = elementAt(this.#kernels, op) + 1;
    }
  }

  /**
   * The innermost range around an activity's launch. The profiler also records the op itself (external id). That op is used
   * when it is not around the launch, because times may be rounded to microseconds, and when the launch is not in the
   * trace.
   */
  #leafOf(call: number, activity: number): number {
    const { events, nesting, externalIdsAreOps, slack, launchedByQueue = false } = this.facts;
    const leaf = call === -1 ? OUTSIDE : elementAt(nesting.innermost, call);
    const externalId = this.facts.externalId(activity);
    if (!externalIdsAreOps || Number.isNaN(externalId)) return leaf;
    for (let row = leaf; row !== OUTSIDE; row = elementAt(nesting.parent, row)) {
      const op = events.opOf(row);
      if (op !== NO_OP && events.ops.externalId.at(op) === externalId) return leaf;
    }
    const op = this.#opWithId(externalId);
    if (op === NO_OP) return leaf;
    const row = events.ops.range.at(op);
    if (call === -1 || launchedByQueue) return row;
    const { ranges } = events;
    const start = this.facts.callStart(call);
    const fits =
      ranges.thread.at(row) === this.facts.callThread(call) &&
      ranges.start.at(row) <= start &&
      start <= ranges.end.at(row) + slack;
    return fits ? row : leaf;
  }

  #opWithId(externalId: number): number {
    const { index, ambiguous } = this.facts.events.opsById;
    return ambiguous.has(externalId) ? NO_OP : index.get(externalId);
  }

  #chain(leaf: number): Chain {
    const { events, nesting } = this.facts;
    const rows: number[] = [];
    for (let row = leaf; row !== OUTSIDE; row = elementAt(nesting.parent, row)) rows.push(row);
    const chain = {
      callOps: [] as number[],
      calls: [] as OpCall[],
      nodes: [] as string[],
      nodeCalls: false,
      layer: [] as string[],
      graph: null as string | null,
      compiled: false,
      trace: [] as string[],
      ranges: [] as string[],
      sequenced: [] as number[],
      backward: false,
      recomputed: false,
    };
    for (const row of rows.reverse()) {
      const op = events.opOf(row);
      const name = events.roleOf(row);
      if (op !== NO_OP) this.#addOp(chain, op, name);
      switch (name.kind) {
        case 'call':
          chain.callOps.push(op);
          chain.calls.push(this.#callOf(op, name.mod, name.op));
          break;
        case 'node':
          if (!isCompiledNode(name.name)) chain.nodes.push(name.name);
          // A node without a sequence number, such as AccumulateGrad, appears nowhere else in the record.
          if (!(events.ops.sequence.at(op) >= 0) && chain.ranges.at(-1) !== name.name) chain.ranges.push(name.name);
          chain.backward = true;
          break;
        case 'layer':
          chain.layer.push(name.name);
          enterForward(chain);
          break;
        case 'recomputation':
          enterForward(chain);
          break;
        case 'frame':
          chain.trace.push(name.frame);
          break;
        case 'range':
          chain.ranges.push(name.text);
          if (name.compiled !== undefined) enterCompiled(chain, name.compiled);
          break;
        case 'none':
      }
    }
    if (chain.calls.length === 0)
      this.#addNodeCall(
        chain,
        rows.findLast((row) => events.opOf(row) !== NO_OP),
      );
    return chain;
  }

  /**
   * A function that the program defines for autograd may launch its own kernels in the backward pass. Its node is then
   * the call, with the incoming gradients as arguments.
   */
  #addNodeCall(chain: { calls: OpCall[]; callOps: number[]; nodeCalls: boolean }, innermost: number | undefined): void {
    if (innermost === undefined) return;
    const { events } = this.facts;
    const [op, name] = [events.opOf(innermost), events.roleOf(innermost)];
    const defined = name.kind === 'node' ? definedFunction(name.name) : null;
    if (defined === null || events.ops.dims.at(op) === 0) return;
    chain.callOps.push(op);
    chain.calls.push(this.#callOf(op, 'autograd', defined));
    chain.nodeCalls = true;
  }

  #addOp(chain: { sequenced: number[]; trace: string[]; backward: boolean }, op: number, name: HostName): void {
    const { ops, texts } = this.facts.events;
    const recomputes = name.kind === 'range' && name.recomputes === true;
    if (ops.sequence.at(op) >= 0) chain.sequenced.push(op);
    if (ops.forwardThread.at(op) > 0 && !recomputes) chain.backward = true;
    const stack = ops.callStack.at(op);
    if (stack === 0) return;
    const frames = texts.readFrames?.(stack) ?? readStack(texts.text(stack - 1));
    // The innermost stack includes the outer ones.
    if (frames.length > 0) chain.trace = [...frames];
  }

  #callOf(op: number, mod: string, name: string): OpCall {
    const { ops, texts } = this.facts.events;
    const [dims, types, concrete] = [ops.dims.at(op), ops.types.at(op), ops.concrete.at(op)];
    const strides = ops.strides.at(op);
    // If the values of all arguments are recorded, they determine the shape of the result.
    const out = dims !== 0 && concrete === 0 ? this.#gradientsOf(op) : 0;
    return this.#calls.of(`${ops.name.at(op)},${dims},${types},${concrete},${strides},${out}`, () => {
      const extents = out === 0 ? null : texts.readExtents(out);
      return {
        mod,
        op: name,
        args: texts.readArguments(dims, types, concrete, strides) ?? [],
        from: 'dispatcher',
        ...(extents === null ? undefined : { out: extents }),
      };
    });
  }

  /** Shapes of the gradients that a forward op's backward node receives, as a `dims` cell; 0 when there is none. */
  #gradientsOf(op: number): number {
    const { ops } = this.facts.events;
    if (!(ops.sequence.at(op) >= 0) || ops.forwardThread.at(op) > 0) return 0;
    const node = this.#forwardOps.nodeOf(op);
    return node === NO_OP ? 0 : ops.dims.at(node);
  }

  get #forwardOps(): ForwardOps {
    return (this.#forward ??= new ForwardOps(this.facts.events));
  }

  #sequenceOf({ sequenced, backward }: Chain): Pick<Context, 'seqMarker' | 'seq' | 'altSeq'> {
    const { ops, texts } = this.facts.events;
    const ids = [...new Set(sequenced.map((op) => ops.sequence.at(op)))];
    const chosen = backward ? sequenced.findLast((op) => ops.forwardThread.at(op) > 0) : sequenced.at(-1);
    const seq = chosen === undefined ? null : ops.sequence.at(chosen);
    return {
      seqMarker: sequenced.map((op) => `${texts.text(ops.name.at(op))}, seq = ${ops.sequence.at(op)}`),
      seq: seq === null ? [] : [seq],
      altSeq: ids.filter((id) => id !== seq),
    };
  }

  /**
   * The range of the forward op of the innermost node in a chain. Null when the trace does not contain it; undefined when
   * there is none, as for AccumulateGrad, which belongs to a parameter.
   */
  #forwardOf({ sequenced }: Chain): number | null | undefined {
    const { ops } = this.facts.events;
    const node = sequenced.findLast((op) => ops.forwardThread.at(op) > 0);
    if (node === undefined) return undefined;
    const forward = this.#forwardOps.of(node);
    return forward === NO_OP ? null : ops.range.at(forward);
  }

  #forwardOp(row: number): ForwardOp {
    const { events, threads } = this.facts;
    const name = events.nameOf(row);
    const tid = orNull(threads.tid(events.ranges.thread.at(row)));
    const start = events.ranges.start.at(row);
    if (name.kind === 'call') return { mod: name.mod, op: name.op, tid, start };
    return { mod: 'na', op: events.nameText(events.ranges.text.at(row)), tid, start };
  }
}
