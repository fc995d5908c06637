/**
 * Where in the program each kernel's launch stands: the chain of ops, modules, Python frames and annotations around
 * it, and for a kernel of the backward pass its forward op, whose module and frames it takes over.
 */
import type { Context, ForwardOp, OpCall } from '../../record/record.js';
import { LruCache } from '../../containers/lru-cache.js';
import { NOWHERE, type KernelContexts } from '../capture/context.js';
import type { Launches } from '../capture/launches.js';
import { withoutBackward } from '../capture/sequence.js';
import type { Threads } from '../capture/threads.js';
import { orNull } from '../../containers/numeric-column.js';
import { ForwardOps, NO_OP } from './forward-ops.js';
import type { HostEvents } from './host-events.js';
import { readStack, type HostName } from './event-names.js';
import { OUTSIDE, type Nesting } from './nesting.js';
import { Steps, type Step } from './training-steps.js';

/** What the contexts are made from. */
export interface TorchFacts {
  readonly events: HostEvents;
  readonly nesting: Nesting;
  readonly threads: Threads;
  readonly launches: Launches;
  /** Start and thread of a call. */
  readonly callStart: (call: number) => number;
  readonly callThread: (call: number) => number;
  /** External id of an activity, NaN where it has none. */
  readonly externalId: (activity: number) => number;
  /** Whether external ids are those of ops: traces of some years repeat the correlation id there. */
  readonly trusted: boolean;
  readonly slack: number;
  /** Whether threads of a queue launch what other threads ask for: then the external id tells the op on any thread. */
  readonly queued?: boolean;
  /** Steps, where they are told apart from the annotations. */
  readonly steps?: readonly Step[];
}

/** The chain around a launch, outermost first, and what its members say. */
interface Chain {
  /** Numbers of the ops that are calls, outermost first. */
  readonly callOps: readonly number[];
  readonly calls: readonly OpCall[];
  readonly nodes: readonly string[];
  readonly layer: readonly string[];
  readonly trace: readonly string[];
  readonly ranges: readonly string[];
  readonly step: number | null;
  /** Ops with a sequence number, outermost first. */
  readonly sequenced: readonly number[];
  readonly backward: boolean;
  /** Whether it is forward work, done again in the backward pass. */
  readonly recomputed: boolean;
}

export class TorchContexts implements KernelContexts {
  readonly #chains = new LruCache<number, Chain>(512);
  readonly #calls = new LruCache<string, OpCall>(8192);
  #forward: ForwardOps | null = null;
  readonly #steps: Steps;
  /** By op: how many kernels it launched in all, how many were given out, and its number in the records. */
  readonly #kernels: Uint32Array;
  readonly #given: Uint32Array;
  readonly #ids: Uint32Array;
  #lastId = 0;
  /** By activity: the innermost range around a kernel's launch. */
  readonly #leaves: Int32Array;

  /**
   * @param kernels activities that are kernels
   * @param others other activities that have a context
   */
  constructor(
    private readonly facts: TorchFacts,
    kernels: Iterable<number>,
    others: Iterable<number> = [],
  ) {
    const ops = facts.events.ops.length;
    this.#steps = new Steps(facts.events, facts.threads, facts.steps);
    this.#kernels = new Uint32Array(ops);
    this.#given = new Uint32Array(ops);
    this.#ids = new Uint32Array(ops);
    const { callOf } = facts.launches;
    this.#leaves = new Int32Array(callOf.length).fill(OUTSIDE);
    for (const kernel of kernels) {
      const leaf = this.#leafOf(callOf[kernel] ?? -1, kernel);
      this.#leaves[kernel] = leaf;
      this.#countKernel(leaf);
    }
    for (const other of others) this.#leaves[other] = this.#leafOf(callOf[other] ?? -1, other);
  }

  ofKernel(call: number, activity: number): Context {
    const leaf = this.#leaves[activity] ?? OUTSIDE;
    const during = this.#stepOf(call, leaf);
    if (leaf === OUTSIDE) return during === null ? NOWHERE : { ...NOWHERE, step: during };
    const chain = this.#chains.of(leaf, (row) => this.#chain(row));
    const { callOps, calls, trace, ranges, backward } = chain;
    const forward = backward || chain.recomputed ? this.#forwardOf(chain) : undefined;
    const around =
      forward === undefined || forward === null ? null : this.#chains.of(forward, (row) => this.#chain(row));
    const innermost = callOps.at(-1);
    const step = chain.step ?? during;
    return {
      dir: backward ? 'bprop' : calls.length > 0 || chain.nodes.length > 0 ? 'fprop' : null,
      layer: layerOf(chain, around),
      trace: backward && around !== null && around.trace.length > 0 ? around.trace : trace,
      calls,
      ...namesOf(chain),
      ...this.#sequenceOf(chain),
      sub: innermost === undefined ? 0 : this.#next(innermost),
      repr: [],
      ranges,
      ...(step === null ? undefined : { step }),
      callIds: callOps.map((op) => this.#idOf(op)),
      callKernels: callOps.map((op) => this.#kernels[op] ?? 0),
      ...(backward && forward !== undefined
        ? { forward: forward === null ? null : this.#forwardOp(forward) }
        : undefined),
    };
  }

  /**
   * The step during which a launch was made, or the innermost op began where the launch is not known, or is made later
   * by a queue.
   */
  #stepOf(call: number, leaf: number): number | null {
    if (call === -1 && leaf === OUTSIDE) return null;
    const { events, threads, callStart, callThread, queued = false } = this.facts;
    const byOp = call === -1 || (queued && leaf !== OUTSIDE);
    const thread = byOp ? events.ranges.thread.at(leaf) : callThread(call);
    return this.#steps.at(threads.processOf(thread), byOp ? events.ranges.start.at(leaf) : callStart(call));
  }

  #idOf(op: number): number {
    return (this.#ids[op] ||= ++this.#lastId);
  }

  /** Ordinal of the op's next kernel. */
  #next(op: number): number {
    const given = this.#given[op] ?? 0;
    this.#given[op] = given + 1;
    return given;
  }

  /** Adds a kernel to every op around its launch. */
  #countKernel(leaf: number): void {
    const { events, nesting } = this.facts;
    for (let row = leaf; row !== OUTSIDE; row = nesting.parent[row] ?? OUTSIDE) {
      const op = events.opOf(row);
      if (op !== NO_OP) this.#kernels[op] = (this.#kernels[op] ?? 0) + 1;
    }
  }

  /**
   * The innermost range around an activity's launch. The profiler also notes the op itself (external id): it decides
   * where times, which may be rounded to microseconds, do not show that op around the launch, and where the launch is
   * not in the trace.
   */
  #leafOf(call: number, activity: number): number {
    const { events, nesting, trusted, slack, queued = false } = this.facts;
    const leaf = call === -1 ? OUTSIDE : (nesting.innermost[call] ?? OUTSIDE);
    const externalId = this.facts.externalId(activity);
    if (!trusted || Number.isNaN(externalId)) return leaf;
    for (let row = leaf; row !== OUTSIDE; row = nesting.parent[row] ?? OUTSIDE) {
      const op = events.opOf(row);
      if (op !== NO_OP && events.ops.externalId.at(op) === externalId) return leaf;
    }
    const op = this.#opWithId(externalId);
    if (op === NO_OP) return leaf;
    const row = events.ops.range.at(op);
    if (call === -1 || queued) return row;
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
    return ambiguous.has(externalId) ? NO_OP : index.get(0, externalId);
  }

  #chain(leaf: number): Chain {
    const { events, nesting } = this.facts;
    const rows: number[] = [];
    for (let row = leaf; row !== OUTSIDE; row = nesting.parent[row] ?? OUTSIDE) rows.push(row);
    const chain = {
      callOps: [] as number[],
      calls: [] as OpCall[],
      nodes: [] as string[],
      layer: [] as string[],
      trace: [] as string[],
      ranges: [] as string[],
      step: null as number | null,
      sequenced: [] as number[],
      backward: false,
      recomputed: false,
    };
    for (const row of rows.reverse()) {
      const op = events.opOf(row);
      const name = this.#nameOf(row, op);
      if (op !== NO_OP) this.#addOp(chain, op, name);
      switch (name.kind) {
        case 'call':
          chain.callOps.push(op);
          chain.calls.push(this.#callOf(op, name.mod, name.op));
          break;
        case 'node':
          chain.nodes.push(name.name);
          // A node without a number, as the one that accumulates a gradient, is told here alone.
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
        case 'step':
          chain.step = name.step;
          chain.ranges.push(name.text);
          break;
        case 'range':
          chain.ranges.push(name.text);
          break;
        case 'none':
      }
    }
    return chain;
  }

  /** An annotation may be named like an op and is none; a function of autograd has no namespace and is called like one. */
  #nameOf(row: number, op: number): HostName {
    const { events } = this.facts;
    const { ops } = events;
    const name = events.nameOf(row);
    if (op === NO_OP) return name.kind === 'call' ? { kind: 'range', text: `${name.mod}::${name.op}` } : name;
    if (name.kind !== 'range' || name.recomputes === true || !IDENTIFIER.test(name.text)) return name;
    const isFunction = ops.dims.at(op) !== 0 && ops.sequence.at(op) >= 0 && !(ops.forwardThread.at(op) > 0);
    return isFunction ? { kind: 'call', mod: AUTOGRAD, op: name.text } : name;
  }

  #addOp(chain: { sequenced: number[]; trace: string[]; backward: boolean }, op: number, name: HostName): void {
    const { ops, texts } = this.facts.events;
    const recomputes = name.kind === 'range' && name.recomputes === true;
    if (ops.sequence.at(op) >= 0) chain.sequenced.push(op);
    if (ops.forwardThread.at(op) > 0 && !recomputes) chain.backward = true;
    const stack = ops.callStack.at(op);
    if (stack === 0) return;
    const frames = texts.readFrames?.(stack) ?? readStack(texts.text(stack - 1));
    // The innermost stack holds the outer ones.
    if (frames.length > 0) chain.trace = [...frames];
  }

  #callOf(op: number, mod: string, name: string): OpCall {
    const { ops, texts } = this.facts.events;
    const [dims, types, concrete] = [ops.dims.at(op), ops.types.at(op), ops.concrete.at(op)];
    // With the values of all arguments a result's extents follow from them.
    const out = dims !== 0 && concrete === 0 ? this.#gradientsOf(op) : 0;
    return this.#calls.of(`${ops.name.at(op)},${dims},${types},${concrete},${out}`, () => {
      const extents = out === 0 ? null : texts.readExtents(out);
      return {
        mod,
        op: name,
        args: texts.readArguments(dims, types, concrete) ?? [],
        from: 'dispatcher',
        ...(extents === null ? undefined : { out: extents }),
      };
    });
  }

  /** The extents that the backward node of a forward op is given, by number plus one; 0 when there is none. */
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
   * The range of the forward op of the innermost node in a chain; null when the trace does not hold it, undefined when there is none: the
   * accumulation of a gradient belongs to a parameter.
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

/** What functions that a program defines for autograd belong to (`class Fused(torch.autograd.Function)`). */
const AUTOGRAD = 'autograd';
const IDENTIFIER = /^[A-Za-z_]\w*$/;

/** A module runs forwards, wherever it is called: inside a node, its forward pass is done again. */
function enterForward(chain: { backward: boolean; recomputed: boolean }): void {
  if (chain.backward) chain.recomputed = true;
  chain.backward = false;
}

/**
 * A node's modules are those of its forward op. What a node recomputes is in modules of its own, within those that were
 * around the forward op.
 */
function layerOf({ layer, backward, recomputed }: Chain, around: Chain | null): readonly string[] {
  if (around === null || around.layer.length === 0) return layer;
  if (backward) return around.layer;
  const [outermost] = layer;
  const at = recomputed && outermost !== undefined ? around.layer.indexOf(outermost) : -1;
  return [...around.layer.slice(0, Math.max(at, 0)), ...layer];
}

/** Module and op to print: the calls', else the autograd node's, else the innermost range's. */
function namesOf({ calls, nodes, ranges }: Chain): Pick<Context, 'mod' | 'op'> {
  if (calls.length > 0) return { mod: calls.map(({ mod }) => mod), op: calls.map(({ op }) => op) };
  const node = nodes.at(-1);
  if (node !== undefined) return { mod: ['na'], op: [withoutBackward(node)] };
  const range = ranges.at(-1);
  return { mod: ['na'], op: range === undefined ? [] : [range] };
}
