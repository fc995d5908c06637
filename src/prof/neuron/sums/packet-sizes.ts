/** Bytes of DMA packets in bounded memory: a histogram of their sizes, and what they load by tensor. */
import { addTo } from '../../../containers/map-entry.js';
import type { CopyLine, Labels } from '../../../record/record.js';
import { medianOfCounts } from '../../../record/statistics.js';

/** Limit of distinct sizes; beyond it a new size counts as the power of two below it. */
const MOST_SIZES = 4096;

const powerBelow = (bytes: number): number => 2 ** Math.floor(Math.log2(Math.max(1, bytes)));

export class PacketSizes {
  readonly #counts = new Map<number, number>();
  packets = 0;
  bytes = 0;

  add(bytes: number): void {
    const key = this.#counts.has(bytes) || this.#counts.size < MOST_SIZES ? bytes : powerBelow(bytes);
    addTo(this.#counts, key, 1);
    this.packets++;
    this.bytes += bytes;
  }

  /** Packets of less than `limit` bytes, and their total size. */
  below(limit: number): { readonly packets: number; readonly bytes: number } {
    let packets = 0;
    let bytes = 0;
    for (const [size, count] of this.#counts) {
      if (size >= limit) continue;
      packets += count;
      bytes += size * count;
    }
    return { packets, bytes };
  }

  /** Lower median of the sizes; null without packets. */
  get median(): number | null {
    return medianOfCounts(this.#counts);
  }

  /** Packets by the power of two at or below their size, smallest first. */
  get histogram(): (readonly [atLeast: number, packets: number])[] {
    const bins = new Map<number, number>();
    for (const [size, count] of this.#counts) {
      addTo(bins, size === 0 ? 0 : powerBelow(size), count);
    }
    return [...bins].sort(([a], [b]) => a - b);
  }
}

/** Limit of distinct tensors; further ones are ignored. */
const MOST_TENSORS = 10_000;

/** Bytes that packets load into a core's state buffer, by tensor. */
export class TensorLoads {
  readonly bytes = new Map<string, number>();
  /** From the start of the first load to the end of the last, ns, by tensor. */
  readonly spans = new Map<string, { readonly start: number; readonly end: number }>();
  named = 0;

  add({ variable, dest }: Labels, bytes: number, { start, dur }: Pick<CopyLine, 'start' | 'dur'>): void {
    if (typeof variable !== 'string' || variable === '' || variable === 'unknown') return;
    this.named++;
    if (typeof dest !== 'string' || !/\bSB(?:UF)?\b/.test(dest)) return;
    if (this.bytes.size >= MOST_TENSORS && !this.bytes.has(variable)) return;
    addTo(this.bytes, variable, bytes);
    const known = this.spans.get(variable) ?? { start, end: start };
    this.spans.set(variable, { start: known.start, end: Math.max(known.end, start + (dur ?? 0)) });
  }
}
