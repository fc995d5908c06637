/** Whether an input is complete or truncated: by a full disk, an interrupted copy, or on purpose (`head`). */
import { UserError } from '../../record/errors.js';
import type { EndRecord, ProfileLine } from '../../record/record.js';
import { isUnread, Losses, NOTHING_READ, lossesOf } from './losses.js';

/** The end of an input is missing; the records before it can be used. */
export class TruncatedInput extends UserError {}

/** Message for a profile whose file ends too early. */
export const CUT_PROFILE = 'the profile is cut off';
/** Added to messages about truncated inputs. */
export const WAS_READ = 'the part before was read';

/** Whether a profile's file ended too early when it was parsed. */
export const isOfTruncated = ({ diagnostics }: EndRecord): boolean => (diagnostics['truncated-input'] ?? 0) > 0;

/** Used as the format of a `net.dict`, which has no profile line. */
export const NET_DICT = 'net.dict';

export class StreamStatus {
  /** Why the input could not be read although other inputs could; null when it could be read. */
  failure: UserError | null = null;
  /** Notes about parts that are left out. */
  readonly notes: UserError[] = [];
  #cut: TruncatedInput | null = null;
  /** Files of the profiles that have not ended, by number. */
  readonly #open = new Map<number, string>();
  /** Files of the profiles that were truncated when they were parsed. */
  readonly #truncated: string[] = [];
  /** Parts of its profiles that were lost. */
  readonly losses = new Losses();
  /**
   * Other errors that make a run fail after everything was read: profiles without records, or with fewer records than
   * their end record counts.
   */
  readonly troubles: UserError[] = [];
  /** Whether the input is a profile that was parsed on the fly, not records. */
  isParsed = false;
  /** Names of the diagnostics that its profiles counted. */
  readonly counted = new Set<string>();
  /** Formats of its profiles, and `NET_DICT`; empty for other records without a profile line. */
  readonly formats = new Set<string>();
  #profiles = 0;
  /** Number of profiles without an end before another profile with the same number. */
  #unended = 0;
  #hasEnded = false;

  /** @param name the name of the input, for messages */
  constructor(readonly name: string) {}

  /**
   * The error about what is truncated: the last line, compressed data, profiles that were parsed, or records without an
   * end line; null when everything is complete.
   */
  get cut(): TruncatedInput | null {
    if (this.#cut !== null) return this.#cut;
    const what = this.#truncated.length > 0 ? this.#truncatedText : this.#unendedText;
    return what === null ? null : new TruncatedInput(what, { where: this.name });
  }

  set cut(cut: TruncatedInput | null) {
    this.#cut = cut;
  }

  /** Must be called with every profile and end record. */
  take(record: ProfileLine): void {
    if (record.type === 'profile') {
      this.#profiles++;
      this.formats.add(record.format);
      if (this.#open.has(record.profile)) this.#unended++;
      this.#open.set(record.profile, record.file);
    }
    if (record.type !== 'end') return;
    for (const name of Object.keys(record.diagnostics)) this.counted.add(name);
    const file = this.#open.get(record.profile) ?? this.name;
    if (isOfTruncated(record)) this.#truncated.push(file);
    else if (isUnread(record))
      this.troubles.push(new UserError(NOTHING_READ, { where: file, about: 'figures of this profile' }));
    this.losses.take(file, record);
    this.#open.delete(record.profile);
  }

  /** Must be called when the input was read to its end. */
  reachEnd(): void {
    this.#hasEnded = true;
  }

  /** Message about profiles without an end, in an input that was read to its end. */
  get #unendedText(): string | null {
    const unended = this.#unended + this.#open.size;
    if (!this.#hasEnded || unended === 0) return null;
    const which = unended === 1 ? 'a profile has no end' : `${unended} profiles have no end`;
    return `the records are cut off: ${which}`;
  }

  /** The name of an input with a single profile identifies the profile. */
  get #truncatedText(): string {
    const [first = '', ...others] = this.#truncated;
    if (this.#profiles < 2) return CUT_PROFILE;
    return others.length === 0 ? `the profile ${first} is cut off` : `${others.length + 1} profiles are cut off, ${first} first`; // prettier-ignore
  }
}

/** Inputs that were read. */
export interface EndedInputs {
  /** Name for messages. */
  readonly name: string;
  /** How each input that was opened so far ended. */
  readonly endings: readonly StreamStatus[];
}

/** The first error of an input that is truncated; null when there is none. */
export const cutOf = ({ endings }: Pick<EndedInputs, 'endings'>): StreamStatus['cut'] =>
  endings.find(({ cut }) => cut !== null)?.cut ?? null;

/**
 * How the inputs ended: notes about parts that were left out, one line about data that was lost, and errors that
 * make a run fail.
 */
export function endingsOf({ endings }: Pick<EndedInputs, 'endings'>): {
  readonly notes: UserError[];
  readonly losses: UserError[];
  readonly errors: UserError[];
} {
  const notes = endings.flatMap((ending) => ending.notes);
  const line = lossesOf(endings).lineOf('loss');
  const errors = endings.flatMap(({ cut, failure, troubles }) => [
    ...troubles,
    ...(cut === null
      ? []
      : [new UserError(`${cut.what}; ${WAS_READ}`, { about: 'the part after the cut', ...cut.detail })]),
    ...(failure === null ? [] : [new UserError(failure.what, { about: 'figures of this input', ...failure.detail })]),
  ]);
  return { notes, losses: line === null ? [] : [new UserError(line)], errors };
}

/** An error about a whole input may be due to truncation; the truncation is then reported first. */
export function withCut(error: unknown, source: EndedInputs): unknown {
  const cut = cutOf(source);
  if (cut === null || !(error instanceof UserError) || error.what.startsWith(cut.what)) return error;
  const { where = source.name } = error.detail;
  const cutWhere = cut.detail.where ?? source.name;
  // Truncation of one input does not explain the error of another.
  if (where !== source.name && !where.startsWith(cutWhere)) return error;
  return new UserError(`${cut.what}; ${error.statement}`, { where: cutWhere });
}
