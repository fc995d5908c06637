/**
 * Which ops are the one around them under its own name again: functions of Python call each other, and autograd records
 * some ops twice. Such a pair is one call, whose time is that of the outer one. Memory: each name of each thread.
 */
import type { RangeRecord } from '../../../record/record.js';
import { threadKey } from './range-name.js';

export class NestedNames {
  /** End of the latest op by thread and name, ns. */
  readonly #ends = new Map<string, number>();

  /** Whether a range is an op within one of the same name. To be called in order of start, the longer first. */
  isRepeated(record: RangeRecord, name: string): boolean {
    const { kind, start, dur } = record;
    if (kind !== 'op') return false;
    const key = `${threadKey(record)}/${name}`;
    const before = this.#ends.get(key) ?? -Infinity;
    const end = start + dur;
    if (start < before && end <= before) return true;
    this.#ends.set(key, end);
    return false;
  }
}
