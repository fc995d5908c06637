/** Bytes that DMA packets load into a core's state buffer, by tensor. */
import { addTo } from '../../containers/map-entry.js';
import type { Labels } from '../../record/record.js';

/** Limit of distinct tensors; further ones are ignored. */
const MOST_TENSORS = 10_000;

export class TensorLoads {
  readonly bytes = new Map<string, number>();
  /** Packets with a known tensor. */
  named = 0;

  add({ variable, dest }: Labels, bytes: number): void {
    if (typeof variable !== 'string' || variable === '' || variable === 'unknown') return;
    this.named++;
    if (typeof dest !== 'string' || !/\bSB(?:UF)?\b/.test(dest)) return;
    if (this.bytes.size < MOST_TENSORS || this.bytes.has(variable)) addTo(this.bytes, variable, bytes);
  }
}
