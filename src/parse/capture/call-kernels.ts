/**
 * How many kernels the launches inside each range have, and numbers for the ranges that are calls. A pass of its own,
 * because the first kernel of a call is asked for before its last launch is reached. Cost: linear in ranges and in
 * enclosing pairs, no texts are read. Memory: 8 bytes a range.
 */
import type { Calls, Ranges } from './capture.js';
import { Sweep, type RangeOrder } from './ranges.js';

/** The launches of all threads in order of start. */
export interface LaunchOrder {
  readonly rows: Uint32Array;
  /** Place of the first launch of each thread; one entry more at the end. */
  readonly first: Uint32Array;
}

export class CallKernels {
  readonly #kernels: Uint32Array;
  readonly #ids: Uint32Array;
  #lastId = 0;

  /** @param kernels how many kernels each call launched */
  constructor(ranges: Ranges, rangeOrder: RangeOrder, calls: Calls, order: LaunchOrder, kernels: Uint32Array) {
    this.#kernels = new Uint32Array(ranges.length);
    this.#ids = new Uint32Array(ranges.length);
    for (let thread = 0; thread + 1 < order.first.length; thread++) {
      const sweep = new Sweep<never>(ranges, rangeOrder, thread);
      for (let at = order.first[thread] ?? 0; at < (order.first[thread + 1] ?? 0); at++) {
        const call = order.rows[at] ?? 0;
        for (const { row } of sweep.enclosing(calls.start.at(call), calls.end.at(call))) {
          this.#kernels[row] = (this.#kernels[row] ?? 0) + (kernels[call] ?? 0);
        }
      }
    }
  }

  /** How many kernels were launched inside a range. */
  kernelsIn(range: number): number {
    return this.#kernels[range] ?? 0;
  }

  /** Number of the call that a range is, from 1 in the order in which they are asked for. */
  idOf(range: number): number {
    return (this.#ids[range] ||= ++this.#lastId);
  }
}
