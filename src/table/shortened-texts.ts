/** Shortens strings to a width in cells of a terminal: at their end, or where they agree with others. */
import { elementAt } from '../containers/element.js';
import { groupsOf } from '../containers/map-entry.js';

// eslint-disable-next-line no-control-regex -- all of ASCII
const ASCII = /^[\u0000-\u007f]*$/;

const ZERO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;
/** Scripts and symbols that terminals draw with double width. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]|[\u{20000}-\u{3fffd}]/u;

const cellsOf = (character: string): number => (ZERO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1);

/** Number of terminal columns that a string takes. */
export function cells(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += cellsOf(character);
  return width;
}

/** The longest prefix of the text that takes at most `width` cells. */
export function cut(text: string, width: number): string {
  if (text.length <= width && ASCII.test(text)) return text;
  let taken = 0;
  let end = 0;
  for (const character of text.slice(0, 4 * width + 64)) {
    const size = cellsOf(character);
    if (taken + size > width) break;
    taken += size;
    end += character.length;
  }
  return text.slice(0, end);
}

const CUT = '…';

/**
 * Strings of at most `width` cells each, marked where they are cut: at the end, or in the part that they share when the
 * cut would make different strings equal. Strings that differ in two places far apart end in a number instead, as in
 * `gemm…~2`, so that different strings never look alike if the width has room for the number.
 */
export function shortenedTexts(texts: readonly string[], width: number): string[] {
  const short = new Map<string, string>();
  const shorten = (alike: readonly string[]): void => {
    const shared = sharedPrefix(alike);
    for (const [shortened, group] of groupsOf(alike, (text) => withoutShared(text, shared, width))) {
      // Some strings share more characters than all of them share, and differ later. Strings with equal ends get a number
      // below.
      if (group.length > 1 && group.length < alike.length) shorten(group);
      else for (const text of group) short.set(text, shortened);
    }
  };
  const long = [...new Set(texts)].filter((text) => cells(text) > width);
  for (const [begin, group] of groupsOf(long, (text) => cut(text, width - 1))) {
    if (group.length > 1) shorten(group);
    else short.set(elementAt(group, 0), begin + CUT);
  }
  numberAlike(short, new Set(texts.filter((text) => !short.has(text))), width);
  return texts.map((text) => short.get(text) ?? text);
}

/**
 * Numbers the shortened strings that are equal to another string, from the second on.
 * @param taken strings that are shown whole
 */
function numberAlike(short: Map<string, string>, taken: Set<string>, width: number): void {
  const numbers = new Map<string, number>();
  for (const [text, first] of short) {
    let shown = first;
    while (taken.has(shown)) {
      const number = (numbers.get(first) ?? 1) + 1;
      numbers.set(first, number);
      const mark = `${CUT}~${number}`;
      if (mark.length > width) break;
      shown = cut(first, width - mark.length).replace(/…$/, '') + mark;
    }
    taken.add(shown);
    short.set(text, shown);
  }
}

function sharedPrefix(texts: readonly string[]): number {
  const [first = '', ...others] = texts;
  return others.reduce((length, text) => {
    let same = 0;
    while (same < length && text[same] === first[same]) same++;
    return same;
  }, first.length);
}

/** A third of the beginning, and the part where the text differs from others with the same beginning. */
function withoutShared(text: string, shared: number, width: number): string {
  const head = cut(text, Math.floor((width - 2) / 3));
  const tail = text.slice(shared);
  const room = width - cells(head) - 1;
  return head + CUT + (cells(tail) <= room ? text.slice(-room) : cut(tail, room - 1) + CUT);
}
