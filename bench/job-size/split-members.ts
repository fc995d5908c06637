/** A file of partial answers → the text of a file for each of its members, in their order. */
import { memberText, partialLine } from '../../src/prof/partial/member-builder.js';

export function splitMembers(text: string): string[] {
  const members: string[][] = [];
  for (const line of text.split('\n').slice(1, -1)) {
    if (line.startsWith('{"type":"profile"')) members.push([line]);
    else members.at(-1)?.push(line);
  }
  return members.map((lines) => partialLine(1) + memberText(lines, 0));
}
