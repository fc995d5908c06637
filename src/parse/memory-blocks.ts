/**
 * Allocations and releases of memory, each with the address of its block: how long a block was held. An allocation at an
 * address that is still held ends the block before it, whose release was not recorded. Memory: 32 bytes an event, and the
 * blocks that are held while they are paired.
 */
import { elementAt } from '../containers/element.js';
import { entryOf } from '../containers/map-entry.js';
import { columns, orNull } from '../containers/numeric-column.js';
import type { Diagnostics } from '../record/diagnostics.js';

export class MemoryBlocks extends columns({
  /** ns. */
  start: 'f64',
  /** Negative for a release; NaN for one of unknown size. */
  bytes: 'f64',
  /** NaN where it is unknown. */
  address: 'f64',
  /** What addresses are unique in: a process, or an allocator. */
  space: 'u32',
}) {
  /** By allocation: the time at which its block is released; NaN where it is not, and for releases. */
  #ends = new Float64Array();

  isAllocation(row: number): boolean {
    return this.bytes.at(row) > 0;
  }

  compareAddresses(a: number, b: number): number {
    return this.address.at(a) - this.address.at(b);
  }

  /**
   * Pairs allocations with the releases of their blocks.
   * @param rows of all events, in order of time
   * @param released gets the rows of a release and of the allocation of its block
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

  /** How long the block of an allocation was held, ns: null where it was not released, undefined without an address. */
  heldFor(row: number): number | null | undefined {
    return Number.isNaN(this.address.at(row)) ? undefined : orNull(elementAt(this.#ends, row) - this.start.at(row));
  }
}
