/** Strings in boxes, cut to their widths where they agree with others. */

/** Longer strings are not measured, because no box is that wide. */
const MOST_CHARACTERS = 200;
/** Minimum number of characters of a cut text. A shorter part is useless. */
const LEAST_CHARACTERS = 3;

export class FittedLabels {
  readonly #widths = new Map<string, number>();

  constructor(private readonly measure: (text: string) => number) {}

  /** Width in pixels of a string that fits into a box of this width, or is cut to it. */
  widthOf(text: string, most: number): number {
    return Math.min(most, this.#width(text.slice(0, MOST_CHARACTERS)));
  }

  #width(text: string): number {
    const known = this.#widths.get(text);
    if (known !== undefined) return known;
    const width = this.measure(text);
    this.#widths.set(text, width);
    return width;
  }

  /**
   * The text, or a part of it with `…`, so that it can be distinguished from others. The part is the start of the text.
   * If the difference is later, it is the part after the last separator before the difference; '' if no such part fits.
   * @param differs position of the first letter that no other text with the same start has
   */
  fitting(text: string, width: number, differs = 0): string {
    const whole = text.slice(0, MOST_CHARACTERS);
    const full = this.#width(whole);
    if (full <= width && whole.length === text.length) return text;
    // A tenth of the width is left free, because letters differ in width.
    const count = Math.floor((0.9 * (width - this.#width('…')) * whole.length) / Math.max(1, full));
    if (count < LEAST_CHARACTERS) return '';
    if (count > differs) return `${whole.slice(0, count)}…`;
    const rest = text.slice(wordAt(text, differs));
    const shown = rest === text ? '' : this.fitting(rest, width - this.#width('…'));
    return shown === '' ? '' : `…${shown}`;
  }
}

/** Characters that separate the parts of a name. */
const MARKS: ReadonlySet<string> = new Set('_:/<,(#. ');

/** Matches a letter or a digit. A part without any is useless, such as the end of `## forward ##`. */
const LETTER = /[\p{L}\p{N}]/u;

/** Start of the word at or after a position in a name, or of the last word if only separators follow. */
function wordAt(text: string, place: number): number {
  let start = place;
  while (MARKS.has(text.charAt(start))) start++;
  while (start > 0 && !(MARKS.has(text.charAt(start - 1)) && LETTER.test(text.slice(start)))) start--;
  return start;
}

/**
 * Maximum number of strings that are compared, because they must be sorted. If there are more, all count as different.
 */
const MOST_COMPARED = 20_000;

/**
 * For each string, the position where it differs from all others, which is the number of letters that it shares with one
 * of them.
 */
export function differences(texts: Iterable<string>): ReadonlyMap<string, number> {
  const sorted = [...new Set(texts)].sort();
  if (sorted.length > MOST_COMPARED) return new Map();
  const shared = sorted.map((text, i) => (i === 0 ? 0 : agreement(sorted[i - 1] ?? '', text)));
  return new Map(sorted.map((text, i) => [text, Math.max(shared[i] ?? 0, shared[i + 1] ?? 0)]));
}

/** Number of letters with which both strings begin. */
function agreement(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && a.charCodeAt(count) === b.charCodeAt(count)) count++;
  return count;
}
