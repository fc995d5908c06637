/** Short names of kernels by their full ones, where the two differ. Bounded: of further kernels the full name stands for both. */
import type { KernelRecord } from '../../../../record/record.js';

const MOST_NAMES = 50_000;

export class ShortNames {
  readonly #names = new Map<string, string>();

  take({ name, short }: Pick<KernelRecord, 'name' | 'short'>): void {
    if (name !== short && this.#names.size < MOST_NAMES) this.#names.set(name, short);
  }

  /** Null where it is the full one. */
  of(name: string): string | null {
    return this.#names.get(name) ?? null;
  }
}
