/** Texts in boxes, shortened to their widths. */

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

  /** The text, or its start with `…`; '' when too little of it fits. */
  fitting(text: string, width: number): string {
    const whole = text.slice(0, MOST_CHARACTERS);
    const full = this.#width(whole);
    if (full <= width && whole.length === text.length) return text;
    // Letters differ in width, so leave a tenth of the width free.
    const count = Math.floor((0.9 * (width - this.#width('…')) * whole.length) / Math.max(1, full));
    return count < LEAST_CHARACTERS ? '' : `${whole.slice(0, count)}…`;
  }
}
