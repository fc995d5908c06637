/** Whether an input of records is complete or cut off: by a full disk, an interrupted copy, or on purpose (`head`). */
import { UserError } from '../../record/errors.js';
import type { ProfileLine } from '../../record/record.js';

/** The end of an input is missing; the records before it can be used. */
export class TruncatedInput extends UserError {}

export class StreamStatus {
  /** Why the last line or the compressed data is cut off; null when both are whole. */
  cut: TruncatedInput | null = null;
  readonly #open = new Set<number>();
  #hasEnded = false;

  /** @param name of the input, for messages */
  constructor(readonly name: string) {}

  /** To be called with every profile and end line. */
  take({ type, profile }: Pick<ProfileLine, 'type' | 'profile'>): void {
    if (type === 'profile') this.#open.add(profile);
    if (type === 'end') this.#open.delete(profile);
  }

  /** To be called when the end of the input has been read. */
  reachEnd(): void {
    this.#hasEnded = true;
  }

  /** Profiles that began and did not end; 0 for an input that was not read to its end. */
  get unfinished(): number {
    return this.#hasEnded ? this.#open.size : 0;
  }
}
