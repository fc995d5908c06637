/**
 * Origins of device work in the program. A flow (`torch_to_npu`) connects the start of the innermost op with the work on
 * the device. Flows are at the end of a trace: in a truncated one, the launch is followed through the launch queue, which
 * a thread of its own drains.
 */
import { HostCalls, Ranges } from '../../../trace/trace-columns.js';
import { elementAt } from '../../../../containers/element.js';
import { NumericColumn } from '../../../../containers/numeric-column.js';
import { PairIndex } from '../../../../containers/pair-index.js';
import { NumberIndex } from '../../../trace/number-index.js';
import type { ThreadTable } from '../../../trace/threads.js';
import { nest, OUTSIDE } from '../../../torch/nesting.js';
import { ByteTexts } from '../../../json/byte-texts.js';
import { EVENT, type Fields } from '../../../json/event-fields.js';

/** Flow events: from a host thread at a time to a device lane at a time. */
export class TraceFlows {
  readonly #ids = new ByteTexts();
  readonly thread = NumericColumn.counts();
  /** NaN when the trace lacks this end of the flow. */
  readonly from = NumericColumn.floats();
  readonly #lane = NumericColumn.counts();
  readonly to = NumericColumn.floats();
  #index: PairIndex | null = null;

  addStart(event: Fields, thread: number, time: number): void {
    const flow = this.#numberOf(event);
    this.thread.set(flow, thread);
    this.from.set(flow, time);
  }

  addEnd(event: Fields, lane: number, time: number): void {
    const flow = this.#numberOf(event);
    this.#lane.set(flow, lane);
    this.to.set(flow, time);
  }

  /** The flow to the activity that starts on a device lane at a time; -1 when there is none. */
  leadingTo(lane: number, start: number): number {
    this.#index ??= this.#indexEnds();
    return this.#index.get(lane, start);
  }

  #numberOf({ bytes, from, to }: Fields): number {
    const flow = this.#ids.numberOf(bytes, elementAt(from, EVENT.id), elementAt(to, EVENT.id));
    if (flow === this.from.length) {
      this.thread.push(0);
      this.from.push(NaN);
      this.#lane.push(0);
      this.to.push(NaN);
    }
    return flow;
  }

  #indexEnds(): PairIndex {
    const index = new PairIndex(
      (flow) => this.#lane.at(flow),
      (flow) => this.to.at(flow),
    );
    for (let flow = 0; flow < this.from.length; flow++) {
      if (!Number.isNaN(this.from.at(flow)) && !Number.isNaN(this.to.at(flow))) index.put(flow);
    }
    return index;
  }
}

/** The queue between the program's threads and the thread that launches. */
export class LaunchQueue {
  /** Enqueue calls; `corr` is the number of the entry. */
  readonly put = new HostCalls();
  /** Dequeue ranges, with the numbers of their entries in `text`. */
  readonly taken = new Ranges();

  get starts(): readonly NumericColumn[] {
    return [this.put.start, this.taken.start];
  }

  get ends(): readonly NumericColumn[] {
    return [this.put.end, this.taken.end];
  }

  /** By call, the enqueue call of the entry during whose dequeue range it was made; -1 when there is none. */
  enqueuedBy(calls: HostCalls, threads: ThreadTable): (call: number) => number {
    const { taken, put } = this;
    const facts = {
      compareTies: (a: number, b: number) => a - b,
      slack: 0,
      isFrame: () => false,
      isRepeat: () => false,
    };
    const { innermost } = nest(taken, calls, threads.count, facts);
    const index = new NumberIndex(put.corr);
    for (let row = 0; row < put.corr.length; row++) if (!Number.isNaN(put.corr.at(row))) index.put(row);
    return (call) => {
      const row = elementAt(innermost, call);
      return row === OUTSIDE ? -1 : index.get(taken.text.at(row));
    };
  }
}
