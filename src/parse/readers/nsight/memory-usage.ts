/**
 * Turns allocations and releases of memory (`nsys profile --cuda-memory-usage=true`) into samples: bytes allocated since
 * the first event, by device and kind of memory, and how long each block was held. Memory allocated before the capture is
 * unknown. Memory use: 40 bytes for each event, and the blocks that are held.
 *
 * Source: NVIDIA Nsight Systems documentation, "SQLite Schema Reference": CUDA_GPU_MEMORY_USAGE_EVENTS, ENUM_CUDA_MEM_KIND,
 * ENUM_CUDA_DEV_MEM_EVENT_OPER.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { NumericColumn } from '../../../containers/numeric-column.js';
import { allRows, sortRows } from '../../../containers/row-order.js';
import type { Diagnostics } from '../../../record/diagnostics.js';
import { isNear } from '../../trace/clocks/trace-clock.js';
import type { Labels, SampleRecord } from '../../../record/record.js';
import { ValueLine } from '../../../record/value-line.js';
import { MemoryBlocks } from '../../memory-blocks.js';

export const MEMORY_TABLE = 'CUDA_GPU_MEMORY_USAGE_EVENTS';
export const MEMORY_COLUMNS = ['deviceId', 'address', 'bytes', 'memKind', 'memoryOperationType'] as const;

const [ALLOCATION, RELEASE] = [0, 1];

/** Names of the kinds of memory, by number. */
const KINDS = ['Pageable', 'Pinned', 'Device', 'Array', 'Managed', 'Device Static', 'Managed Static'];
const HOST_KINDS: readonly (string | undefined)[] = ['Pageable', 'Pinned'];

/** Whether a kind of memory is host memory, which belongs to no device. */
export const isOfHost = (kind: number): boolean => HOST_KINDS.includes(KINDS[kind] ?? 'Device');

/** One kind of memory on one device. */
interface Pool {
  readonly device: number | null;
  readonly labels: Labels | null;
  sum: number;
}

export interface MemoryEvent {
  readonly start: number;
  readonly process: number;
  /** Device id in the records; null when unknown. */
  readonly device: number | null;
  readonly address: number;
  /** NaN when unknown. */
  readonly bytes: number;
  readonly kind: number;
  readonly operation: number;
}

export class MemoryUsage {
  readonly #blocks = new MemoryBlocks();
  readonly start = this.#blocks.start;
  readonly #pool = NumericColumn.counts();
  readonly #pools: Pool[] = [];
  /** Indexes of pools by device and kind. */
  readonly #numbers = new Map<string, number>();

  /** @returns whether the event is readable */
  add({ start, process, device, address, bytes, kind, operation }: MemoryEvent): boolean {
    if (!isNear(start) || (operation !== ALLOCATION && operation !== RELEASE)) return false;
    const isUnknown = !(bytes > 0);
    if (isUnknown && (operation === ALLOCATION || Number.isNaN(address))) return false;
    const change = isUnknown ? NaN : operation === ALLOCATION ? bytes : -bytes;
    this.#blocks.push({ start, bytes: change, address, space: process });
    this.#pool.push(this.#poolOf(device, kind));
    return true;
  }

  /** The samples in order of start time. */
  *records(profile: number, diagnostics: Diagnostics): Generator<SampleRecord> {
    const blocks = this.#blocks;
    const rows = allRows(blocks.length);
    // If a block is released and allocated at the same time, the release came first.
    sortRows(rows, (a, b) => {
      const byTime =
        this.start.at(a) - this.start.at(b) || Number(blocks.isAllocation(a)) - Number(blocks.isAllocation(b));
      return byTime || blocks.compareAddresses(a, b) || this.#pool.at(a) - this.#pool.at(b) || a - b;
    });
    // A release has the size of its block, whatever size its row states.
    blocks.pair(rows, diagnostics, (row, allocation) => blocks.bytes.set(row, -blocks.bytes.at(allocation)));
    for (const row of rows) {
      const pool = elementAt(this.#pools, this.#pool.at(row));
      const { device, labels } = pool;
      const [start, bytes] = [this.start.at(row), blocks.bytes.at(row)];
      // The size of this release is unknown, and its allocation is not in the profile.
      if (Number.isNaN(bytes)) continue;
      pool.sum += bytes;
      yield new ValueLine(profile, start, device, 'memory_allocated_since_first', pool.sum, 'bytes', labels);
      if (bytes < 0) continue;
      yield new ValueLine(profile, start, device, 'op_memory', bytes, 'bytes', labels, blocks.heldFor(row));
    }
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
