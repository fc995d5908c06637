/** Paints tracks: the range of values in each column of pixels, or the mean; nothing when the value is unknown. */
import { elementAt } from '../../../containers/element.js';
import type { PlacedTrack } from '../model/layout.js';
import type { Scene } from '../model/scene.js';
import { valueText, type Track, type TrackRange } from '../tracks/track.js';
import type { CanvasTheme } from './canvas-colours.js';
import { PixelRows, AXIS, yOf, type CanvasSize, type PixelGrid } from './pixels.js';

/** CSS pixels: the gap below each track, and the text size of its highest value. */
const GAP = 3;
const SCALE_FONT = '9px system-ui, sans-serif';
const SCALE_HEIGHT = 10;

interface TrackFrame {
  readonly context: CanvasRenderingContext2D;
  readonly size: CanvasSize;
  readonly theme: CanvasTheme;
  readonly grid: PixelGrid;
}

/** Pixel row of a value, counted from the bottom: 0 is the lowest row. */
function rowOf(value: number, { scale: { low, high } }: Track, rows: number): number {
  const share = high > low ? (value - low) / (high - low) : 0;
  return Math.max(0, Math.min(rows - 1, Math.round(share * (rows - 1))));
}

/** Draws each column of device pixels once, so that the cost does not grow with the number of samples in a column. */
export class TrackPainter {
  readonly #pixels = new PixelRows();
  #image = new OffscreenCanvas(1, 1);

  constructor(readonly scene: Scene) {}

  paint(frame: TrackFrame): void {
    const { context, size } = frame;
    const { height } = size;
    const { pinned } = this.scene.shown;
    const seen = this.scene.layout.tracks.filter((track) => {
      const y = yOf(track.top, size, pinned);
      return y < height && y + track.height > (track.top < pinned ? AXIS : AXIS + pinned);
    });
    if (seen.length === 0) return;
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    for (const isPinned of [true, false]) {
      context.save();
      context.beginPath();
      context.rect(0, isPinned ? AXIS : AXIS + pinned, size.width, height);
      context.clip();
      for (const placed of seen) if (placed.top < pinned === isPinned) this.#paintTrack(frame, placed);
      context.restore();
    }
  }

  #paintTrack({ context, size, theme, grid }: TrackFrame, placed: PlacedTrack): void {
    const { ratio } = size;
    const track = elementAt(this.scene.extras.tracks, placed.track);
    const rows = Math.max(2, Math.round((placed.height - GAP) * ratio));
    const width = Math.ceil(size.width * ratio);
    this.#fill(track, width, rows, grid, theme);
    const image = this.#pixels.image();
    if (image === null) return;
    if (this.#image.width !== width || this.#image.height < rows) this.#image = new OffscreenCanvas(width, rows);
    this.#image.getContext('2d')?.putImageData(image, 0, 0);
    const y = yOf(placed.top, size, this.scene.shown.pinned);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.#image, 0, 0, width, rows, 0, y, width / ratio, rows / ratio);
    context.fillStyle = theme.line;
    context.fillRect(0, y + rows / ratio, size.width, 1);
    const left = Math.max(0, grid.x(0) / ratio);
    this.#writeScale(context, track, left, y, theme);
  }

  #fill(track: Track, width: number, rows: number, grid: PixelGrid, theme: CanvasTheme): void {
    const pixels = this.#pixels;
    const { span } = this.scene.events;
    pixels.begin(width, rows);
    const first = Math.max(0, Math.floor(grid.x(0)));
    const last = Math.min(width, Math.ceil(grid.x(span)));
    const foot = rowOf(0, track, rows);
    // Means are connected by a line. Ranges touch each other, because a value is valid until the next.
    let before: TrackRange | null = null;
    for (let x = first; x < last; x++) {
      const from = grid.timeOf(x);
      const range = track.rangeOf(from, from + grid.perPixel);
      const joined: TrackRange | null = track.drawn === 'mean' ? (before ?? range) : range;
      before = range;
      if (range === null || joined === null) continue;
      const value = rowOf(range.high, track, rows);
      const [low, high] = [
        rowOf(Math.min(joined.low, range.low), track, rows),
        rowOf(Math.max(joined.high, range.high), track, rows),
      ];
      pixels.column(x, rows - 1 - Math.max(foot, value), rows - Math.min(foot, value), theme.track.area);
      pixels.column(x, rows - 1 - high, rows - low, theme.track.edge);
    }
  }

  /** Writes the upper end of the scale; its other end is 0, at the bottom. */
  #writeScale(context: CanvasRenderingContext2D, track: Track, x: number, y: number, theme: CanvasTheme): void {
    const text = valueText(track.scale.high, track.unit);
    context.font = SCALE_FONT;
    context.textBaseline = 'middle';
    const wide = context.measureText(text).width;
    context.fillStyle = theme.band;
    context.globalAlpha = 0.8;
    context.fillRect(x + 2, y + 1, wide + 4, SCALE_HEIGHT);
    context.globalAlpha = 1;
    context.fillStyle = theme.quiet;
    context.fillText(text, x + 4, y + 1 + SCALE_HEIGHT / 2);
  }
}
