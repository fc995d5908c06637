/**
 * Derives the direction, op and sequence ids of a kernel from the framework ops around its launch, and its ordinal among
 * the kernels of one op. The rules are PyProf's without its faults; comments name the differences.
 */
import { isSameList, least } from '../../../containers/element.js';
import type { Context, Direction, OpCall } from '../../../record/record.js';
import { UNKNOWN } from '../../../record/units.js';
import { LruCache } from '../../../containers/map-entry.js';
import { isBackwardOp, readOpName, type OpMarker } from './markers.js';

export type SequenceFacts = Pick<Context, 'dir' | 'mod' | 'op' | 'seqMarker' | 'seq' | 'altSeq' | 'sub'>;

/**
 * Numbering of one thread's kernels. PyProf keeps one state for all threads, so threads change each other's numbers. NaN
 * stands for a value that depends on skipped launches.
 */
export class SequenceState {
  #seq = -1;
  #sub = -1;
  #op: readonly string[] = [];
  #instance = NO_INSTANCE;

  /** The state after launches that were skipped. It becomes known again after a few launches. */
  static unknown(): SequenceState {
    const state = new SequenceState();
    state.#seq = state.#sub = state.#instance = NaN;
    return state;
  }

  get isKnown(): boolean {
    return ![this.#seq, this.#sub, this.#instance].some(Number.isNaN);
  }

  /**
   * Fields of the next launch's kernels, in order of start time; null when they depend on skipped launches.
   * @param calls op calls around the launch, outermost first
   * @param markers framework ops around the launch, outermost first
   * @param libraryCall innermost call of a library, which names the op when nothing else does
   * @param kernels number of kernels of the launch; the returned `sub` is that of the first
   * @param instance row of the range of the call (or autograd node, or op) that the launch belongs to
   */
  next(
    calls: readonly OpCall[],
    markers: readonly OpMarker[],
    libraryCall: string | null,
    kernels: number,
    instance: number,
  ): SequenceFacts | null {
    const sequenced = prune(markers);
    const dir = direction(calls, markers);
    const { mod, op } = nameOp(calls, markers, sequenced, dir, libraryCall);
    const ids = distinctIds(sequenced);
    const chosen = this.#choose(ids, markers, dir);
    const sub = chosen === null ? 0 : this.#number(chosen, mod[0] ?? UNKNOWN, op, kernels, instance);
    if (Number.isNaN(chosen) || Number.isNaN(sub)) return null;
    const seq = ids.filter((id) => id === chosen);
    const altSeq = ids.length === seq.length ? [] : ids.filter((id) => id !== chosen);
    return { dir, mod, op, seqMarker: sequenced.map((marker) => marker.text), seq, altSeq, sub };
  }

  #choose(ids: readonly number[], markers: readonly OpMarker[], dir: Direction | null): number | null {
    if (ids.length === 0) return null;
    const nonZero = (marker: OpMarker): boolean => marker.seq !== null && ids.includes(marker.seq);
    // The node's own id leads to its forward op; ops inside it may carry ids of a graph that is being built.
    if (dir === 'bprop') {
      const node = markers.findLast((marker) => marker.node && nonZero(marker));
      return node?.seq ?? least(ids);
    }
    // Since PyTorch 1.11 ops nest with their ids, and the innermost one made the node.
    if (markers.some((marker) => marker.opId !== null)) return markers.findLast(nonZero)?.seq ?? null;
    const larger = ids.filter((id) => id > this.#seq);
    if (larger.length > 0) return least(larger);
    // There is no newer id: the kernel belongs to the previous node, or its id belongs to no graph. An op of the
    // backward pass outside autograd prints 0, which is not the id of a forward op.
    return this.#seq;
  }

  /**
   * The ordinal of a launch's first kernel; the state advances to its last. As in PyProf, numbering continues across
   * calls with the same sequence id, which includes all calls outside autograd, and across the time steps of a
   * recurrent cell.
   */
  #number(seq: number, mod: string, op: readonly string[], kernels: number, instance: number): number {
    const sameOp = isSameList(op, this.#op);
    const sameCell = op[0] === 'forward' && RECURRENT_CELLS.has(mod);
    const sameCall = instance === this.#instance && sameOp && (seq === this.#seq || sameCell);
    const isUnknown =
      Number.isNaN(seq) ||
      Number.isNaN(this.#instance) ||
      (Number.isNaN(this.#seq) && instance === this.#instance && sameOp);
    const sub = isUnknown ? NaN : sameCall ? this.#sub + 1 : 0;
    this.#seq = seq;
    this.#sub = sub + Math.max(0, kernels - 1);
    this.#op = op;
    this.#instance = instance;
    return sub;
  }
}

/** Stands for the row of a range when there is none. */
export const NO_INSTANCE = -1;

/** Modules whose kernels have the sequence ids of the ops inside. Numbering continues across these ids. */
const RECURRENT_CELLS = new Set(['LSTMCell', 'GRUCell', 'RNNCell']);

/** Direction of a launch; null when no framework op is around it. */
function direction(calls: readonly OpCall[], markers: readonly OpMarker[]): Direction | null {
  if (markers.some(({ backward, name }) => backward || isBackwardOp(name))) return 'bprop';
  return calls.length > 0 || markers.length > 0 ? 'fprop' : null;
}

function nameOp(
  calls: readonly OpCall[],
  markers: readonly OpMarker[],
  sequenced: readonly OpMarker[],
  dir: Direction | null,
  libraryCall: string | null,
): { mod: string[]; op: string[] } {
  if (calls.length > 0) return { mod: calls.map((call) => call.mod), op: calls.map((call) => call.op) };
  const modern = markers.some((marker) => marker.opId !== null);
  const named = modern ? modernNames(markers, dir) : sequencedNames(sequenced, dir);
  if (named.length > 0) return { mod: named.map(([mod]) => mod), op: named.map(([, op]) => op) };
  return { mod: [UNKNOWN], op: libraryCall === null ? [] : [libraryCall] };
}

type SequencedMarker = OpMarker & { readonly seq: number };

type ModuleAndOp = [mod: string, op: string];

/** Names from markers before PyTorch 1.11: in the backward pass those that belong to it, otherwise all. */
function sequencedNames(sequenced: readonly OpMarker[], dir: Direction | null): ModuleAndOp[] {
  const relevant = dir === 'bprop' ? sequenced.filter((marker) => marker.backward) : sequenced;
  return relevant.map((marker) => [UNKNOWN, marker.backward ? withoutBackward(marker.name) : marker.name]);
}

/**
 * Names from markers since PyTorch 1.11: the autograd node in the backward pass, otherwise the op that launched the kernel.
 */
function modernNames(markers: readonly OpMarker[], dir: Direction | null): ModuleAndOp[] {
  const marker = (dir === 'bprop' ? markers.findLast(({ node }) => node) : undefined) ?? markers.at(-1);
  if (marker === undefined) return [];
  if (marker.node) return [[UNKNOWN, withoutBackward(marker.name)]];
  const call = marker.name.includes('::') ? readOpName(marker.name) : null;
  return [call === null ? [UNKNOWN, marker.name] : [call.mod, call.op]];
}

/**
 * Name of an op or node without its backward part: `torch::autograd::CopyBackwards` → `Copy`, `cudnn_convolution_backward`
 * → `cudnn_convolution`.
 */
export const withoutBackward = (name: string): string => PLAIN_NAMES.of(name, strip);

/** Cached because a program has few ops, but every kernel needs its op's name. */
const PLAIN_NAMES = new LruCache<string, string>(1024);

/** Template parameters of a C++ node keep their namespaces: `CppNode<fbgemm_gpu::PermuteFunction>`. */
function strip(name: string): string {
  const outer = /^[^<]*/.exec(name)?.[0] ?? '';
  const plain =
    outer.replace(/torch|autograd|_backward$|::|jit|\(anonymous namespace\)/g, '') + name.slice(outer.length);
  const at = plain.indexOf('Backward');
  return at > 0 ? plain.slice(0, at) : plain;
}

/**
 * The ops with a sequence id, without repetitions, in order of id, then of name. A name that contains the previous one, or
 * is contained in it, is dropped (`convolution` after `_convolution`). PyProf sorts ids as text.
 */
function prune(markers: readonly OpMarker[]): SequencedMarker[] {
  const numbered = markers.filter((marker): marker is SequencedMarker => marker.seq !== null);
  if (numbered.length < 2) return numbered;
  const sorted = [...new Map(numbered.map((marker) => [marker.text, marker])).values()].sort(
    (a, b) => a.seq - b.seq || (a.name < b.name ? -1 : 1),
  );
  return sorted.filter((marker, i) => {
    const before = sorted[i - 1];
    if (before?.seq !== marker.seq) return true;
    return !before.name.includes(marker.name) && !marker.name.includes(before.name);
  });
}

/** The ids in ascending order. Ops without a graph carry 0, which is kept only when there is no other id. */
function distinctIds(sequenced: readonly SequencedMarker[]): number[] {
  if (sequenced.length < 2) return sequenced.map((marker) => marker.seq);
  const ids = [...new Set(sequenced.map((marker) => marker.seq))].sort((a, b) => a - b);
  return ids.length > 1 && ids[0] === 0 ? ids.slice(1) : ids;
}
