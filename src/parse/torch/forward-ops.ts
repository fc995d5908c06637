/**
 * Finds the forward op that made the autograd node of a backward op: the op with the same sequence number on the thread
 * whose profiler number the backward op states. If several match, this is the one that started last, which is the
 * innermost. Source: torch/csrc/profiler/collection.cpp, kineto_shim's `Fwd thread id` and the `fwdbwd` flows of a
 * trace.
 */
import { elementAt } from '../../containers/element.js';
import { addTo, entryOf } from '../../containers/map-entry.js';
import { PairIndex } from '../../containers/hash-index.js';
import { NumberIndex } from '../trace/trace-columns.js';
import type { HostEvents } from './host-events.js';

/** Stands for the row of an op when there is none. */
export const NO_OP = -1;

/** Maximum number of threads with a node of the same number. */
const MAX_THREADS = 256;

export class ForwardOps {
  readonly #index: PairIndex;
  /** For each forward op, the first and outermost backward node that it made; filled at first use. */
  #nodes: Map<number, number> | null = null;
  /** For each of the profiler's thread numbers: the thread on which most of its forward ops are found. */
  readonly #threads: Map<number, number>;

  constructor(private readonly events: HostEvents) {
    const { ops } = events;
    this.#index = new PairIndex(
      (op) => this.#threadOf(op),
      (op) => ops.sequence.at(op),
    );
    /** For each thread, its first op that makes a node. */
    const first = new Map<number, number>();
    for (let op = 0; op < ops.length; op++) {
      if (ops.forwardThread.at(op) > 0 || !this.#makesNode(op)) continue;
      const thread = this.#threadOf(op);
      const known = this.#index.get(thread, ops.sequence.at(op));
      if (known === NO_OP || this.#startsLater(op, known)) this.#index.put(op);
      const earliest = first.get(thread);
      if (earliest === undefined || this.#startsLater(earliest, op)) first.set(thread, op);
    }
    this.#threads = this.#findThreads(
      [...first].sort(([, a], [, b]) => (this.#startsLater(a, b) ? 1 : -1)).map(([thread]) => thread),
    );
  }

  /** The forward op of a backward op; NO_OP when there is none. */
  of(op: number): number {
    const { ops } = this.events;
    const thread = this.#threads.get(ops.forwardThread.at(op));
    return thread === undefined ? NO_OP : this.#index.get(thread, ops.sequence.at(op));
  }

  /**
   * The backward node that a forward op made; NO_OP when there is none. Call this only for ops whose result's shape does
   * not follow from their arguments, because the map of all nodes is large.
   */
  nodeOf(op: number): number {
    if (this.#nodes === null) {
      this.#nodes = new Map();
      const { ops } = this.events;
      for (let node = 0; node < ops.length; node++) {
        if (ops.forwardThread.at(node) === 0 || ops.dims.at(node) === 0) continue;
        const forward = this.of(node);
        if (forward === NO_OP) continue;
        const known = this.#nodes.get(forward);
        if (known === undefined || this.#startsLater(known, node)) this.#nodes.set(forward, node);
      }
    }
    return this.#nodes.get(op) ?? NO_OP;
  }

  #threadOf(op: number): number {
    return this.events.ranges.thread.at(this.events.ops.range.at(op));
  }

  #makesNode(op: number): boolean {
    // A user's torch.autograd.Function also makes a node, under a name without a namespace.
    return this.events.ops.sequence.at(op) >= 0 && this.events.nameOf(this.events.ops.range.at(op)).kind !== 'node';
  }

  #startsLater(op: number, other: number): boolean {
    const { ops, ranges } = this.events;
    const [a, b] = [ops.range.at(op), ops.range.at(other)];
    const later = ranges.start.at(a) - ranges.start.at(b) || ranges.end.at(b) - ranges.end.at(a);
    return (later || ops.externalId.at(op) - ops.externalId.at(other)) > 0;
  }

  /**
   * The thread for each of the profiler's thread numbers. The profiler numbers threads in order of their first op. If
   * several threads fit equally well, because each counts its nodes from 0, the first thread without a smaller number
   * is used.
   * @param threads in order of their first op
   */
  #findThreads(threads: readonly number[]): Map<number, number> {
    const { ops } = this.events;
    const ordinals = new Map(threads.map((thread, ordinal) => [thread, ordinal]));
    const threadsWith = this.#threadsBySequence();
    /**
     * For each of the profiler's thread numbers and each index of a thread: the number of ops that have a forward op
     * there.
     */
    const votes = new Map<number, Map<number, number>>();
    for (let op = 0; op < ops.length; op++) {
      const number = ops.forwardThread.at(op);
      if (number === 0) continue;
      const counts = entryOf(votes, number, () => new Map<number, number>());
      for (const thread of threadsWith(ops.sequence.at(op))) {
        const ordinal = ordinals.get(thread);
        if (ordinal !== undefined) addTo(counts, ordinal, 1);
      }
    }
    const found = new Map<number, number>();
    const taken = new Set<number>();
    for (const [number, counts] of [...votes].sort(([a], [b]) => a - b)) {
      const most = [...counts.values()].reduce((a, b) => Math.max(a, b), 0);
      const fitting = [...counts]
        .flatMap(([ordinal, count]) => (count === most ? [ordinal] : []))
        .sort((a, b) => a - b);
      const ordinal = fitting.find((candidate) => !taken.has(candidate)) ?? fitting[0];
      if (ordinal === undefined) continue;
      taken.add(ordinal);
      found.set(number, elementAt(threads, ordinal));
    }
    return found;
  }

  /** The threads that have a forward op with a sequence number; empty when too many have it to identify one. */
  #threadsBySequence(): (sequence: number) => readonly number[] {
    const { ops } = this.events;
    const last = new NumberIndex(ops.sequence);
    /** For each op, the previous op with the same number. */
    const before = new Int32Array(ops.length).fill(NO_OP);
    for (let op = 0; op < ops.length; op++) {
      const sequence = ops.sequence.at(op);
      if (this.#index.get(this.#threadOf(op), sequence) !== op) continue;
      before[op] = last.get(sequence);
      last.put(op);
    }
    return (sequence) => {
      const threads: number[] = [];
      for (let op = last.get(sequence); op !== NO_OP; op = elementAt(before, op)) {
        if (threads.push(this.#threadOf(op)) > MAX_THREADS) return [];
      }
      return threads;
    };
  }
}
