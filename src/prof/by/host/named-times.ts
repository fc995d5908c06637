/**
 * The time of ranges by thread and name, of which each moment counts once: a function that calls itself is not in it
 * twice. Memory: each name of each thread.
 */
import type { RangeRecord } from '../../../record/record.js';
import { threadKey } from './range-name.js';

/** A range among those of its name on its thread. */
export interface NamedPass {
  /** ns in which no earlier one was open. */
  readonly added: number;
  /** Whether an earlier one was open all the time. */
  readonly isWithin: boolean;
  /**
   * Whether it is an op within one of its name, and so the same call: autograd records some ops twice, and functions of
   * Python call others of their name.
   */
  readonly isAgain: boolean;
}

export class NamedTimes {
  /** End of the latest range by thread and name, ns. */
  readonly #ends = new Map<string, number>();

  /** To be called in order of start, the longer first. @param name of the range, or a number of what is summed */
  take(record: RangeRecord, name: string | number): NamedPass {
    const { kind, start, dur } = record;
    const key = `${threadKey(record)}/${name}`;
    const before = this.#ends.get(key) ?? -Infinity;
    const end = start + dur;
    const isWithin = start < before && end <= before;
    if (end > before) this.#ends.set(key, end);
    const added = end <= before ? 0 : end - Math.max(start, before);
    return { added, isWithin, isAgain: isWithin && kind === 'op' };
  }
}
