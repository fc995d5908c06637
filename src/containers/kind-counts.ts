/** Kinds that are kept apart; of the others there is a sum. */
const MOST_KINDS = 20;

/** How many things there are of each kind. Memory: bounded, however many kinds there are. */
export class KindCounts {
  readonly #counts = new Map<string, number>();
  #others = 0;

  /** @param kind a name; '' for one that has none */
  add(kind: string, n = 1): void {
    const name = kind === '' ? 'no name' : kind;
    const known = this.#counts.get(name);
    if (known === undefined && this.#counts.size === MOST_KINDS) this.#others += n;
    else this.#counts.set(name, (known ?? 0) + n);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, n) => sum + n, this.#others);
  }

  /** `OSRT_API: 1101, PROFILER_OVERHEAD: 37`, in order of name. */
  toString(): string {
    const kinds = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
    const all = this.#others === 0 ? kinds : [...kinds, ['other kinds', this.#others]];
    return all.map(([kind, n]) => `${kind}: ${n}`).join(', ');
  }
}
