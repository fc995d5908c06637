/**
 * The text of a member of a partial answer: its lines as they are written, and its id, the SHA-256 of these lines without
 * the number of the profile and without the id itself. Numbers change when members are merged; ids do not.
 */
import { createHash } from 'node:crypto';
import { PART_VERSION, type PartialRecord } from '../../record/partial.js';
import type { ProfileRecord } from '../../record/record.js';

const HEAD = /^\{"type":"profile","v":(\d+),"profile":\d+,"part":\{"v":(\d+),"id":"([\da-f]{64})"\},/;
/** Any other line up to the number of its profile. */
const LINE = /^(\{"type":"(part-[a-z]+|end)","profile":)\d+/;

/** What the first line of a member says before the profile itself. */
export interface MemberHead {
  /** Version of the form of partial answers. */
  readonly version: number;
  readonly id: string;
  /** The rest of the line: the fields of the profile. */
  readonly fields: string;
}

/** Null for a line that is none. */
export function memberHeadOf(text: string): MemberHead | null {
  const [all, , version, id] = HEAD.exec(text) ?? [];
  if (all === undefined || id === undefined) return null;
  return { version: Number(version), id, fields: text.slice(all.length) };
}

/** The line with another number of the profile; a line of no member stays as it is. */
function numbered(text: string, profile: number): string {
  if (!text.startsWith('{"type":"profile"')) return text.replace(LINE, `$1${profile}`);
  return text.replace(/,"profile":\d+/, `,"profile":${profile}`);
}

/** Type of a line of a member after its first one; null for a line of none. */
export const memberLineType = (text: string): string | null => LINE.exec(text)?.[2] ?? null;

/** The lines of a member in their order → its id. */
export class MemberHash {
  readonly #hash = createHash('sha256');

  /** @param fields of the profile line: see `MemberHead` */
  constructor(version: number, fields: string) {
    this.#hash.update(`${version}\n${fields}\n`);
  }

  add(line: string): void {
    this.#hash.update(numbered(line, 0));
    this.#hash.update('\n');
  }

  /** To be asked for once. */
  get id(): string {
    return this.#hash.digest('hex');
  }
}

/**
 * The lines of a member, number 0, its first one with the id.
 * @param profile line of the profile, as JSON
 * @param lines all others, the `end` line last
 */
export function memberLines(profile: string, lines: readonly string[]): string[] {
  const [before] = /^\{"type":"profile","v":\d+,"profile":\d+,/.exec(profile) ?? [];
  if (before === undefined) throw new TypeError('no profile line');
  const fields = profile.slice(before.length);
  const hash = new MemberHash(PART_VERSION, fields);
  for (const line of lines) hash.add(line);
  const part = JSON.stringify({ v: PART_VERSION, id: hash.id });
  return [`${numbered(before, 0)}"part":${part},${fields}`, ...lines.map((line) => numbered(line, 0))];
}

/** The order of members in a file of partial answers, whatever order they came in: by rank, then by file, then by id. */
export interface MemberKey {
  /** Unknown ranks come last. */
  readonly rank: number | null;
  readonly file: string;
  readonly id: string;
}

/** @param head first line of the member */
export function memberKey(head: string, id: string): MemberKey {
  const { rank, file } = JSON.parse(head) as ProfileRecord;
  return { rank, file, id };
}

export function byMemberKey(a: MemberKey, b: MemberKey): number {
  const [x, y] = [a.rank ?? Infinity, b.rank ?? Infinity];
  if (x !== y) return x < y ? -1 : 1;
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}

/** The first line of a file of so many members, line feed included. */
export function partialLine(members: number): string {
  const record: PartialRecord = { type: 'partial', v: PART_VERSION, members };
  return `${JSON.stringify(record)}\n`;
}

/** The lines of a member as they stand in a file, line feeds included. @param profile its place in the file */
export const memberText = (lines: readonly string[], profile: number): string =>
  lines.map((line) => `${numbered(line, profile)}\n`).join('');
