/** Partial answers among records: members that are whole, as records of the types that a command takes. */
import { UserError } from '../../record/errors.js';
import { PART_TYPES } from '../../record/partial.js';
import type { ProfileLine, ProfileRecord } from '../../record/record.js';
import { MemberScanner, type Member } from './member-scanner.js';

/** What takes partial answers, for those who give one to something else. */
const TAKERS = 'summary, steps, ranks, diff, --by KEYS and merge take it, without --device; all else takes the profile';

export class PartialRecords {
  readonly #scanner: MemberScanner;
  #ready: ProfileLine[] = [];
  /** Whether any line belonged to a partial answer, which may have no members. */
  hasLines = false;
  readonly #isRefused: boolean;

  /**
   * @param file its name, for messages
   * @param types that are wanted; where none is of a partial answer, there must be none
   * @param read ids of the members that were read; more are added
   */
  constructor(
    private readonly file: string,
    types: ReadonlySet<ProfileLine['type']>,
    private readonly read: Set<string>,
  ) {
    this.#isRefused = !PART_TYPES.some((type) => types.has(type));
    const isWanted = (type: string): boolean => types.has(type as ProfileLine['type']);
    this.#scanner = new MemberScanner(file, isWanted, (member) => this.#add(member));
  }

  /**
   * @returns whether the line belongs to a partial answer
   * @throws UserError where none is wanted, and for one that is damaged or newer
   */
  take(text: string, line: number): boolean {
    if (!this.#scanner.take(text, line)) return false;
    if (this.#isRefused) {
      throw new UserError('is a partial answer, which has no single kernels', { where: this.file, hint: TAKERS });
    }
    this.hasLines = true;
    return true;
  }

  /** Records of members that became whole since the last call. */
  ready(): readonly ProfileLine[] {
    if (this.#ready.length === 0) return NOTHING;
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /** @throws TruncatedInput where members are missing */
  end(): void {
    this.#scanner.end();
  }

  /** The error for a line of a partial answer outside of a member. */
  stray(line: number): UserError {
    return new UserError('a line of a partial answer that is in no member: it was edited', {
      where: `${this.file}:${line}`,
      hint: 'make it again with dprof partial',
    });
  }

  #add({ id, head, lines }: Member): void {
    if (this.read.has(id)) return;
    this.read.add(id);
    this.#ready.push(withoutPart(head));
    for (const line of lines) this.#ready.push(JSON.parse(line) as ProfileLine);
  }
}

/** The profile of a member's first line. */
const withoutPart = (head: string): ProfileRecord =>
  Object.fromEntries(
    Object.entries(JSON.parse(head) as object).filter(([name]) => name !== 'part'),
  ) as unknown as ProfileRecord;

const NOTHING: readonly ProfileLine[] = [];
