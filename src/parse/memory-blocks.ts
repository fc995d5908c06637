/**
 * Pairs allocations and releases of memory by the address of the block, to find how long each block was held. An allocation
 * at an address that is still held ends the previous block there, whose release was not recorded. Memory: 32 bytes for each
 * event, and the held blocks during pairing.
 */
import { elementAt } from '../containers/element.js';
import { entryOf } from '../containers/map-entry.js';
import { columns, orNull } from '../containers/numeric-column.js';
import { allRows, sortRows } from '../containers/row-order.js';
import type { Diagnostics } from '../record/diagnostics.js';
import type { TraceBuilder, Value } from './trace/trace-builder.js';

export class MemoryBlocks extends columns({
  /** Time of the event, in ns. */
  start: 'f64',
  /** Bytes allocated; negative for a release, NaN for a release of unknown size. */
  bytes: 'f64',
  /** NaN when unknown. */
  address: 'f64',
  /** Number of the process or allocator in which addresses are unique. */
  space: 'u32',
}) {
  /** For each allocation: the time at which its block was released; NaN if it was not released, and for releases. */
  #ends = new Float64Array();

  isAllocation(row: number): boolean {
    return this.bytes.at(row) > 0;
  }

  compareAddresses(a: number, b: number): number {
    return this.address.at(a) - this.address.at(b);
  }

  /**
   * Pairs allocations with the releases of their blocks.
   * @param rows rows of all events, in time order
   * @param released called with the row of a release and the row of its block's allocation
   */
  pair(rows: Uint32Array, diagnostics: Diagnostics, released: (row: number, allocation: number) => void): void {
    this.#ends = new Float64Array(this.length).fill(NaN);
    const held = new Map<number, Map<number, number>>();
    for (const row of rows) {
      const address = this.address.at(row);
      if (Number.isNaN(address)) continue;
      const blocks = entryOf(held, this.space.at(row), () => new Map<number, number>());
      const allocation = blocks.get(address);
      if (allocation !== undefined) this.#ends[allocation] = this.start.at(row);
      if (this.isAllocation(row)) {
        if (allocation !== undefined) diagnostics.count('allocation-without-free');
        blocks.set(address, row);
      } else if (allocation === undefined) diagnostics.count('free-without-allocation');
      else {
        blocks.delete(address);
        released(row, allocation);
      }
    }
  }

  /** How long the block of an allocation was held, in ns: null when it was not released, undefined without an address. */
  heldFor(row: number): number | null | undefined {
    return Number.isNaN(this.address.at(row)) ? undefined : orNull(elementAt(this.#ends, row) - this.start.at(row));
  }
}

interface BlockEvent {
  /** A kind of memory in which the addresses of a process are unique, such as `real` or `virtual`. */
  readonly space: string;
  /** The process, where a profile may have several: they use the same addresses, and the device's memory together. */
  readonly pid?: Value;
  readonly address: Value;
  readonly start: Value;
}

/**
 * Memory in use after each allocation and release, as samples of `memory_allocated` in bytes, for each device and space. A
 * release takes the size and the device of its block.
 */
export class MemoryCurve {
  readonly #blocks = new MemoryBlocks();
  readonly #pools: { readonly space: string; readonly device: number | null; sum: number }[] = [];
  readonly #poolNumbers = new Map<string, number>();
  readonly #spaces = new Map<string, number>();
  /** For each event: its number in `#pools`. */
  readonly #poolOf: number[] = [];

  constructor(private readonly trace: TraceBuilder) {}

  /** @param event its time is the end of the call, when the memory is allocated or released */
  allocated(event: BlockEvent & Readonly<{ end: Value; bytes: Value; device: number | null }>): void {
    if (typeof event.bytes !== 'number') this.trace.bad('bad-row', event.start);
    else this.#add(event, event.end, event.bytes, event.device);
  }

  released(event: BlockEvent): void {
    this.#add(event, event.start, NaN, null);
  }

  /** Adds the samples to the trace. Call this once, after the last event. */
  write(): void {
    const [blocks, { diagnostics }] = [this.#blocks, this.trace];
    const rows = allRows(blocks.length);
    // If a block is released and allocated at the same time, the release came first.
    sortRows(rows, (a, b) => {
      const byTime = blocks.start.at(a) - blocks.start.at(b);
      const byKind = Number(blocks.isAllocation(a)) - Number(blocks.isAllocation(b));
      return byTime || byKind || blocks.compareAddresses(a, b) || blocks.bytes.at(a) - blocks.bytes.at(b) || a - b;
    });
    blocks.pair(rows, diagnostics, (row, allocation) => {
      blocks.bytes.set(row, -blocks.bytes.at(allocation));
      this.#poolOf[row] = elementAt(this.#poolOf, allocation);
    });
    for (const row of rows) this.#sample(row);
  }

  #add({ address, space, pid, start: began }: BlockEvent, start: Value, bytes: number, device: number | null): void {
    if (typeof start !== 'number' || typeof address !== 'number' || Number.isNaN(start + address)) {
      this.trace.bad('bad-row', began);
      return;
    }
    const number = entryOf(this.#spaces, `${space} ${String(pid)}`, () => this.#spaces.size);
    this.#blocks.push({ start, bytes, address, space: number });
    const pool = (): number => this.#pools.push({ space, device, sum: 0 }) - 1;
    this.#poolOf.push(entryOf(this.#poolNumbers, `${space} ${device}`, pool));
  }

  #sample(row: number): void {
    const pool = elementAt(this.#pools, elementAt(this.#poolOf, row));
    const [start, bytes] = [this.#blocks.start.at(row), this.#blocks.bytes.at(row)];
    this.trace.seen(start);
    // The block of this release was allocated before the profile.
    if (Number.isNaN(bytes)) return;
    pool.sum += bytes;
    const labels = { level: pool.space };
    this.trace.sample({
      start,
      device: pool.device,
      metric: 'memory_allocated',
      unit: 'bytes',
      value: pool.sum,
      labels,
    });
  }
}
