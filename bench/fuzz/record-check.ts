/** Whether the records of a profile hold together. */
import type { ProfileLine } from '../../src/record/record.js';

/** One profile line first, starts in order, whole durations, the end's counts; the number of kernels. */
export class RecordCheck {
  readonly #counts: Record<string, number> = {};
  #lines = 0;
  #last = -Infinity;
  #wrong: string | null = null;
  #counted: string | null = null;

  get kernels(): number {
    return this.#counts['kernel'] ?? 0;
  }

  take(record: ProfileLine): void {
    if ((this.#lines++ === 0) !== (record.type === 'profile')) this.#wrong ??= 'profile line not first';
    if (this.#counted !== null) this.#wrong ??= 'records behind the end line';
    if (record.type === 'end') this.#counted = JSON.stringify(record.counts);
    else if (record.type !== 'profile') this.#counts[record.type] = (this.#counts[record.type] ?? 0) + 1;
    // Layers are sums, which stand before what the device did.
    const start = record.type !== 'layer' && 'start' in record ? record.start : null;
    if (start === null) return;
    if (!Number.isSafeInteger(start) || start < this.#last) this.#wrong ??= `start ${start} after ${this.#last}`;
    this.#last = start;
    const dur = 'dur' in record ? record.dur : null;
    if (dur !== null && !(Number.isSafeInteger(dur) && dur >= 0)) this.#wrong ??= `duration ${dur}`;
  }

  /** What is wrong; null when nothing is. */
  verdict(): string | null {
    if (this.#counted === null) return 'no end line';
    const counted = JSON.stringify(
      Object.fromEntries(Object.entries(this.#counts).sort(([a], [b]) => (a < b ? -1 : 1))),
    );
    return this.#wrong ?? (counted === this.#counted ? null : `end line says ${this.#counted}, there were ${counted}`);
  }
}
