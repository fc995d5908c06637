/**
 * Derives the DMA rate, the number of transfers started, and the activity of the tensor engine, as the vendor's tool
 * does.
 *
 * Source: its tables `dma_throughput`, `pending_dma` and `active_time` for five captures. All their rows follow from
 * these rules:
 * - a packet moves its bytes at a constant rate; rows of the rate are at least 10 ns apart;
 * - without descriptor notifications, no transfer is known to be complete, so all started transfers are pending;
 * - waits for semaphores do not count as activity of an engine.
 */
import type { CopyLine, KernelLine, Labels, ProfileLine, SampleRecord } from '../../../../record/record.js';
import { nanoseconds, PS_PER_NS } from './rows.js';

/** Shortest time between two rows of the rate, in ps. */
const RATE_STEP = 10_000;
const PS_PER_S = 1e12;
const TRANSFER = 'DMA_DIRECT2D';
const WAIT = 'EVENT_SEMAPHORE';

/** The packets and transfers that the tool leaves out. */
export interface Omissions {
  /** Whether the packets of a queue are left out of the rate. */
  readonly leavesOut: (packet: CopyLine) => boolean;
  /** Whether unknown sections of the trace may record completed transfers. */
  readonly hasUnknownSections: boolean;
}

interface ActivityChange {
  /** Time in ps after the profile's start. */
  readonly at: number;
  readonly device: number;
  readonly of: 'packet' | 'tensor' | 'transfer';
  /** 1 for a start, -1 for an end. */
  readonly step: 1 | -1;
  /** Bytes of a packet. */
  readonly bytes: number;
  /** Rate of a packet, in bytes per second. */
  readonly rate: number;
}

/**
 * Starts and ends of work on a device, in time order: a binary heap, because the end of work is known before later
 * starts.
 */
class Changes {
  readonly #heap: ActivityChange[] = [];

  push(change: ActivityChange): void {
    const heap = this.#heap;
    let at = heap.push(change) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as ActivityChange;
      if (above.at <= change.at) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = change;
  }

  /** Removes and returns all changes at the earliest time; returns none when that time is not before `end`. */
  takeBefore(end: number): readonly ActivityChange[] {
    const first = this.#heap[0];
    if (first === undefined || first.at >= end) return [];
    const taken: ActivityChange[] = [];
    while (this.#heap[0]?.at === first.at) taken.push(this.#pop());
    return taken;
  }

  #pop(): ActivityChange {
    const heap = this.#heap;
    const [top] = heap as [ActivityChange];
    const last = heap.pop() as ActivityChange;
    if (heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const other = heap[child + 1];
      if (other !== undefined && other.at < (heap[child] as ActivityChange).at) child++;
      const least = heap[child];
      if (least === undefined || least.at >= last.at) break;
      heap[at] = least;
      at = child;
    }
    heap[at] = last;
    return top;
  }
}

class DeviceState {
  packets = 0;
  /** Rate in bytes per second. */
  rate = 0;
  bytes = 0;
  /** Time of the last row of the rate, in ps. */
  last = -Infinity;
  tensor = 0;
  transfers = 0;
}

type Reading = Pick<SampleRecord, 'metric' | 'value' | 'unit'> & { readonly labels?: Labels };

export class DerivedSamples {
  readonly #changes = new Changes();
  readonly #states = new Map<number, DeviceState>();

  constructor(
    private readonly profile: number,
    private readonly omissions: Omissions,
  ) {}

  /** The lines in order of start time, each after the samples that precede it. */
  *among(lines: Iterable<ProfileLine>): Generator<ProfileLine> {
    for (const line of lines) {
      if ('start' in line && line.start !== null) yield* this.#before(line.start * PS_PER_NS);
      if (line.type === 'copy') this.#packet(line);
      else if (line.type === 'kernel') this.#instruction(line);
      yield line;
    }
    yield* this.#before(Infinity);
  }

  #packet(packet: CopyLine): void {
    const { device, bytes, dur } = packet;
    if (bytes === null || dur === null || this.omissions.leavesOut(packet)) return;
    const [start, length] = spanOf(packet, dur);
    const rate = length > 0 ? bytes / (length / PS_PER_S) : 0;
    this.#push({ device, of: 'packet', bytes, rate }, start, length);
  }

  #instruction(line: KernelLine): void {
    const { device, name, engine, dur } = line;
    const [start, length] = spanOf(line, dur ?? 0);
    const nothing = { device, bytes: 0, rate: 0 };
    if (name === TRANSFER && !this.omissions.hasUnknownSections)
      this.#changes.push({ ...nothing, of: 'transfer', at: start, step: 1 });
    if (engine === 'Tensor' && name !== WAIT && dur !== null) this.#push({ ...nothing, of: 'tensor' }, start, length);
  }

  #push(change: Omit<ActivityChange, 'at' | 'step'>, start: number, length: number): void {
    this.#changes.push({ ...change, at: start, step: 1 });
    this.#changes.push({ ...change, at: start + length, step: -1 });
  }

  /** @param end time in ps */
  *#before(end: number): Generator<SampleRecord> {
    for (;;) {
      const changes = this.#changes.takeBefore(end);
      const [first] = changes;
      if (first === undefined) return;
      for (const device of [...new Set(changes.map((change) => change.device))].sort((a, b) => a - b)) {
        yield* this.#at(
          first.at,
          device,
          changes.filter((change) => change.device === device),
        );
      }
    }
  }

  *#at(time: number, device: number, changes: readonly ActivityChange[]): Generator<SampleRecord> {
    let state = this.#states.get(device);
    if (state === undefined) this.#states.set(device, (state = new DeviceState()));
    const wasActive = state.tensor > 0;
    const kinds = new Set(changes.map((change) => change.of));
    for (const change of changes) apply(state, change);
    const sample = (reading: Reading): SampleRecord => {
      const { metric, value, unit, labels } = reading;
      const start = nanoseconds(time);
      return { type: 'sample', profile: this.profile, start, device, metric, value, unit, ...(labels && { labels }) };
    };
    if (kinds.has('packet') && time - state.last >= RATE_STEP) {
      state.last = time;
      const labels = { totalBytes: state.bytes };
      yield sample({ metric: 'dma_transfer_rate', value: state.rate, unit: 'bytes/s', labels });
    }
    if (kinds.has('transfer')) yield sample({ metric: 'pending_dma', value: state.transfers, unit: 'count' });
    const isActive = state.tensor > 0;
    if (isActive !== wasActive) yield sample({ metric: 'tensor_engine_active', value: isActive ? 1 : 0, unit: null });
  }
}

function apply(state: DeviceState, { of: kind, step, bytes, rate }: ActivityChange): void {
  if (kind === 'transfer') state.transfers++;
  else if (kind === 'tensor') state.tensor += step;
  else {
    state.packets += step;
    if (step === 1) state.bytes += bytes;
    // Without packets, the rate is exactly 0, whatever the rounding errors of the sum.
    state.rate = state.packets === 0 ? 0 : state.rate + step * rate;
  }
}

/** Start and duration, in ps. */
const spanOf = ({ start, ps }: CopyLine | KernelLine, dur: number): readonly [number, number] => [
  start * PS_PER_NS + (ps?.[0] ?? 0),
  dur * PS_PER_NS + (ps?.[1] ?? 0),
];
