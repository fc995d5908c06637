/** Cell texts: words, and texts of a known width. */
import { escapeControls } from '../record/control-characters.js';
import { textOf, type ColumnShape, type CellValue } from '../table/column.js';

// eslint-disable-next-line no-control-regex -- the whole of ASCII
const ASCII = /^[\u0000-\u007f]*$/;
/** One word for awk: no blank inside, never empty. */
export const word = (text: string): string => {
  return text === '' ? '-' : escapeControls(text.replace(/\s/g, '_'));
};

/** A value's text after `safe`; the text of a number needs none. */
export const cellText = (column: ColumnShape, value: CellValue, safe: (text: string) => string): string =>
  typeof value === 'number' ? textOf(column, value) : safe(textOf(column, value));

const ZERO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;
/** Scripts and symbols that terminals draw two cells wide. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]|[\u{20000}-\u{3fffd}]/u;

const cellsOf = (character: string): number => (ZERO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1);

/** Columns of a terminal that a text takes. */
export function cells(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += cellsOf(character);
  return width;
}

/** The longest beginning of the text that takes at most `width` cells. */
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

/**
 * A quantity in at most `width` characters: in full, else with an exponent and as many digits as fit, else `#`.
 * A number is never cut, since the rest would be another number.
 */
export function fitQuantity(value: number, width: number): string {
  const full = String(value);
  if (full.length <= width) return full;
  for (let digits = Math.min(width, 15); digits >= 0; digits--) {
    const short = value.toExponential(digits).replace('e+', 'e');
    if (short.length <= width) return short;
  }
  return '#'.repeat(width);
}

/** An id in at most `width` characters: in full, or `#`, since a rounded id is useless. */
export const fitId = (value: number, width: number): string => {
  const full = String(value);
  return full.length <= width ? full : '#'.repeat(width);
};
