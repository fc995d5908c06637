/** Figures of many runs. */
import type { FuzzOutcome } from './fuzz-run.js';
import { table } from './report.js';

export class FuzzTally {
  runs = 0;
  crashes = 0;
  #results = 0;
  #records = 0;
  #longest = { milliseconds: 0, run: -1 };
  #mostGrown = { bytes: 0, run: -1 };
  #peak = 0;
  readonly #byKind = new Map<string, number>();
  readonly #rejections = new Map<string, number>();

  add({ run, kind, is, what, records, milliseconds, grown, peak }: FuzzOutcome): void {
    this.runs++;
    this.#records += records;
    this.#peak = Math.max(this.#peak, peak);
    if (is === 'crash') this.crashes++;
    else if (is === 'result') this.#results++;
    else count(this.#rejections, `${kind}: ${what}`);
    count(this.#byKind, kind);
    if (milliseconds > this.#longest.milliseconds) this.#longest = { milliseconds, run };
    if (grown > this.#mostGrown.bytes) this.#mostGrown = { bytes: grown, run };
  }

  report(seconds: number): string {
    const rejections = [...this.#rejections].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    const rejected = rejections.reduce((sum, [, n]) => sum + n, 0);
    const rows = [
      ['runs', String(this.runs)],
      ...[...this.#byKind].sort().map(([kind, n]) => [`  of ${kind}`, String(n)]),
      ['results', String(this.#results)],
      ['rejections', String(rejected)],
      ['crashes', String(this.crashes)],
      ['records read', String(this.#records)],
      ['longest run, ms', `${this.#longest.milliseconds.toFixed(0)} (run ${this.#longest.run})`],
      ['peak memory, MB', (this.#peak / 1e6).toFixed(0)],
      ['most memory in one run, MB', `${(this.#mostGrown.bytes / 1e6).toFixed(0)} (run ${this.#mostGrown.run})`],
      ['seconds', seconds.toFixed(0)],
    ];
    const kinds = rejections.map(([what, n]) => [`  ${what}`, String(n)]);
    return `${table(rows)}\n\nrejections by message\n${kinds.length === 0 ? '' : table(kinds)}`;
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
