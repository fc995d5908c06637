/** Whether an input is complete or cut off: by a full disk, an interrupted copy, or on purpose (`head`). */
import { UserError } from '../../record/errors.js';
import type { EndRecord, ProfileLine } from '../../record/record.js';

/** The end of an input is missing; the records before it can be used. */
export class TruncatedInput extends UserError {}

/** What is said of a profile whose file ends too early. */
export const CUT_PROFILE = 'the profile is cut off';
/** What is said with it, and with other inputs that are cut off: results hold what was read. */
export const WAS_READ = 'what stands before was read';

/** Whether a profile's file ended too early when it was parsed. */
export const isOfTruncated = ({ diagnostics }: EndRecord): boolean => (diagnostics['truncated-input'] ?? 0) > 0;

export class StreamStatus {
  /** What is cut off: the last line, the compressed data, or a profile that was parsed; null when all are whole. */
  cut: TruncatedInput | null = null;
  /** Why nothing of it could be read, where the others of several inputs were; null when it could. */
  failure: UserError | null = null;
  /** What is left out of it; null for nothing. */
  note: string | null = null;
  readonly #open = new Set<number>();
  #hasEnded = false;

  /** @param name of the input, for messages */
  constructor(readonly name: string) {}

  /** To be called with every profile and end line. */
  take(record: ProfileLine): void {
    if (record.type === 'profile') this.#open.add(record.profile);
    if (record.type !== 'end') return;
    this.#open.delete(record.profile);
    if (isOfTruncated(record)) this.cut ??= new TruncatedInput(CUT_PROFILE, { where: this.name });
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
