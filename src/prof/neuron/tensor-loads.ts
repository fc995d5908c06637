/** Bytes that DMA packets load into a core's state buffer, by tensor. */
import type { Labels } from '../../record/record.js';

/** Limit of distinct tensors; further ones are ignored. */
const MOST_TENSORS = 10_000;

export class TensorLoads {
  readonly #bytes = new Map<string, number>();
  /** Packets with a known tensor. */
  named = 0;

  add({ variable, dest }: Labels, bytes: number): void {
    if (typeof variable !== 'string' || variable === '' || variable === 'unknown') return;
    this.named++;
    if (typeof dest !== 'string' || !/\bSB(?:UF)?\b/.test(dest)) return;
    const known = this.#bytes.get(variable);
    if (known !== undefined || this.#bytes.size < MOST_TENSORS) this.#bytes.set(variable, (known ?? 0) + bytes);
  }

  get bytes(): ReadonlyMap<string, number> {
    return this.#bytes;
  }
}
