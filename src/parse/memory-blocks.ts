/**
 * Pairs allocations and releases of memory by the address of the block, to find how long each block was held. An allocation
 * at an address that is still held ends the previous block there, whose release was not recorded. Memory: 32 bytes for each
 * event, and the held blocks during pairing.
 */
import { elementAt } from '../containers/element.js';
import { entryOf } from '../containers/map-entry.js';
import { columns, orNull } from '../containers/numeric-column.js';
import type { Diagnostics } from '../record/diagnostics.js';

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
   * @param rows rows of all events, in order of time
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
