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
  /** The profiler's numbers of threads are its own: each is the thread on which most of its forward ops are found. */
  readonly #threads: Map<number, number>;

  constructor(private readonly events: HostEvents) {
    const { ops } = events;
    this.#index = new PairIndex(
      (op) => this.#threadOf(op),
      (op) => ops.sequence.at(op),
    );
    const threads = new Set<number>();
    for (let op = 0; op < ops.length; op++) {
      if (ops.forwardThread.at(op) > 0 || !this.#makesNode(op)) continue;
      const known = this.#index.get(this.#threadOf(op), ops.sequence.at(op));
      if (known === NO_OP || this.#startsLater(op, known)) this.#index.put(op);
      threads.add(this.#threadOf(op));
    }
    this.#threads = this.#findThreads([...threads]);
  }

  /** The forward op of a backward op, or NO_OP. */
  of(op: number): number {
    const { ops } = this.events;
    const thread = this.#threads.get(ops.forwardThread.at(op));
    return thread === undefined ? NO_OP : this.#index.get(thread, ops.sequence.at(op));
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

  #findThreads(threads: readonly number[]): Map<number, number> {
    const { ops } = this.events;
    const found = new Map<number, Map<number, number>>();
    for (let op = 0; op < ops.length; op++) {
      const number = ops.forwardThread.at(op);
      if (number === 0) continue;
      let votes = found.get(number);
      if (votes === undefined) found.set(number, (votes = new Map<number, number>()));
      for (const thread of threads) {
        if (this.#index.get(thread, ops.sequence.at(op)) !== NO_OP) votes.set(thread, (votes.get(thread) ?? 0) + 1);
      }
    }
    return new Map([...found].flatMap(([number, votes]) => winner(number, votes)));
  }
}

/** The thread with most votes; of several the first, which does not depend on the order of events in the file. */
function winner(number: number, votes: ReadonlyMap<number, number>): [number, number][] {
  const [best] = [...votes].sort(([threadA, a], [threadB, b]) => b - a || threadA - threadB);
  return best === undefined ? [] : [[number, best[0]]];
}
