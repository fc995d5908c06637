/** NVTX domains of an export: numbered here, because each process numbers its own. */
import { entryOf } from '../../../containers/map-entry.js';

export class NvtxDomains {
  /** The domain of number n is at index n - 1. */
  readonly #domains: { id: number; name: string | null }[] = [];
  /** Numbers by process and domain id. */
  readonly #numbers = new Map<string, number>();

  /** Number of a domain of a process; 0 for the default domain. */
  numberOf(process: number, id: number): number {
    if (Number.isNaN(id) || id === 0) return 0;
    return entryOf(this.#numbers, `${process}:${id}`, () => this.#domains.push({ id, name: null }));
  }

  setName(process: number, id: number, name: string | null): void {
    const domain = this.#domains[this.numberOf(process, id) - 1];
    if (domain !== undefined) domain.name = name;
  }

  /** Name of a domain by its number; null for the default domain. */
  nameOf(number: number): string | null {
    const known = this.#domains[number - 1];
    return known === undefined ? null : (known.name ?? `domain#${known.id}`);
  }
}
