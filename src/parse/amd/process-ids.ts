import { entryOf } from '../../containers/map-entry.js';

/**
 * Process ids of a profile of several runs. They repeat where processes ran in containers or on several machines, while
 * threads and calls must not be mixed: each later process with a known id gets another number.
 */
export class ProcessIds {
  readonly #runs = new Map<unknown, Map<number, number>>();
  readonly #taken = new Set<number>();

  of(run: unknown, pid: number | null): number | null {
    if (pid === null) return null;
    return entryOf(
      entryOf(this.#runs, run, () => new Map<number, number>()),
      pid,
      () => {
        let free = pid;
        while (this.#taken.has(free)) free += 2 ** 32;
        this.#taken.add(free);
        return free;
      },
    );
  }
}
