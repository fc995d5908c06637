/**
 * l2_cache.csv: how often kernels found what they read in the cache, by stream, number of the task and name. Numbers of
 * tasks come again in a long run: then rows and kernels are joined in their order.
 */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { CsvTable } from './csv-file.js';
import { numberOf } from './trace-clock.js';

/** Names of the counters, in the order of the values. */
export const L2_COUNTERS = ['l2_hit_rate', 'l2_victim_rate'] as const;

const COLUMNS = ['Stream Id', 'Task Id', 'Op Name', 'Hit Rate', 'Victim Rate'] as const;

const keyOf = (stream: number, task: number, name: string): string => `${stream},${task},${name}`;

export class L2Cache {
  /** By kernel, the values of its occurrences. */
  readonly #values = new Map<string, { readonly rates: (readonly number[])[]; next: number }>();

  private constructor() {}

  /** @returns null when the file has another header */
  static read(path: string, diagnostics: Diagnostics): L2Cache | null {
    const table = CsvTable.open(path, diagnostics);
    const places = COLUMNS.map((name) => table?.column(name) ?? -1);
    if (table === null || places.includes(-1)) return null;
    const cache = new L2Cache();
    for (const row of table.rows()) {
      const [stream, task, name, hit, victim] = places.map((place) => row[place] ?? '');
      const key = keyOf(numberOf(stream), numberOf(task), (name ?? '').trim());
      const known = cache.#values.get(key);
      const rates = [numberOf(hit), numberOf(victim)];
      if (known === undefined) cache.#values.set(key, { rates: [rates], next: 0 });
      else known.rates.push(rates);
    }
    return cache;
  }

  /** The rates of the next occurrence of a kernel; null where there are none. */
  next(stream: number, task: number, name: string): readonly number[] | null {
    const known = this.#values.get(keyOf(stream, task, name));
    return known?.rates[known.next++] ?? null;
  }
}
