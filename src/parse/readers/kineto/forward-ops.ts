/**
 * Backward op → the forward op that made its node: the op with the same sequence number on the thread that the
 * profiler means by its own thread number; of several the one that started last, which is the innermost.
 * Source: torch/csrc/profiler/collection.cpp, kineto_shim's `Fwd thread id` and the `fwdbwd` flows of a trace.
 */
import { PairIndex } from '../../pair-index.js';
import type { HostEvents } from './host-events.js';

/** No such op. */
export const NO_OP = -1;

export class ForwardOps {
  readonly #index: PairIndex;
  /** By forward op, the backward node made by it, the first and outermost one; filled when first asked for. */
  #nodes: Map<number, number> | null = null;
  /** The profiler's numbers of threads are its own: each is the thread on which most of its forward ops are found. */
  readonly #threads: Map<number, number>;

  constructor(private readonly events: HostEvents) {
    const { ops } = events;
    this.#index = new PairIndex(
      (op) => this.#threadOf(op),
      (op) => ops.sequence.at(op),
    );
    /** By thread, its first op that makes a node. */
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

  /** The forward op of a backward op, or NO_OP. */
  of(op: number): number {
    const { ops } = this.events;
    const thread = this.#threads.get(ops.forwardThread.at(op));
    return thread === undefined ? NO_OP : this.#index.get(thread, ops.sequence.at(op));
  }

  /**
   * The backward node that a forward op made, or NO_OP. Asked only of ops whose arguments do not tell their result: a
   * map of all nodes is large.
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
    // A function of the program's own (torch.autograd.Function) makes a node too, under a name without namespace.
    return this.events.ops.sequence.at(op) >= 0 && this.events.nameOf(this.events.ops.range.at(op)).kind !== 'node';
  }

  #startsLater(op: number, other: number): boolean {
    const { ops, ranges } = this.events;
    const [a, b] = [ops.range.at(op), ops.range.at(other)];
    const later = ranges.start.at(a) - ranges.start.at(b) || ranges.end.at(b) - ranges.end.at(a);
    return (later || ops.externalId.at(op) - ops.externalId.at(other)) > 0;
  }

  /**
   * The thread of every number of the profiler. It numbers threads in order of their first op: of several that fit
   * equally well (each counts its nodes from 0) a thread is taken that no smaller number has.
   * @param threads in order of their first op
   */
  #findThreads(threads: readonly number[]): Map<number, number> {
    const { ops } = this.events;
    const votes = new Map<number, number[]>();
    for (let op = 0; op < ops.length; op++) {
      const number = ops.forwardThread.at(op);
      if (number === 0) continue;
      let counts = votes.get(number);
      if (counts === undefined) votes.set(number, (counts = threads.map(() => 0)));
      for (const [place, thread] of threads.entries()) {
        if (this.#index.get(thread, ops.sequence.at(op)) !== NO_OP) counts[place] = (counts[place] ?? 0) + 1;
      }
    }
    const found = new Map<number, number>();
    const taken = new Set<number>();
    for (const [number, counts] of [...votes].sort(([a], [b]) => a - b)) {
      const most = Math.max(...counts);
      const fitting = threads.filter((_, place) => counts[place] === most);
      const thread = fitting.find((candidate) => !taken.has(candidate)) ?? fitting[0];
      if (thread === undefined || most <= 0) continue;
      taken.add(thread);
      found.set(number, thread);
    }
    return found;
  }
}
