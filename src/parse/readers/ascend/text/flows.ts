/**
 * Finds where in the program device work was launched. A flow (`torch_to_npu`) connects the start of the innermost op with
 * the work on the device. Flows are at the end of a trace, so in a truncated trace the launch is followed through the
 * launch queue, which a separate thread drains.
 */
import { type HostCalls, Ranges, NumberIndex } from '../../../trace/trace-columns.js';
import { elementAt } from '../../../../containers/element.js';
import { columns, type NumberColumn } from '../../../../containers/numeric-column.js';
import { PairIndex } from '../../../../containers/hash-index.js';
import type { ThreadTable } from '../../../trace/threads.js';
import { nest, OUTSIDE } from '../../../torch/nesting.js';
import { ByteTexts } from '../../../json/json-bytes.js';
import { EVENT, type Fields } from '../../../json/event-fields.js';
import { addTo, entryOf } from '../../../../containers/map-entry.js';

/** A range of msprof_tx on the host. Times are in ns relative to the clock's base; thread, lane and text are numbers. */
interface HostMark {
  readonly start: number;
  readonly end: number;
  readonly thread: number;
  readonly name: number;
  readonly domain: string | null;
}

interface DeviceMark {
  readonly start: number;
  readonly end: number;
  readonly lane: number;
  readonly stream: number;
  readonly name: number;
}

/** Domain that is not shown in names. */
const DEFAULT_DOMAIN = 'default';

const place = (row: number, time: number): string => `${row} ${time}`;

/**
 * A host range with its range on the device, null if it was not marked there, and the id of the flow between them, NaN if
 * there is none.
 */
interface MarkPair {
  readonly host: HostMark;
  readonly id: number;
  readonly device: DeviceMark | null;
}

/**
 * Ranges of msprof_tx in a trace, on the host and on devices. A flow of category `MsTx` leads from the start of a host
 * range to the start of its device range. Memory: about 200 bytes for each range. Source: msprof's writer of these events.
 */
export class TraceMarks {
  readonly #host: HostMark[] = [];
  readonly #device = new Map<string, DeviceMark[]>();
  /** Number of host ranges that begin on the same thread at the same time. */
  readonly #hosts = new Map<string, number>();
  /** Ids of flows by their starting point, and end points by flow id. */
  readonly #begins = new Map<string, Set<number>>();
  readonly #ends = new Map<number, string>();
  readonly #paired = new Set<DeviceMark>();
  /** Number of host ranges for which several device ranges have the same text; the first in the file is used. */
  ambiguous = 0;

  addHost(mark: HostMark): void {
    const { domain } = mark;
    addTo(this.#hosts, place(mark.thread, mark.start), 1);
    this.#host.push(domain === DEFAULT_DOMAIN || domain === '' ? { ...mark, domain: null } : mark);
  }

  addDevice(mark: DeviceMark): void {
    entryOf(this.#device, place(mark.lane, mark.start), () => []).push(mark);
  }

  /** @param id null when there is none */
  addBegin(id: string | null, thread: number, time: number): void {
    if (id !== null) entryOf(this.#begins, place(thread, time), () => new Set()).add(Number(id));
  }

  /** @param id null when there is none */
  addEnd(id: string | null, lane: number, time: number): void {
    if (id !== null) this.#ends.set(Number(id), place(lane, time));
  }

  /**
   * Pairs each host range with its device range, using the flow between their starts. If several host ranges begin at the
   * same time on a thread, each gets the device range with the same text.
   */
  *pairs(): Generator<MarkPair> {
    for (const host of this.#host) {
      const isAlone = this.#hosts.get(place(host.thread, host.start)) === 1;
      const reached = this.#reachedFrom(host);
      const alike = reached.filter(({ device }) => device.name === host.name);
      const [first] = isAlone && alike.length === 0 ? reached : alike;
      if (alike.length > 1) this.ambiguous++;
      if (first !== undefined) this.#paired.add(first.device);
      yield first ?? { host, id: NaN, device: null };
    }
  }

  /** Device ranges to which flows lead from the start of a host range, and which are not yet paired. */
  #reachedFrom(host: HostMark): { host: HostMark; id: number; device: DeviceMark }[] {
    const ids = this.#begins.get(place(host.thread, host.start)) ?? [];
    return [...ids].flatMap((id) =>
      (this.#device.get(this.#ends.get(id) ?? '') ?? []).flatMap((device) =>
        this.#paired.has(device) ? [] : [{ host, id, device }],
      ),
    );
  }

  /** Number of device ranges to which no host range leads, so that their strings are unknown. Call this after `pairs`. */
  get unpaired(): number {
    return [...this.#device.values()].flat().length - this.#paired.size;
  }
}

/** Flow events, each from a host thread and time to a device lane and time. */
export class TraceFlows extends columns({
  thread: 'u32',
  /** NaN when the trace does not have this end of the flow. */
  from: 'f64',
  lane: 'u32',
  to: 'f64',
}) {
  readonly #ids = new ByteTexts();
  #index: PairIndex | null = null;

  addStart(event: Fields, thread: number, time: number): void {
    const flow = this.#numberOf(event);
    this.thread.set(flow, thread);
    this.from.set(flow, time);
  }

  addEnd(event: Fields, lane: number, time: number): void {
    const flow = this.#numberOf(event);
    this.lane.set(flow, lane);
    this.to.set(flow, time);
  }

  /** The flow that leads to the activity starting on a device lane at this time; -1 when there is none. */
  leadingTo(lane: number, start: number): number {
    this.#index ??= this.#indexEnds();
    return this.#index.get(lane, start);
  }

  #numberOf({ bytes, from, to }: Fields): number {
    const flow = this.#ids.numberOf(bytes, elementAt(from, EVENT.id), elementAt(to, EVENT.id));
    if (flow === this.length) this.push({ thread: 0, from: NaN, lane: 0, to: NaN });
    return flow;
  }

  #indexEnds(): PairIndex {
    const index = new PairIndex(
      (flow) => this.lane.at(flow),
      (flow) => this.to.at(flow),
    );
    for (let flow = 0; flow < this.length; flow++) {
      if (!Number.isNaN(this.from.at(flow)) && !Number.isNaN(this.to.at(flow))) index.put(flow);
    }
    return index;
  }
}

/** Calls with the numbers of the entries that they put into the queue. */
class QueuePuts extends columns({ start: 'f64', end: 'f64', thread: 'count', entry: 'id' }) {}

/** The queue between the program's threads and the launching thread. */
export class LaunchQueue {
  /** Enqueue calls. */
  readonly put = new QueuePuts();
  /** Dequeue ranges, with the numbers of their entries in `text`. */
  readonly taken = new Ranges();

  get starts(): readonly NumberColumn[] {
    return [this.put.start, this.taken.start];
  }

  get ends(): readonly NumberColumn[] {
    return [this.put.end, this.taken.end];
  }

  /** For each call, the enqueue call of the queue entry that was being dequeued when it was made; -1 when there is none. */
  enqueuedBy(calls: HostCalls, threads: ThreadTable): (call: number) => number {
    const { taken, put } = this;
    const facts = {
      compareTies: (a: number, b: number) => a - b,
      slack: 0,
      isFrame: () => false,
      isRepeat: () => false,
    };
    const { innermost } = nest(taken, calls, threads.count, facts);
    const index = new NumberIndex(put.entry);
    for (let row = 0; row < put.length; row++) if (!Number.isNaN(put.entry.at(row))) index.put(row);
    return (call) => {
      const row = elementAt(innermost, call);
      return row === OUTSIDE ? -1 : index.get(taken.text.at(row));
    };
  }
}
