/**
 * Profile numbers that are unique over several inputs, because each input counts from 0. In concatenated files (`cat`), a
 * second profile line with the same number begins another profile.
 */
import type { ProfileLine } from '../../record/record.js';
import type { RecordBatches } from '../report/report.js';

export class ProfileNumbers {
  readonly #taken = new Set<number>();
  /** Unique numbers by number in the current input. */
  readonly #unique = new Map<number, number>();
  /** Numbers in the current input that had a profile line. */
  readonly #headed = new Set<number>();
  #next = 0;
  /** Ids of the members of partial answers that were read; each counts only once. */
  readonly members = new Set<string>();

  /** Must be called before the records of each further input. */
  nextInput(): void {
    this.#unique.clear();
    this.#headed.clear();
  }

  take<T extends ProfileLine>(record: T): T {
    const { profile } = record;
    const unique = this.#numberOf(record, profile);
    return unique === profile ? record : { ...record, profile: unique };
  }

  #numberOf({ type }: ProfileLine, profile: number): number {
    let unique = this.#unique.get(profile);
    const isAgain = type === 'profile' && this.#headed.has(profile);
    if (type === 'profile') this.#headed.add(profile);
    if (unique === undefined || isAgain) {
      unique = this.#free(profile);
      this.#taken.add(unique);
      this.#unique.set(profile, unique);
    }
    return unique;
  }

  #free(profile: number): number {
    if (!this.#taken.has(profile)) return profile;
    while (this.#taken.has(this.#next)) this.#next++;
    return this.#next;
  }
}

export async function* renumbered(
  batches: RecordBatches,
  numbers: ProfileNumbers,
): AsyncGenerator<readonly ProfileLine[]> {
  for await (const batch of batches) yield batch.map((record) => numbers.take(record));
}
