/**
 * Reads members from the lines of partial answers, and checks that they are complete and unchanged. A member is passed on
 * only when its last line was read and its content matches its id, so that consumers need not validate it again. Memory:
 * one member.
 */
import { UserError } from '../../record/errors.js';
import { PART_VERSION } from '../../record/partial.js';
import { MemberHash, memberHeadOf, memberLineType, type MemberHead } from '../partial/member-builder.js';
import { isNumber, isObject } from '../../record/fields/field-types.js';
import { TruncatedInput } from './stream-status.js';

const AGAIN = 'write it again with dprof partial';
const PARTIAL = '{"type":"partial"';
const PROFILE = '{"type":"profile"';

export interface Member {
  readonly id: string;
  /** The first line of the member. */
  readonly head: string;
  /** Lines of the requested types, then the `end` line. */
  readonly lines: readonly string[];
  /** Number of the member's first line. */
  readonly line: number;
}

interface OpenMember extends MemberHead {
  readonly head: string;
  readonly line: number;
  readonly hash: MemberHash;
  readonly lines: string[];
}

export class MemberScanner {
  #open: OpenMember | null = null;
  /** Number of members that `partial` lines announce, and of complete members. */
  #announced = 0;
  #whole = 0;

  /**
   * @param file its name, for messages
   * @param isWanted whether lines of a type are needed
   * @param onMember receives each member
   */
  constructor(
    private readonly file: string,
    private readonly isWanted: (type: string) => boolean,
    private readonly onMember: (member: Member) => void,
  ) {}

  /** Number of complete members. */
  get members(): number {
    return this.#whole;
  }

  /**
   * @returns whether the line belongs to a partial answer
   * @throws UserError for a member that was changed, and for one of another version
   */
  take(text: string, line: number): boolean {
    if (text.startsWith(PARTIAL)) {
      this.#announce(text, line);
      return true;
    }
    const head = text.startsWith(PROFILE) ? memberHeadOf(text) : null;
    if (head !== null) {
      this.#begin(text, line, head);
      return true;
    }
    if (this.#open === null) return false;
    this.#continue(this.#open, text);
    return true;
  }

  /**
   * Must be called at the end of the input.
   * @throws TruncatedInput when members are missing
   */
  end(): void {
    const { file: where } = this;
    if (this.#open !== null) throw new TruncatedInput('the partial answer is cut off', { where, hint: AGAIN });
    const missing = this.#announced - this.#whole;
    if (missing > 0) {
      const what = `the partial answer is cut off: ${missing} of ${this.#announced} members are missing`;
      throw new TruncatedInput(what, { where, hint: AGAIN });
    }
  }

  #announce(text: string, line: number): void {
    if (this.#open !== null) throw this.#damaged(this.#open.line);
    let record: unknown;
    try {
      record = JSON.parse(text);
    } catch {
      throw new TruncatedInput('broken record: it is cut off', { where: `${this.file}:${line}`, hint: AGAIN });
    }
    if (!isObject(record) || !isNumber(record['v']) || !isNumber(record['members'])) throw this.#damaged(line);
    this.#checkVersion(record['v'], line);
    this.#announced += record['members'];
  }

  #begin(text: string, line: number, head: MemberHead): void {
    if (this.#open !== null) throw this.#damaged(this.#open.line);
    this.#checkVersion(head.version, line);
    this.#open = { ...head, head: text, line, hash: new MemberHash(head.version, head.fields), lines: [] };
  }

  #continue(member: OpenMember, text: string): void {
    if (text.trim() === '') return;
    // Truncated or edited lines are included too: the id check at the end finds them.
    member.hash.add(text);
    const type = memberLineType(text);
    if (type === null) return;
    if (type === 'end' || this.isWanted(type)) member.lines.push(text);
    if (type !== 'end') return;
    this.#open = null;
    // A copy of the text, because a slice of the line would keep a whole chunk of the file in memory.
    const { id } = member.hash;
    if (id !== member.id) throw this.#damaged(member.line);
    this.#whole++;
    this.onMember({ ...member, id });
  }

  #damaged(line: number): UserError {
    const what = 'a partial answer whose content does not match its id: damaged or edited';
    return new UserError(what, { where: `${this.file}:${line}`, hint: AGAIN });
  }

  #checkVersion(version: number, line: number): void {
    if (version === PART_VERSION) return;
    const isOld = version < PART_VERSION;
    throw new UserError(`unsupported dprof partial version ${version}`, {
      where: `${this.file}:${line}`,
      hint: isOld
        ? `its figures follow older rules than version ${PART_VERSION}; ${AGAIN}`
        : `this dprof reads version ${PART_VERSION}; update it`,
    });
  }
}
