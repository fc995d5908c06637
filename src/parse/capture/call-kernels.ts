/**
 * How many kernels are launched inside each range, and ids for the ranges that are op calls. Counted in a pass of its
 * own, because the record of a call's first kernel already states their number. Cost: linear in ranges and in pairs of
 * a launch and a range around it; no texts are read. Memory: 8 bytes a range.
 */
import { elementAt } from '../../containers/element.js';
import type { HostCalls, Ranges } from './capture-columns.js';
import type { RowGroups } from '../../containers/row-order.js';
import { RangeSweep } from './ranges.js';

export class CallKernels {
  readonly #kernels: Uint32Array;
  readonly #ids: Uint32Array;
  #lastId = 0;

  /**
   * @param order the launching host calls by thread, in order of start
   * @param kernelCounts how many kernels each host call launched
   */
  constructor(
    ranges: Ranges,
    rangeOrder: RowGroups,
    hostCalls: HostCalls,
    order: RowGroups,
    kernelCounts: Uint32Array,
  ) {
    this.#kernels = new Uint32Array(ranges.length);
    this.#ids = new Uint32Array(ranges.length);
    for (let thread = 0; thread + 1 < order.first.length; thread++) {
      const sweep = new RangeSweep<never>(ranges, rangeOrder, thread);
      const launches = order.rows.subarray(elementAt(order.first, thread), elementAt(order.first, thread + 1));
      for (const call of launches) {
        const count = elementAt(kernelCounts, call);
        for (const { row } of sweep.enclosing(hostCalls.start.at(call), hostCalls.end.at(call))) {
          this.#kernels[row] = elementAt(this.#kernels, row) + count;
        }
      }
    }
  }

  /** How many kernels were launched inside a range. */
  kernelsIn(range: number): number {
    return elementAt(this.#kernels, range);
  }

  /** Id of the op call that a range is: from 1, in the order of first use. */
  idOf(range: number): number {
    return (this.#ids[range] ||= ++this.#lastId);
  }
}
