/**
 * l2_cache.csv: cache hit rates of kernels by stream, task number and name. Task numbers wrap around in a long run: then
 * rows and kernels are joined in their order.
 */
import { entryOf } from '../../../../containers/map-entry.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { numberOfCell, textOfCell, cellsOf } from '../../../csv/csv-table.js';

/** Names of the counters, in the order of the values. */
export const L2_COUNTERS = ['l2_hit_rate', 'l2_victim_rate'] as const;

const COLUMNS = ['Stream Id', 'Task Id', 'Op Name', 'Hit Rate', 'Victim Rate'] as const;

const keyOf = (stream: number, task: number, name: string): string => `${stream},${task},${name}`;

export class L2Cache {
  /** The rates of each kernel's occurrences, and the next one to hand over. */
  readonly #values = new Map<string, { readonly rates: (readonly number[])[]; next: number }>();

  private constructor() {}

  /** @param paths the file, or its slices in order @returns null when one has another header */
  static read(paths: readonly string[], diagnostics: Diagnostics): L2Cache | null {
    const cache = new L2Cache();
    for (const path of paths) {
      const rows = cellsOf(path, diagnostics, COLUMNS);
      if (rows === null) return null;
      for (const [stream, task, name, hit, victim] of rows) {
        const key = keyOf(numberOfCell(stream), numberOfCell(task), textOfCell(name));
        const { rates } = entryOf(cache.#values, key, () => ({ rates: [], next: 0 }));
        rates.push([numberOfCell(hit), numberOfCell(victim)]);
      }
    }
    return cache;
  }

  /** The rates of the next occurrence of a kernel; null when there are none. */
  next(stream: number, task: number, name: string): readonly number[] | null {
    const known = this.#values.get(keyOf(stream, task, name));
    return known?.rates[known.next++] ?? null;
  }
}
