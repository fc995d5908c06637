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
  /** Why nothing of it could be read, where the others of several inputs were; null when it could. */
  failure: UserError | null = null;
  /** What is left out. */
  readonly notes: string[] = [];
  #cut: TruncatedInput | null = null;
  /** Files of the profiles that have not ended, by number. */
  readonly #open = new Map<number, string>();
  /** Files of the profiles that were cut off when they were parsed. */
  readonly #truncated: string[] = [];
  /** Whether it is a profile that was parsed on the way, not records. */
  isParsed = false;
  /** Diagnostics of its profiles that were counted. */
  readonly counted = new Set<string>();
  #profiles = 0;
  #hasEnded = false;

  /** @param name of the input, for messages */
  constructor(readonly name: string) {}

  /** What is cut off: the last line, the compressed data, or profiles that were parsed; null when all are whole. */
  get cut(): TruncatedInput | null {
    if (this.#cut !== null || this.#truncated.length === 0) return this.#cut;
    return new TruncatedInput(this.#truncatedText, { where: this.name });
  }

  set cut(cut: TruncatedInput | null) {
    this.#cut = cut;
  }

  /** To be called with every profile and end line. */
  take(record: ProfileLine): void {
    if (record.type === 'profile') {
      this.#profiles++;
      this.#open.set(record.profile, record.file);
    }
    if (record.type !== 'end') return;
    for (const name of Object.keys(record.diagnostics)) this.counted.add(name);
    if (isOfTruncated(record)) this.#truncated.push(this.#open.get(record.profile) ?? '');
    this.#open.delete(record.profile);
  }

  /** To be called when the end of the input has been read. */
  reachEnd(): void {
    this.#hasEnded = true;
  }

  /** Profiles that began and did not end; 0 for an input that was not read to its end. */
  get unfinished(): number {
    return this.#hasEnded ? this.#open.size : 0;
  }

  /** Of an input with one profile its name says which one. */
  get #truncatedText(): string {
    const [first = '', ...others] = this.#truncated;
    if (this.#profiles < 2) return CUT_PROFILE;
    return others.length === 0 ? `the profile ${first} is cut off` : `${others.length + 1} profiles are cut off, ${first} first`; // prettier-ignore
  }
}
