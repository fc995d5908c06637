/**
 * `[memory]` events (profile_memory=True) → samples: bytes allocated and reserved after each event, and for each
 * allocation its op and how long the block was held. Memory: 56 bytes an event, 16 more while they are written.
 *
 * The host's total counts what was allocated while memory was profiled; nothing is reserved there. Traces of 2021 record
 * sizes alone, neither totals nor addresses: then samples are the sum since the first event.
 * Source: torch/csrc/autograd/profiler_kineto.cpp, c10/core/CPUAllocator.cpp.
 */
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { Labels, SampleRecord } from '../../../record/record.js';
import { ValueLine } from '../../../record/value-line.js';
import { HostCalls } from '../../trace/trace-columns.js';
import { elementAt } from '../../../containers/element.js';
import { NumericColumn } from '../../../containers/numeric-column.js';
import { allRows, sortRows } from '../../../containers/row-order.js';
import type { HostEvents } from '../../torch/host-events.js';
import { OUTSIDE } from '../../torch/nesting.js';
import { EVENT, type TraceEvent } from '../../json/event-fields.js';
import type { Ids } from '../../json/json-bytes.js';
import { MemoryBlocks } from '../../memory-blocks.js';
import { ARG } from './call-arguments.js';

/** PyTorch's device types by number. Source: torch/headeronly/core/DeviceType.h (before: c10/core/DeviceType.h). */
const DEVICE_TYPES: readonly string[] = [
  ...['CPU', 'CUDA', 'MKLDNN', 'OpenGL', 'OpenCL', 'IDEEP', 'HIP', 'FPGA', 'MAIA', 'XLA', 'Vulkan', 'Metal', 'XPU'],
  ...['MPS', 'Meta', 'HPU', 'VE', 'Lazy', 'IPU', 'MTIA', 'PrivateUse1'],
];

const HOST = DEVICE_TYPES.indexOf('CPU');

const NAME = Buffer.from('[memory]');

/** Whether an instant event is a memory event, by its name. */
export function isMemoryEvent({ fields: { from, to, bytes } }: TraceEvent): boolean {
  const [start, end] = [elementAt(from, EVENT.name), elementAt(to, EVENT.name)];
  return start !== -1 && end - start === NAME.length && bytes.compare(NAME, 0, NAME.length, start, end) === 0;
}

interface Allocator {
  /** Device id; null for the host. */
  readonly device: number | null;
  readonly labels: Labels | null;
  readonly isHost: boolean;
  /** Labels of an op's allocations, by the number of the op's name. */
  readonly byOp: Map<number, Labels>;
  /** Whether any of its events records a total. */
  hasTotals: boolean;
  /** The last totals, bytes; NaN before the first. */
  allocated: number;
  reserved: number;
  /** Bytes allocated less bytes released, since the first event. */
  sum: number;
}

export class MemoryEvents {
  readonly #blocks = new MemoryBlocks();
  readonly start = this.#blocks.start;
  readonly #thread = NumericColumn.counts();
  readonly #allocated = NumericColumn.floats();
  readonly #reserved = NumericColumn.floats();
  /** Index among the profiler's events: the order of events of the same time. */
  readonly #index = NumericColumn.floats();
  /** By event: index in `#allocators`. */
  readonly #allocator = NumericColumn.counts();
  readonly #allocators: Allocator[] = [];
  /** Those indexes by device type and id. */
  readonly #numbers = new Map<string, number>();
  /** By event: the innermost range around it, or OUTSIDE. */
  #ranges: Int32Array = new Int32Array();

  constructor(private readonly ids: Ids) {}

  get length(): number {
    return this.start.length;
  }

  /** Adds an event; those without a size are ignored. */
  take(event: TraceEvent, start: number, thread: number): void {
    event.readArgs();
    const { args } = event;
    const size = args.number(ARG.bytes);
    if (!Number.isSafeInteger(size) || size === 0) return;
    const address = args.id(ARG.address, this.ids);
    const number = this.#numberOf(args.number(ARG.deviceType), args.number(ARG.deviceId));
    const allocated = sizeOrNaN(args.number(ARG.allocated));
    const allocator = elementAt(this.#allocators, number);
    if (!Number.isNaN(allocated)) allocator.hasTotals = true;
    this.#blocks.add(start, size, address === 0 ? NaN : address, number);
    this.#thread.push(thread);
    this.#allocated.push(allocated);
    this.#reserved.push(allocator.isHost ? NaN : sizeOrNaN(args.number(ARG.reserved)));
    this.#index.push(args.number(ARG.index));
    this.#allocator.push(number);
  }

  /** Host calls followed by the events as calls without a duration, to find the ranges around both in one pass. */
  after(hostCalls: HostCalls): HostCalls {
    if (this.length === 0) return hostCalls;
    const all = new HostCalls();
    for (const { start, end, thread } of [hostCalls, { start: this.start, end: this.start, thread: this.#thread }]) {
      for (let row = 0; row < start.length; row++) {
        all.start.push(start.at(row));
        all.end.push(end.at(row));
        all.thread.push(thread.at(row));
      }
    }
    return all;
  }

  /** @param ranges by event: the innermost range around it, or OUTSIDE */
  setRanges(ranges: Int32Array): void {
    this.#ranges = ranges;
  }

  /** The samples in order of start. */
  *records(profile: number, diagnostics: Diagnostics, events: HostEvents): Generator<SampleRecord> {
    const rows = allRows(this.length);
    sortRows(rows, (a, b) => this.start.at(a) - this.start.at(b) || this.#index.at(a) - this.#index.at(b) || a - b);
    this.#blocks.pair(rows, diagnostics, () => undefined);
    for (const row of rows) {
      const allocator = elementAt(this.#allocators, this.#allocator.at(row));
      const { device, labels } = allocator;
      const start = this.start.at(row);
      const bytes = this.#blocks.bytes.at(row);
      const allocated = this.#allocated.at(row);
      const reserved = this.#reserved.at(row);
      if (Number.isNaN(allocated)) diagnostics.count('memory-total-missing');
      else if (allocated !== allocator.allocated) {
        allocator.allocated = allocated;
        yield new ValueLine(profile, start, device, 'memory_allocated', allocated, 'bytes', labels);
      }
      if (!allocator.hasTotals) {
        allocator.sum += bytes;
        yield new ValueLine(profile, start, device, 'memory_allocated_since_first', allocator.sum, 'bytes', labels);
      }
      // Written when it changes.
      if (!Number.isNaN(reserved) && reserved !== allocator.reserved) {
        allocator.reserved = reserved;
        yield new ValueLine(profile, start, device, 'memory_reserved', reserved, 'bytes', labels);
      }
      if (bytes < 0) continue;
      const ofOp = labelsOf(allocator, elementAt(this.#ranges, row), events);
      yield new ValueLine(profile, start, device, 'op_memory', bytes, 'bytes', ofOp, this.#blocks.heldFor(row));
    }
  }

  /** Index of an allocator by device type and id; a new one for new ones. */
  #numberOf(type: number, id: number): number {
    const key = `${type},${id}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      this.#numbers.set(key, (number = this.#allocators.length));
      const isHost = type === HOST;
      const component = Number.isNaN(type) ? null : (DEVICE_TYPES[type] ?? `device type ${type}`);
      this.#allocators.push({
        device: isHost || !(id >= 0) ? null : id,
        labels: component === null ? null : { component },
        isHost,
        byOp: new Map(),
        ...{ hasTotals: false, allocated: NaN, reserved: NaN, sum: 0 },
      });
    }
    return number;
  }
}

const sizeOrNaN = (value: number): number => (Number.isSafeInteger(value) && value >= 0 ? value : NaN);

function labelsOf({ byOp, labels }: Allocator, range: number, events: HostEvents): Labels {
  const name = range === OUTSIDE ? OUTSIDE : events.nameNumber(events.ranges.text.at(range));
  let known = byOp.get(name);
  if (known === undefined) {
    const op = name === OUTSIDE ? undefined : { op: events.texts.text(name) };
    byOp.set(name, (known = { ...op, ...labels }));
  }
  return known;
}
