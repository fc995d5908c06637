/** Size of the canvas, and the grid of its pixels. */
import type { View } from '../model/view.js';

/** Height of the time axis, in CSS pixels. */
export const AXIS = 26;

export interface CanvasSize {
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** Device pixels of one CSS pixel. */
  readonly ratio: number;
  /** CSS pixels of lanes that are scrolled out at the top. */
  readonly scroll: number;
}

/** Where lanes at a height of the layout are on the canvas: those that are pinned do not scroll. CSS pixels. */
export const yOf = (top: number, { scroll }: CanvasSize, pinned: number): number =>
  AXIS + (top < pinned ? top : top - scroll);

/** Times as device pixels. The view starts at a whole pixel, so that a pixel keeps its events while panning. */
export class PixelGrid {
  /** ns per device pixel. */
  readonly perPixel: number;
  readonly #origin: number;

  constructor(view: View, { width, ratio }: CanvasSize) {
    this.perPixel = (view.to - view.from) / Math.max(1, Math.round(width * ratio));
    this.#origin = Math.round(view.from / this.perPixel);
  }

  /** Device pixel of a column, which is counted from time 0. */
  xOfColumn(column: number): number {
    return column - this.#origin;
  }

  /** Time at the left edge of a device pixel, ns. */
  timeOf(x: number): number {
    return (x + this.#origin) * this.perPixel;
  }

  x(time: number): number {
    return time / this.perPixel - this.#origin;
  }
}
