/**
 * Allocations and releases of memory (`nsys profile --cuda-memory-usage=true`) → samples: bytes allocated since the first
 * event, by device and kind of memory, and for each allocation how long its block was held. What was allocated before
 * the capture is unknown. Memory: 40 bytes an event, and the blocks that are held.
 *
 * Source: NVIDIA Nsight Systems documentation, "SQLite Schema Reference": CUDA_GPU_MEMORY_USAGE_EVENTS,
 * ENUM_CUDA_MEM_KIND, ENUM_CUDA_DEV_MEM_EVENT_OPER.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { NumericColumn } from '../../../containers/numeric-column.js';
import { allRows, sortRows } from '../../../containers/row-order.js';
import type { Diagnostics } from '../../../record/diagnostics.js';
import { isNear } from '../../trace/clocks/exact-times.js';
import type { Labels, SampleRecord } from '../../../record/record.js';
import { ValueLine } from '../../../record/value-line.js';

export const MEMORY_TABLE = 'CUDA_GPU_MEMORY_USAGE_EVENTS';
export const MEMORY_COLUMNS = ['deviceId', 'address', 'bytes', 'memKind', 'memoryOperationType'] as const;

const [ALLOCATION, RELEASE] = [0, 1];

/** Kinds of memory by their number. */
const KINDS = ['Pageable', 'Pinned', 'Device', 'Array', 'Managed', 'Device Static', 'Managed Static'];
const HOST_KINDS: readonly (string | undefined)[] = ['Pageable', 'Pinned'];

/** Whether memory of a kind is the host's, and belongs to no device. */
export const isOfHost = (kind: number): boolean => HOST_KINDS.includes(KINDS[kind] ?? 'Device');

/** One kind of memory of one device. */
interface Pool {
  readonly device: number | null;
  readonly labels: Labels | null;
  sum: number;
}

export interface MemoryEvent {
  readonly start: number;
  readonly process: number;
  /** As the records number it; null where unknown. */
  readonly device: number | null;
  readonly address: number;
  /** NaN where unknown. */
  readonly bytes: number;
  readonly kind: number;
  readonly operation: number;
}

export class MemoryUsage {
  readonly start = NumericColumn.floats();
  /** Negative for a release; NaN for one of unknown size. */
  readonly #bytes = NumericColumn.floats();
  readonly #address = NumericColumn.floats();
  readonly #process = NumericColumn.counts();
  readonly #operation = NumericColumn.codes();
  readonly #pool = NumericColumn.counts();
  readonly #pools: Pool[] = [];
  /** Their indexes by device and kind. */
  readonly #numbers = new Map<string, number>();

  /** @returns whether the event can be read */
  add({ start, process, device, address, bytes, kind, operation }: MemoryEvent): boolean {
    if (!isNear(start) || (operation !== ALLOCATION && operation !== RELEASE)) return false;
    const isUnknown = !(bytes > 0);
    if (isUnknown && (operation === ALLOCATION || Number.isNaN(address))) return false;
    this.start.push(start);
    this.#bytes.push(isUnknown ? NaN : bytes);
    this.#address.push(address);
    this.#process.push(process);
    this.#operation.push(operation);
    this.#pool.push(this.#poolOf(device, kind));
    return true;
  }

  /** The samples in order of start. */
  *records(profile: number, diagnostics: Diagnostics): Generator<SampleRecord> {
    const rows = allRows(this.start.length);
    // A block that is released and allocated again at one time was released first.
    const columns = [this.#address, this.#pool];
    sortRows(rows, (a, b) => {
      const byTime = this.start.at(a) - this.start.at(b) || this.#operation.at(b) - this.#operation.at(a);
      return byTime || columns.reduce((order, column) => order || column.at(a) - column.at(b), 0) || a - b;
    });
    const ends = this.#pairBlocks(rows, diagnostics);
    for (const row of rows) {
      const pool = elementAt(this.#pools, this.#pool.at(row));
      const { device, labels } = pool;
      const [start, bytes] = [this.start.at(row), this.#bytes.at(row)];
      const isAllocation = this.#operation.at(row) === ALLOCATION;
      // A release of unknown size whose allocation is not in the profile.
      if (Number.isNaN(bytes)) continue;
      pool.sum += isAllocation ? bytes : -bytes;
      yield new ValueLine(profile, start, device, 'memory_allocated_since_first', pool.sum, 'bytes', labels);
      if (!isAllocation) continue;
      const end = elementAt(ends, row);
      const dur = Number.isNaN(this.#address.at(row)) ? undefined : Number.isNaN(end) ? null : end - start;
      yield new ValueLine(profile, start, device, 'op_memory', bytes, 'bytes', labels, dur);
    }
  }

  /** By allocation: the time at which its block is released, NaN where it is not. Releases get the size of their block. */
  #pairBlocks(rows: Uint32Array, diagnostics: Diagnostics): Float64Array {
    const ends = new Float64Array(rows.length).fill(NaN);
    const held = new Map<number, Map<number, number>>();
    for (const row of rows) {
      const address = this.#address.at(row);
      if (Number.isNaN(address)) continue;
      const blocks = entryOf(held, this.#process.at(row), () => new Map<number, number>());
      const block = blocks.get(address);
      if (block !== undefined) ends[block] = this.start.at(row);
      if (this.#operation.at(row) === ALLOCATION) {
        if (block !== undefined) diagnostics.count('allocation-without-free');
        blocks.set(address, row);
      } else {
        if (!blocks.delete(address)) diagnostics.count('free-without-allocation');
        if (block !== undefined) this.#bytes.set(row, this.#bytes.at(block));
      }
    }
    return ends;
  }

  #poolOf(stated: number | null, kind: number): number {
    const name = KINDS[kind];
    const device = isOfHost(kind) ? null : stated;
    return entryOf(this.#numbers, `${device ?? ''},${name ?? ''}`, () => {
      const labels = name === undefined ? null : { component: name };
      return this.#pools.push({ device, labels, sum: 0 }) - 1;
    });
  }
}
