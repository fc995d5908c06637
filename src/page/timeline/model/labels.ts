/** Texts in boxes, cut to their widths where they agree with others. */

/** Longer texts are not measured, because no box is that wide. */
const MOST_CHARACTERS = 200;
/** A shorter part of a text is useless. */
const LEAST_CHARACTERS = 3;

export class FittedLabels {
  readonly #widths = new Map<string, number>();

  constructor(private readonly measure: (text: string) => number) {}

  /** Pixels of a text that fits into a box of this width, or is cut to it. */
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
   * The text, or a part of it with `…`: its start, or where that does not reach what tells it from others, what follows
   * the last mark before; '' where nothing fits that tells it from others.
   * @param differs place of the first letter that no other text of the same start has
   */
  fitting(text: string, width: number, differs = 0): string {
    const whole = text.slice(0, MOST_CHARACTERS);
    const full = this.#width(whole);
    if (full <= width && whole.length === text.length) return text;
    // Letters differ in width, so leave a tenth of the width free.
    const count = Math.floor((0.9 * (width - this.#width('…')) * whole.length) / Math.max(1, full));
    if (count < LEAST_CHARACTERS) return '';
    if (count > differs) return `${whole.slice(0, count)}…`;
    const rest = text.slice(wordAt(text, differs));
    const shown = rest === text ? '' : this.fitting(rest, width - this.#width('…'));
    return shown === '' ? '' : `…${shown}`;
  }
}

/** What names are put together with. */
const MARKS: ReadonlySet<string> = new Set('_:/<,(#. ');

/** A letter or a digit: a part without any says nothing, such as the end of `## forward ##`. */
const LETTER = /[\p{L}\p{N}]/u;

/** Start of the word at or after a place of a name, or of the last word where only marks follow. */
function wordAt(text: string, place: number): number {
  let start = place;
  while (MARKS.has(text.charAt(start))) start++;
  while (start > 0 && !(MARKS.has(text.charAt(start - 1)) && LETTER.test(text.slice(start)))) start--;
  return start;
}

/** Of more texts, which are sorted for it, none is said to agree with another. */
const MOST_COMPARED = 20_000;

/** Of each text where it differs from all others: as many letters as it shares with one of them. */
export function differences(texts: Iterable<string>): ReadonlyMap<string, number> {
  const sorted = [...new Set(texts)].sort();
  if (sorted.length > MOST_COMPARED) return new Map();
  const shared = sorted.map((text, i) => (i === 0 ? 0 : agreement(sorted[i - 1] ?? '', text)));
  return new Map(sorted.map((text, i) => [text, Math.max(shared[i] ?? 0, shared[i + 1] ?? 0)]));
}

/** Letters that both texts begin with. */
function agreement(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && a.charCodeAt(count) === b.charCodeAt(count)) count++;
  return count;
}
