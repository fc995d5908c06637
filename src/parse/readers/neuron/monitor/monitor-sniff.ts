/** Format detection for streams of neuron-monitor reports. */
import type { SniffResult } from '../../../reader.js';
import { REPORT_KEYS } from './value-paths.js';

/** Known members with the kinds of value that they have. */
const BEGINS = REPORT_KEYS.map(
  (key) => new RegExp(`^"${key}"\\s*:\\s*(?:${key.endsWith('runtime_data') ? '\\[' : '\\{'}|null)`),
);

/**
 * Decides by the top-level members of the object in the first line.
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

/** The first characters of each top-level member, from its name on. */
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
