/** Paints the strip above a timeline: its background once, the part in view as often as that moves. */
import type { PageTimeline } from '../../../prof/html/timeline/timeline-data.js';
import type { View } from '../model/view.js';
import { PRINTED, type CanvasTheme } from './canvas-colours.js';
import type { StripRow } from './strip-rows.js';

/** CSS pixels of a row, and of all of them. */
const ROW = 22;
const MOST_HEIGHT = 4 * ROW;
/** Lower rows have no room for bars: their colour says the share. */
const LEAST_BAR = 8;
/** Nearer beginnings of pieces are not drawn. */
const LEAST_GAP = 3;
const LEAST_BOX = 3;

export class StripPainter {
  readonly #background = new OffscreenCanvas(1, 1);
  theme: CanvasTheme = PRINTED;
  rows: readonly StripRow[] = [];

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly timeline: PageTimeline,
    /** ns from the profile's start, of the whole strip. */
    private readonly all: View,
  ) {}

  /** CSS pixels. */
  get height(): number {
    return Math.max(1, this.rows.length) * this.#row;
  }

  get #row(): number {
    return Math.min(ROW, MOST_HEIGHT / Math.max(1, this.rows.length));
  }

  /** To be called when the size or the theme changes. */
  paintAll(view: View): void {
    const ratio = devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.#background]) {
      canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
      canvas.height = Math.max(1, Math.round(this.height * ratio));
    }
    const context = this.#background.getContext('2d');
    if (context === null) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = this.theme.band;
    context.fillRect(0, 0, this.canvas.clientWidth, this.height);
    this.#paintRows(context);
    this.#paintPieces(context);
    this.paintView(view);
  }

  paintView({ from, to }: View): void {
    const context = this.canvas.getContext('2d');
    if (context === null || this.canvas.width < 1) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.#background, 0, 0);
    const ratio = devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const left = Math.max(0, this.#x(from));
    const width = Math.max(LEAST_BOX, Math.min(this.canvas.clientWidth, this.#x(to)) - left);
    context.fillStyle = context.strokeStyle = this.theme.accent;
    context.globalAlpha = 0.2;
    context.fillRect(left, 0, width, this.height);
    context.globalAlpha = 1;
    context.lineWidth = 2;
    context.strokeRect(left + 1, 1, Math.max(1, width - 2), this.height - 2);
  }

  #x(time: number): number {
    return ((time - this.all.from) / (this.all.to - this.all.from)) * this.canvas.clientWidth;
  }

  #paintRows(context: OffscreenCanvasRenderingContext2D): void {
    const height = this.#row;
    const isBars = height >= LEAST_BAR;
    context.fillStyle = this.theme.quiet;
    for (const [row, { start, width, shares }] of this.rows.entries()) {
      for (const [bin, share] of shares.entries()) {
        const left = this.#x(start + bin * width);
        const across = Math.max(0.5, this.#x(start + (bin + 1) * width) - left);
        const tall = isBars ? share * (height - 3) : height;
        context.globalAlpha = isBars ? 1 : share;
        context.fillRect(left, (row + 1) * height - Number(isBars) - tall, across, tall);
      }
    }
    context.globalAlpha = 1;
  }

  #paintPieces(context: OffscreenCanvasRenderingContext2D): void {
    context.fillStyle = this.theme.line;
    let last = -Infinity;
    for (const { start } of this.timeline.pieces.slice(1)) {
      const at = Math.round(this.#x(start));
      if (at - last < LEAST_GAP) continue;
      context.fillRect(at, 0, 1, this.height);
      last = at;
    }
  }
}
