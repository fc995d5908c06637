/**
 * Numbers of profiles where several inputs come one after the other: each counts its own from 0, all together count on.
 * Joined files (`cat`) are told apart too: there a second profile line of a number begins another profile.
 */
import type { ProfileLine } from '../../record/record.js';
import type { RecordBatches } from '../report.js';

export class ProfileNumbers {
  /** Given out so far. */
  readonly #taken = new Set<number>();
  /** Of the current input: its number, ours. */
  readonly #ours = new Map<number, number>();
  /** Numbers of the current input that had a profile line. */
  readonly #headed = new Set<number>();
  #next = 0;

  /** What comes now is of another input. */
  nextInput(): void {
    this.#ours.clear();
    this.#headed.clear();
  }

  /** The record under its own number; the same one where that is free. */
  take<T extends ProfileLine>(record: T): T {
    const { profile } = record;
    const ours = this.#numberOf(record, profile);
    return ours === profile ? record : { ...record, profile: ours };
  }

  #numberOf({ type }: ProfileLine, profile: number): number {
    let ours = this.#ours.get(profile);
    const isAgain = type === 'profile' && this.#headed.has(profile);
    if (type === 'profile') this.#headed.add(profile);
    if (ours === undefined || isAgain) {
      ours = this.#free(profile);
      this.#taken.add(ours);
      this.#ours.set(profile, ours);
    }
    return ours;
  }

  #free(profile: number): number {
    if (!this.#taken.has(profile)) return profile;
    while (this.#taken.has(this.#next)) this.#next++;
    return this.#next;
  }
}

/** Records of one input under numbers of their own. */
export async function* renumbered(
  batches: RecordBatches,
  numbers: ProfileNumbers,
): AsyncGenerator<readonly ProfileLine[]> {
  for await (const batch of batches) yield batch.map((record) => numbers.take(record));
}
