/** Whether an input is complete or cut off: by a full disk, an interrupted copy, or on purpose (`head`). */
import { UserError } from '../../record/errors.js';
import type { EndRecord, ProfileLine } from '../../record/record.js';
import { isUnread, Losses, NOTHING_READ, lossesOf } from './losses.js';

/** The end of an input is missing; the records before it can be used. */
export class TruncatedInput extends UserError {}

/** What is said of a profile whose file ends too early. */
export const CUT_PROFILE = 'the profile is cut off';
/** What is said with it, and with other inputs that are cut off: results hold what was read. */
export const WAS_READ = 'what stands before was read';

/** Whether a profile's file ended too early when it was parsed. */
export const isOfTruncated = ({ diagnostics }: EndRecord): boolean => (diagnostics['truncated-input'] ?? 0) > 0;

/** What stands for a format in a `net.dict`, which has no profile line. */
export const NET_DICT = 'net.dict';

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
  /** What its profiles lost. */
  readonly losses = new Losses();
  /** What fails a run besides, when all is read: profiles of which nothing, or not what they count, is there. */
  readonly troubles: UserError[] = [];
  /** Whether it is a profile that was parsed on the way, not records. */
  isParsed = false;
  /** Diagnostics of its profiles that were counted. */
  readonly counted = new Set<string>();
  /** Formats of its profiles, and `NET_DICT`; none of other records without a profile line. */
  readonly formats = new Set<string>();
  #profiles = 0;
  /** Profiles that another one of their number followed before their end. */
  #unended = 0;
  #hasEnded = false;

  /** @param name of the input, for messages */
  constructor(readonly name: string) {}

  /** What is cut off: the last line, compressed data, profiles that were parsed, lines up to an end; null when all is whole. */
  get cut(): TruncatedInput | null {
    if (this.#cut !== null) return this.#cut;
    const what = this.#truncated.length > 0 ? this.#truncatedText : this.#unendedText;
    return what === null ? null : new TruncatedInput(what, { where: this.name });
  }

  set cut(cut: TruncatedInput | null) {
    this.#cut = cut;
  }

  /** To be called with every profile and end line. */
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
    else if (isUnread(record)) this.troubles.push(new UserError(NOTHING_READ, { where: file }));
    this.losses.take(file, record.diagnostics);
    this.#open.delete(record.profile);
  }

  /** To be called when the end of the input has been read. */
  reachEnd(): void {
    this.#hasEnded = true;
  }

  /** Of profiles that began and did not end, in an input that was read to its end. */
  get #unendedText(): string | null {
    const unended = this.#unended + this.#open.size;
    if (!this.#hasEnded || unended === 0) return null;
    const which = unended === 1 ? 'a profile has no end' : `${unended} profiles have no end`;
    return `the records are cut off: ${which}`;
  }

  /** Of an input with one profile its name says which one. */
  get #truncatedText(): string {
    const [first = '', ...others] = this.#truncated;
    if (this.#profiles < 2) return CUT_PROFILE;
    return others.length === 0 ? `the profile ${first} is cut off` : `${others.length + 1} profiles are cut off, ${first} first`; // prettier-ignore
  }
}

/** Inputs that were read. */
export interface EndedInputs {
  /** For messages. */
  readonly name: string;
  /** How they ended, those that were opened so far. */
  readonly endings: readonly StreamStatus[];
}

/** The first of the inputs' ends that is missing within a line, or in compressed data; null when there is none. */
export const cutOf = ({ endings }: Pick<EndedInputs, 'endings'>): StreamStatus['cut'] =>
  endings.find(({ cut }) => cut !== null)?.cut ?? null;

/** How inputs ended: what is left out of them, what readers lost of them, in one line, and what makes a run fail. */
export function endingsOf({ endings }: Pick<EndedInputs, 'endings'>): {
  readonly notes: UserError[];
  readonly losses: UserError[];
  readonly errors: UserError[];
} {
  const notes = endings.flatMap(({ name, notes: texts }) => texts.map((text) => new UserError(text, { where: name })));
  const { line } = lossesOf(endings);
  const errors = endings.flatMap(({ cut, failure, troubles }) => [
    ...troubles,
    ...(cut === null ? [] : [new UserError(`${cut.what}; ${WAS_READ}`, cut.detail)]),
    ...(failure === null ? [] : [failure]),
  ]);
  return { notes, losses: line === null ? [] : [new UserError(line)], errors };
}

/** An error about the whole of an input, which may be due to its being cut off: then that is said first. */
export function withCut(error: unknown, source: EndedInputs): unknown {
  const cut = cutOf(source);
  if (cut === null || !(error instanceof UserError) || error.what.startsWith(cut.what)) return error;
  const { where = source.name } = error.detail;
  const cutWhere = cut.detail.where ?? source.name;
  // The error of one of several inputs is not due to the cut of another.
  if (where !== source.name && !where.startsWith(cutWhere)) return error;
  return new UserError(`${cut.what}; ${error.what}`, { where: cutWhere });
}
