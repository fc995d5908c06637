/** How an input of records ended: complete, or cut off, by a full disk, a copy that stopped, or on purpose (`head`). */
import { UserError } from '../../record/errors.js';
import type { ProfileLine } from '../../record/record.js';

/** The end of an input is missing; what stands before it can be used. */
export class TruncatedInput extends UserError {}

export class StreamStatus {
  /** What is wrong with the last line, or with compressed data; null when both are whole. */
  cut: TruncatedInput | null = null;
  readonly #open = new Set<number>();
  #isReached = false;

  /** @param name of the input, for messages */
  constructor(readonly name: string) {}

  take({ type, profile }: Pick<ProfileLine, 'type' | 'profile'>): void {
    if (type === 'profile') this.#open.add(profile);
    if (type === 'end') this.#open.delete(profile);
  }

  /** All was read. */
  reach(): void {
    this.#isReached = true;
  }

  /** Profiles that began and did not end; 0 for an input of which the rest was not wanted. */
  get unfinished(): number {
    return this.#isReached ? this.#open.size : 0;
  }
}
