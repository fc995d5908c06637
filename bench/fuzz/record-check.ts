/** Whether the records of profiles, one after the other, hold together. */
import type { ProfileLine } from '../../src/record/record.js';

/** Of each: the profile line first, starts in order, whole durations, the end's counts. The number of kernels by file. */
export class RecordCheck {
  #counts: Record<string, number> = {};
  /** Null before the first profile, and behind the end line of each. */
  #file: string | null = null;
  #last = -Infinity;
  #wrong: string | null = null;
  /** By the base name of the file. */
  readonly kernelsIn = new Map<string, number>();

  get kernels(): number {
    return [...this.kernelsIn.values()].reduce((sum, count) => sum + count, 0);
  }

  take(record: ProfileLine): void {
    if (record.type === 'profile') this.#begin(record.file);
    else if (this.#file === null) this.#wrong ??= 'records outside of a profile';
    else if (record.type === 'end') this.#end(this.#file, JSON.stringify(record.counts));
    else this.#count(record);
  }

  #count(record: Exclude<ProfileLine, { type: 'profile' | 'end' }>): void {
    this.#counts[record.type] = (this.#counts[record.type] ?? 0) + 1;
    // Layers are sums, which stand before what the device did.
    const start = record.type !== 'layer' && 'start' in record ? record.start : null;
    if (start === null) return;
    if (!Number.isSafeInteger(start) || start < this.#last) this.#wrong ??= `start ${start} after ${this.#last}`;
    this.#last = start;
    const dur = 'dur' in record ? record.dur : null;
    if (dur !== null && !(Number.isSafeInteger(dur) && dur >= 0)) this.#wrong ??= `duration ${dur}`;
  }

  #begin(file: string): void {
    if (this.#file !== null) this.#wrong ??= 'a profile line before the end of another';
    [this.#file, this.#counts, this.#last] = [file, {}, -Infinity];
  }

  #end(file: string, stated: string): void {
    const sorted = Object.entries(this.#counts).sort(([a], [b]) => (a < b ? -1 : 1));
    const counted = JSON.stringify(Object.fromEntries(sorted));
    if (stated !== counted) this.#wrong ??= `end line says ${stated}, there were ${counted}`;
    this.kernelsIn.set(file, (this.kernelsIn.get(file) ?? 0) + (this.#counts['kernel'] ?? 0));
    this.#file = null;
  }

  /** What is wrong; null when nothing is. */
  verdict(): string | null {
    return this.#wrong ?? (this.#file === null && this.kernelsIn.size > 0 ? null : 'no end line');
  }
}
