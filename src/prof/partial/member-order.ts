/** The order of members in a file of partial answers, whatever order they came in: by rank, then by file, then by id. */
import { PART_VERSION, type PartialRecord } from '../../record/partial.js';
import type { ProfileRecord } from '../../record/record.js';
import { numbered } from './member-text.js';

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
