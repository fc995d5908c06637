/** Bytes that packets bring into a core's state buffer, by the tensor that they belong to, where the tool tells it. */
import type { Labels } from '../../record/record.js';

/** A capture names as many tensors as its program has; others are not told apart. */
const MOST_TENSORS = 10_000;

export class TensorLoads {
  readonly #bytes = new Map<string, number>();
  /** Packets that tell which tensor they belong to. */
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
