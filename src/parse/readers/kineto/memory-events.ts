/**
 * `[memory]` events (profile_memory=True) → samples: what is allocated and reserved after each, and for each allocation
 * the op that ran and how long the block was held. Memory: 56 bytes an event, 16 more when they are written.
 *
 * Of the host the total counts what was allocated while memory was profiled; nothing is reserved there. Traces of 2021
 * tell sizes alone, neither totals nor addresses: then the sum since the first event is told, and no op's share.
 * Source: torch/csrc/autograd/profiler_kineto.cpp, c10/core/CPUAllocator.cpp.
 */
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { Labels, SampleRecord } from '../../../record/record.js';
import { ValueLine } from '../../../record/value-line.js';
import { Calls } from '../../capture/capture.js';
import { NumericColumn, orNull } from '../../../containers/numeric-column.js';
import { allRows, sortRows } from '../../../containers/row-order.js';
import type { HostEvents } from '../../torch/host-events.js';
import { OUTSIDE } from '../../torch/nesting.js';
import { EVENT, type TraceEvent } from '../../json/event-fields.js';
import type { Ids } from '../../json/number-bytes.js';
import { ARG, argNumber } from './event-args.js';
import { DEVICE_TYPES, HOST } from './device-types.js';

const NAME = Buffer.from('[memory]');

export function isMemoryEvent({ fields: { from, to } }: TraceEvent, bytes: Buffer): boolean {
  const [at = -1, end = 0] = [from[EVENT.name], to[EVENT.name]];
  return at !== -1 && end - at === NAME.length && bytes.compare(NAME, 0, NAME.length, at, end) === 0;
}

/** One allocator: of a device, or of the host. */
interface Place {
  /** Null for the host. */
  readonly device: number | null;
  readonly labels: Labels | null;
  readonly isHost: boolean;
  /** Labels of an op's allocations here, by the number of its name. */
  readonly byOp: Map<number, Labels>;
  /** Whether totals are told. */
  told: boolean;
  allocated: number;
  reserved: number;
  /** Bytes allocated less bytes released, since the first event. */
  sum: number;
}

export class MemoryEvents {
  readonly start = NumericColumn.floats();
  readonly #thread = NumericColumn.counts();
  /** Negative for a release. */
  readonly #bytes = NumericColumn.floats();
  readonly #address = NumericColumn.floats();
  readonly #allocated = NumericColumn.floats();
  readonly #reserved = NumericColumn.floats();
  /** Place among the profiler's events, which tells the order where times are the same. */
  readonly #index = NumericColumn.floats();
  readonly #place = NumericColumn.counts();
  readonly #places: Place[] = [];
  readonly #numbers = new Map<string, number>();
  #ranges: Int32Array = new Int32Array();

  constructor(private readonly ids: Ids) {}

  get length(): number {
    return this.start.length;
  }

  take(event: TraceEvent, bytes: Buffer, start: number, thread: number): void {
    event.readArgs(bytes);
    const size = argNumber(event, ARG.bytes, bytes);
    if (!Number.isSafeInteger(size) || size === 0) return;
    const { from, to } = event.args;
    const address = event.args.has(ARG.address)
      ? this.ids.at(bytes, from[ARG.address] ?? 0, to[ARG.address] ?? 0)
      : NaN;
    const number = this.#numberOf(argNumber(event, ARG.deviceType, bytes), argNumber(event, ARG.deviceId, bytes));
    const allocated = sizeOrNaN(argNumber(event, ARG.allocated, bytes));
    const place = this.#places[number];
    if (place !== undefined && !Number.isNaN(allocated)) place.told = true;
    this.start.push(start);
    this.#thread.push(thread);
    this.#bytes.push(size);
    this.#address.push(address === 0 ? NaN : address);
    this.#allocated.push(allocated);
    this.#reserved.push(place?.isHost === true ? NaN : sizeOrNaN(argNumber(event, ARG.reserved, bytes)));
    this.#index.push(argNumber(event, ARG.index, bytes));
    this.#place.push(number);
  }

  /** The calls, and after them the events as calls without a length: to be placed among the ranges together. */
  after(calls: Calls): Calls {
    if (this.length === 0) return calls;
    const all = new Calls();
    for (const { start, end, thread } of [calls, { start: this.start, end: this.start, thread: this.#thread }]) {
      for (let row = 0; row < start.length; row++) {
        all.start.push(start.at(row));
        all.end.push(end.at(row));
        all.thread.push(thread.at(row));
      }
    }
    return all;
  }

  /** @param ranges by event, the innermost range around it, or OUTSIDE */
  place(ranges: Int32Array): void {
    this.#ranges = ranges;
  }

  /** In order of start. */
  *records(profile: number, diagnostics: Diagnostics, events: HostEvents): Generator<SampleRecord> {
    const rows = allRows(this.length);
    sortRows(rows, (a, b) => this.start.at(a) - this.start.at(b) || this.#index.at(a) - this.#index.at(b) || a - b);
    const ends = this.#ends(rows, diagnostics);
    for (const row of rows) {
      const place = this.#places[this.#place.at(row)] as Place;
      const { device, labels } = place;
      const start = this.start.at(row);
      const bytes = this.#bytes.at(row);
      const allocated = this.#allocated.at(row);
      const reserved = this.#reserved.at(row);
      if (Number.isNaN(allocated)) diagnostics.count('memory-total-not-told');
      else if (allocated !== place.allocated) {
        place.allocated = allocated;
        yield new ValueLine(profile, start, device, 'memory_allocated', allocated, 'bytes', labels);
      }
      if (!place.told) {
        place.sum += bytes;
        yield new ValueLine(profile, start, device, 'memory_allocated_since_first', place.sum, 'bytes', labels);
      }
      // One that stays as it was is not told again.
      if (!Number.isNaN(reserved) && reserved !== place.reserved) {
        place.reserved = reserved;
        yield new ValueLine(profile, start, device, 'memory_reserved', reserved, 'bytes', labels);
      }
      if (bytes < 0) continue;
      const ofOp = labelsOf(place, this.#ranges[row] ?? OUTSIDE, events);
      const dur = Number.isNaN(this.#address.at(row)) ? undefined : orNull((ends[row] ?? NaN) - start);
      yield new ValueLine(profile, start, device, 'op_memory', bytes, 'bytes', ofOp, dur);
    }
  }

  /** By allocation, when its block is released; NaN where it is not, and for releases. */
  #ends(rows: Uint32Array, diagnostics: Diagnostics): Float64Array {
    const ends = new Float64Array(this.length).fill(NaN);
    const held = this.#places.map(() => new Map<number, number>());
    for (const row of rows) {
      const address = this.#address.at(row);
      const blocks = held[this.#place.at(row)];
      if (blocks === undefined || Number.isNaN(address)) continue;
      const block = blocks.get(address);
      if (block !== undefined) ends[block] = this.start.at(row);
      if (this.#bytes.at(row) > 0) {
        if (block !== undefined) diagnostics.count('allocation-without-free');
        blocks.set(address, row);
      } else if (!blocks.delete(address)) diagnostics.count('free-without-allocation');
    }
    return ends;
  }

  #numberOf(type: number, id: number): number {
    const key = `${type},${id}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      this.#numbers.set(key, (number = this.#places.length));
      const isHost = type === HOST;
      const component = Number.isNaN(type) ? null : (DEVICE_TYPES[type] ?? `device type ${type}`);
      this.#places.push({
        device: isHost || !(id >= 0) ? null : id,
        labels: component === null ? null : { component },
        isHost,
        byOp: new Map(),
        ...{ told: false, allocated: NaN, reserved: NaN, sum: 0 },
      });
    }
    return number;
  }
}

const sizeOrNaN = (value: number): number => (Number.isSafeInteger(value) && value >= 0 ? value : NaN);

function labelsOf({ byOp, labels }: Place, range: number, events: HostEvents): Labels {
  const name = range === OUTSIDE ? OUTSIDE : events.nameNumber(events.ranges.text.at(range));
  let known = byOp.get(name);
  if (known === undefined) {
    const op = name === OUTSIDE ? undefined : { op: events.texts.text(name) };
    byOp.set(name, (known = { ...op, ...labels }));
  }
  return known;
}
