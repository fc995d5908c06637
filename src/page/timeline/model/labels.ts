/** Texts in boxes: as much of them as fits. */

/** Longer texts are not measured whole: no box is that wide. */
const MOST = 200;
/** A text of which less is seen says nothing. */
const LEAST = 3;

export class FittedLabels {
  readonly #widths = new Map<string, number>();
  readonly #measure: (text: string) => number;

  constructor(measure: (text: string) => number) {
    this.#measure = measure;
  }

  #width(text: string): number {
    const known = this.#widths.get(text);
    if (known !== undefined) return known;
    const width = this.#measure(text);
    this.#widths.set(text, width);
    return width;
  }

  /** The text or its start with `…`; '' where nothing worth reading fits. */
  fitting(text: string, width: number): string {
    const whole = text.slice(0, MOST);
    const full = this.#width(whole);
    if (full <= width && whole.length === text.length) return text;
    // Letters differ in width: a tenth less than the mean allows.
    const count = Math.floor((0.9 * (width - this.#width('…')) * whole.length) / Math.max(1, full));
    return count < LEAST ? '' : `${whole.slice(0, count)}…`;
  }
}
