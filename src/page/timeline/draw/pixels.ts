/**
 * Draws each lane as a row of pixels: a box takes several pixels, and a column of merged events takes one. The row is
 * filled in memory and drawn once, stretched to the height of the lane. The cost does not depend on the number of
 * events.
 */
import { elementAt } from '../../../containers/element.js';
import type { View } from '../model/view.js';

/** Height of the time axis, in CSS pixels. */
export const AXIS = 26;

export interface CanvasSize {
  /** Width in CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** Number of device pixels in a CSS pixel. */
  readonly ratio: number;
  /** Height in CSS pixels of the lanes scrolled out at the top. */
  readonly scroll: number;
}

/** Position on the canvas, in CSS pixels, of lanes at a height of the layout; pinned lanes do not scroll. */
export const yOf = (top: number, { scroll }: CanvasSize, pinned: number): number =>
  AXIS + (top < pinned ? top : top - scroll);

/** Converts times to device pixels. The view starts at a whole pixel, so that a pixel keeps its events while panning. */
export class PixelGrid {
  /** Time in ns per device pixel. */
  readonly perPixel: number;
  readonly #origin: number;

  constructor(view: View, { width, ratio }: CanvasSize) {
    this.perPixel = (view.to - view.from) / Math.max(1, Math.round(width * ratio));
    this.#origin = Math.round(view.from / this.perPixel);
  }

  /** Device pixel of a column; columns are counted from time 0. */
  xOfColumn(column: number): number {
    return column - this.#origin;
  }

  /** Time at the left edge of a device pixel, in ns. */
  timeOf(x: number): number {
    return (x + this.#origin) * this.perPixel;
  }

  x(time: number): number {
    return time / this.perPixel - this.#origin;
  }
}

export type Rgb = readonly [red: number, green: number, blue: number];

/** An opaque pixel as one number: its four bytes in memory order. */
export const pixelOf = ([r, g, b]: Rgb): number => elementAt(new Uint32Array(Uint8Array.of(r, g, b, 255).buffer), 0);

export class PixelRows {
  width = 0;
  /** All rows, one after the other; 0 is transparent. */
  pixels = new Uint32Array(0);
  #rows = 0;

  /** Clears all pixels, and sets the size. */
  begin(width: number, rows: number): void {
    this.width = width;
    this.#rows = rows;
    const size = width * rows;
    if (this.pixels.length < size) this.pixels = new Uint32Array(size);
    else this.pixels.fill(0, 0, size);
  }

  /** Fills pixels `from` to `to` (exclusive) of a row; pixels outside are clipped. */
  run(row: number, from: number, to: number, pixel: number): void {
    const first = Math.max(0, from);
    const last = Math.min(this.width, to);
    if (first < last) this.pixels.fill(pixel, row * this.width + first, row * this.width + last);
  }

  /** Fills a column in rows `from` to `to` (exclusive), which must exist. */
  column(x: number, from: number, to: number, pixel: number): void {
    for (let at = from * this.width + x; at < to * this.width; at += this.width) this.pixels[at] = pixel;
  }

  /** The rows as an image; null when there are none. */
  image(): ImageData | null {
    const size = this.width * this.#rows;
    if (size === 0) return null;
    return new ImageData(new Uint8ClampedArray(this.pixels.buffer, 0, size * 4), this.width, this.#rows);
  }
}
