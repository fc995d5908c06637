/**
 * Lanes as rows of pixels: a box is a run of them, a merged column one. A row is written in memory and then drawn once,
 * stretched to its height: that costs the same for ten events and for a hundred thousand.
 */

export type Rgb = readonly [red: number, green: number, blue: number];

/** The four bytes of a pixel, as they lie in memory, in one number. */
export function pixelOf([r, g, b]: Rgb): number {
  return new Uint32Array(Uint8Array.of(r, g, b, 255).buffer)[0] ?? 0;
}

export class PixelRows {
  width = 0;
  /** All rows, one after the other; 0 is transparent. */
  pixels = new Uint32Array(0);
  #rows = 0;

  /** Empties the rows, and has room for that many. */
  begin(width: number, rows: number): void {
    this.width = width;
    this.#rows = rows;
    const size = width * rows;
    if (this.pixels.length < size) this.pixels = new Uint32Array(size);
    else this.pixels.fill(0, 0, size);
  }

  /** Pixels from..to (without to) of a row; what lies outside is left out. */
  run(row: number, from: number, to: number, pixel: number): void {
    const first = Math.max(0, from);
    const last = Math.min(this.width, to);
    if (first < last) this.pixels.fill(pixel, row * this.width + first, row * this.width + last);
  }

  /** The rows as an image; null where there are none. */
  image(): ImageData | null {
    const size = this.width * this.#rows;
    if (size === 0) return null;
    return new ImageData(new Uint8ClampedArray(this.pixels.buffer, 0, size * 4), this.width, this.#rows);
  }
}
