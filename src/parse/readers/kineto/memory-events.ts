/**
 * Turns `[memory]` events (profile_memory=True) into samples: bytes allocated and reserved after each event, and for
 * each allocation its op and how long the block was held. Memory: 56 bytes for each event, 16 more while they are
 * written.
 *
 * The host's total counts only memory allocated during profiling, and the host has no reserved memory. Traces of 2021
 * record only sizes, without totals or addresses: samples are then the sum since the first event. Source:
 * torch/csrc/autograd/profiler_kineto.cpp, c10/core/CPUAllocator.cpp.
 */
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { Labels, SampleRecord } from '../../../record/record.js';
import { ValueLine } from '../../../record/value-line.js';
import { ThreadSpans, type HostCalls } from '../../trace/trace-columns.js';
import { elementAt } from '../../../containers/element.js';
import { columns } from '../../../containers/numeric-column.js';
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

/** Whether an instant event is a memory event, judged by its name. */
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
  /** Whether any of the allocator's events records a total. */
  hasTotals: boolean;
  /** The last totals, in bytes; NaN before the first. */
  allocated: number;
  reserved: number;
  /** Bytes allocated minus bytes released since the first event. */
  sum: number;
}

/** Columns of memory events, in addition to those of their blocks. */
class EventColumns extends columns({
  thread: 'u32',
  allocated: 'f64',
  reserved: 'f64',
  /** Index among the profiler's events, which orders events with the same time. */
  index: 'f64',
  /** Index in `#allocators`. */
  allocator: 'u32',
}) {}

export class MemoryEvents {
  readonly #blocks = new MemoryBlocks();
  readonly start = this.#blocks.start;
  readonly #events = new EventColumns();
  readonly #allocators: Allocator[] = [];
  /** Indexes in `#allocators`, by device type and id. */
  readonly #numbers = new Map<string, number>();
  /** For each event: the innermost range around it, or OUTSIDE. */
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
    this.#blocks.push({ start, bytes: size, address: address === 0 ? NaN : address, space: number });
    const reserved = allocator.isHost ? NaN : sizeOrNaN(args.number(ARG.reserved));
    this.#events.push({ thread, allocated, reserved, index: args.number(ARG.index), allocator: number });
  }

  /** Host calls followed by the events as calls without duration, so that the ranges around both are found in one pass. */
  after(hostCalls: HostCalls): ThreadSpans | HostCalls {
    if (this.length === 0) return hostCalls;
    const all = new ThreadSpans();
    for (const { start, end, thread } of [
      hostCalls,
      { start: this.start, end: this.start, thread: this.#events.thread },
    ])
      for (let row = 0; row < start.length; row++) all.pushCells(start.at(row), end.at(row), thread.at(row));
    return all;
  }

  /** @param ranges for each event, the innermost range around it, or OUTSIDE */
  setRanges(ranges: Int32Array): void {
    this.#ranges = ranges;
  }

  /** The samples in order of start time. */
  *records(profile: number, diagnostics: Diagnostics, events: HostEvents): Generator<SampleRecord> {
    const rows = allRows(this.length);
    sortRows(
      rows,
      (a, b) => this.start.at(a) - this.start.at(b) || this.#events.index.at(a) - this.#events.index.at(b) || a - b,
    );
    this.#blocks.pair(rows, diagnostics, () => undefined);
    for (const row of rows) {
      const allocator = elementAt(this.#allocators, this.#events.allocator.at(row));
      const { device, labels } = allocator;
      const start = this.start.at(row);
      const bytes = this.#blocks.bytes.at(row);
      const allocated = this.#events.allocated.at(row);
      const reserved = this.#events.reserved.at(row);
      if (Number.isNaN(allocated)) diagnostics.count('memory-total-missing');
      else if (allocated !== allocator.allocated) {
        allocator.allocated = allocated;
        yield new ValueLine(profile, start, device, 'memory_allocated', allocated, 'bytes', labels);
      }
      if (!allocator.hasTotals) {
        allocator.sum += bytes;
        yield new ValueLine(profile, start, device, 'memory_allocated_since_first', allocator.sum, 'bytes', labels);
      }
      // The reserved total is written only when it changes.
      if (!Number.isNaN(reserved) && reserved !== allocator.reserved) {
        allocator.reserved = reserved;
        yield new ValueLine(profile, start, device, 'memory_reserved', reserved, 'bytes', labels);
      }
      if (bytes < 0) continue;
      const ofOp = labelsOf(allocator, elementAt(this.#ranges, row), events);
      yield new ValueLine(profile, start, device, 'op_memory', bytes, 'bytes', ofOp, this.#blocks.heldFor(row));
    }
  }

  /** Index of an allocator by device type and id; a new index for a new allocator. */
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
