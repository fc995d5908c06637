/** Whether bytes are the begin of a stream of reports. */
import type { SniffResult } from '../../../reader.js';
import { REPORT_KEYS } from './value-paths.js';

/** What values the known members have; anything else of that name is no report. */
const BEGINS = REPORT_KEYS.map(
  (key) => new RegExp(`^"${key}"\\s*:\\s*(?:${key.endsWith('runtime_data') ? '\\[' : '\\{'}|null)`),
);

/**
 * Looks at the members of the object that the first line is, and at nothing inside them.
 * @param text the first bytes
 */
export function isMonitorStream(text: string): SniffResult {
  const start = text.replace(/^\ufeff/, '').trimStart();
  if (start === '') return 'more';
  if (!start.startsWith('{')) return 'no';
  const feed = start.indexOf('\n');
  const line = feed === -1 ? start : start.slice(0, feed);
  if (membersOf(line).some(isKnown)) return 'yes';
  return feed === -1 ? 'more' : 'no';
}

const isKnown = (member: string): boolean => BEGINS.some((begin) => begin.test(member));

/** The texts from the names of an object's members on, a little of each. */
function membersOf(line: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let isName = false;
  for (let at = 0; at < line.length; at++) {
    const character = line[at];
    if (character === '"') {
      if (depth === 1 && isName) found.push(line.slice(at, at + 80));
      isName = false;
      for (at++; at < line.length && line[at] !== '"'; at++) if (line[at] === '\\') at++;
    } else if (character === '{' || character === '[') {
      depth++;
      isName = character === '{';
    } else if (character === '}' || character === ']') depth--;
    else if (character === ',') isName = true;
  }
  return found;
}
