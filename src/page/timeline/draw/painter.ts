/**
 * Paints the events of the visible lanes, the time axis and the row of marks below it, on a separate canvas, because they
 * change less often.
 */
import { elementAt } from '../../../containers/element.js';
import type { LaneBand, PlacedTrack } from '../model/layout.js';
import { drawRow, coverage, type MatchWeights, type RowPainter, type RowWeights } from '../model/levels.js';
import { filledOf, profileTimeOf, textOf } from '../events/events.js';
import type { FittedLabels } from '../model/labels.js';
import type { Scene } from '../model/scene.js';
import { AXIS, PixelGrid, yOf, PixelRows, type CanvasSize } from './pixels.js';
import { FADED, FULL, levelOf, styleOf, type CanvasTheme } from './canvas-colours.js';
import { ticks, tickStep, tickText } from '../model/view.js';
import type { TimelineMark } from '../../../prof/html/timeline/timeline-data.js';
import { valueText, type Track, type TrackRange } from '../tracks/track.js';

/** Height in CSS pixels. */
const STEP_HEIGHT = 5;
const LEAST_WIDTH = 3;
const STEP_GAP = 1;

interface MarkFrame {
  readonly context: CanvasRenderingContext2D;
  readonly size: CanvasSize;
  readonly theme: CanvasTheme;
  readonly grid: PixelGrid;
}

/** Slots of the palette by kind of mark. The text of a mark is in its tooltip and in the list. */
const SLOTS: Readonly<Record<Exclude<TimelineMark['kind'], 'step'>, number>> = {
  throttling: 0,
  missing: 1,
  cut: 3,
  gap: 4,
  advice: 5,
};

const fillOf = (theme: CanvasTheme, kind: TimelineMark['kind']): string =>
  kind === 'step' ? theme.quiet : elementAt(theme.fills, styleOf(SLOTS[kind], FULL));

/** Paints the row of marks below the axis: steps as bars at its bottom, all others above them. */
class MarkPainter {
  constructor(readonly scene: Scene) {}

  paint({ context, size, theme, grid }: MarkFrame): void {
    const { marks: height } = this.scene.layout;
    if (height === 0) return;
    const top = yOf(0, size, this.scene.shown.pinned);
    if (top + height <= AXIS) return;
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    context.fillStyle = theme.line;
    context.fillRect(0, top + height - 1, size.width, 1);
    // A mark inside another is drawn on top of it, the shortest last.
    const inView = this.scene.extras.marks
      .map((mark) => ({ mark, from: grid.x(mark.start) / size.ratio, to: grid.x(mark.end) / size.ratio }))
      .filter(({ from, to }) => to >= -LEAST_WIDTH && from <= size.width)
      .sort((a, b) => b.to - b.from - (a.to - a.from));
    for (const { mark, from, to } of inView) {
      const isStep = mark.kind === 'step';
      const left = Math.max(-1, from);
      const width = Math.max(LEAST_WIDTH, Math.min(size.width + 1, to) - left - (isStep ? STEP_GAP : 0));
      const y = isStep ? top + height - 2 - STEP_HEIGHT : top + 2;
      context.fillStyle = fillOf(theme, mark.kind);
      context.fillRect(left, y, width, isStep ? STEP_HEIGHT : height - 5 - STEP_HEIGHT);
    }
  }
}

/** Minimum widths in CSS pixels of boxes with a gap to the next one, and with text. */
const GAP_FROM = 4;
const TEXT_FROM = 22;
const TICK_EVERY = 110;
const STRIPE = 3;
export const FONT = '11px system-ui, sans-serif';

/** A name in its box, in CSS pixels: `y` is its middle, and `width` its maximum width. */
export interface BoxLabel {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly event: number;
}

/** Data for one drawing of the canvas. */
export interface PaintFrame {
  readonly context: CanvasRenderingContext2D;
  readonly size: CanvasSize;
  readonly theme: CanvasTheme;
  readonly grid: PixelGrid;
}

// Paints tracks: the range of values in each column of pixels, or the mean; nothing when the value is unknown.

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
class TrackPainter {
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

export class EventPainter {
  readonly #pixels = new PixelRows();
  /** Stripes under the events that match a search. */
  readonly #stripes = new PixelRows();
  /** Places of the names that are drawn. */
  names: readonly Omit<BoxLabel, 'event'>[] = [];
  readonly #labels: BoxLabel[] = [];
  readonly #tracks: TrackPainter;
  readonly #marks: MarkPainter;
  #rows = new OffscreenCanvas(1, 1);

  constructor(
    readonly scene: Scene,
    readonly labels: FittedLabels,
  ) {
    this.#tracks = new TrackPainter(scene);
    this.#marks = new MarkPainter(scene);
  }

  paint(context: CanvasRenderingContext2D, size: CanvasSize, theme: CanvasTheme): void {
    const { view } = this.scene.shown;
    const grid = new PixelGrid(view, size);
    const { ratio, width, height } = size;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = theme.band;
    context.fillRect(0, 0, Math.ceil(width * ratio), Math.ceil(height * ratio));
    const frame: PaintFrame = { context, size, theme, grid };
    this.#paintGrid(frame);
    this.#labels.length = 0;
    const { pinned } = this.scene.shown;
    const bands = this.scene.layout.bands.filter(({ top, height: thick }) => {
      const y = yOf(top, size, pinned);
      return y < height && y + thick > (top < pinned ? AXIS : AXIS + pinned);
    });
    this.#pixels.begin(Math.ceil(width * ratio), bands.length);
    this.#stripes.begin(Math.ceil(width * ratio), this.scene.matches === null ? 0 : bands.length);
    for (const [row, band] of bands.entries()) this.#collect(band, row, frame);
    this.#fill(context, this.#pixels, bands, size, 0);
    this.#fill(context, this.#stripes, bands, size, STRIPE);
    this.#write(frame);
    this.#tracks.paint(frame);
    this.#marks.paint(frame);
    if (pinned > 0 && size.scroll > 0) {
      context.fillStyle = theme.line;
      context.fillRect(0, AXIS + pinned, width, 1);
    }
    this.#coverOutside(frame);
    this.#paintAxis(frame);
  }

  #collect(band: LaneBand, line: number, { size, theme, grid }: PaintFrame): void {
    const { width, ratio } = size;
    const { scene } = this;
    const { view, pinned } = scene.shown;
    const { slots } = scene.colours;
    const all = scene.weightsOf(band.row);
    const matching = scene.matchWeightsOf(band.row);
    const right = Math.ceil(width * ratio);
    // The part of an event before the timeline's start is not drawn.
    const left = Math.max(0, Math.round(grid.x(0)));
    const y = yOf(band.top, size, pinned);
    const middle = y + band.height / 2;
    const hasLabels = band.height >= 12 && (band.top < pinned || y >= AXIS + pinned);
    const pixelFor = (event: number, level: number): number =>
      elementAt(theme.pixels, styleOf(elementAt(slots, event), level));
    const sink: RowPainter = {
      box: (row, place) => {
        const start = elementAt(row.start, place);
        const from = Math.round(grid.x(start));
        const to = Math.max(from + 1, Math.round(grid.x(start + elementAt(row.dur, place))));
        const event = elementAt(row.events, place);
        const isFaded = matching !== null && countOf(matching, place, place + 1) === 0;
        const gap = to - from >= GAP_FROM * ratio ? Math.round(ratio) : 0;
        this.#pixels.run(
          line,
          from,
          to - gap,
          pixelFor(event, isFaded ? FADED : levelOf(filledOf(scene.events, event))),
        );
        if (matching !== null && !isFaded) this.#stripes.run(line, from, to - gap, theme.mark);
        if (hasLabels) this.#label(event, Math.max(left, from), Math.min(right, to - gap), middle, ratio);
      },
      column: (row, from, to, column) => {
        const [level, place] = merged(all, matching, from, to, grid.perPixel);
        const x = grid.xOfColumn(column);
        this.#pixels.run(line, x, x + 1, pixelFor(elementAt(row.events, place), level));
        if (matching !== null && level !== FADED) this.#stripes.run(line, x, x + 1, theme.mark);
      },
    };
    drawRow(band.row, view.from, view.to, grid.perPixel, sink);
  }

  #label(event: number, from: number, to: number, y: number, ratio: number): void {
    const width = (to - from) / ratio - 6;
    if (width >= TEXT_FROM) this.#labels.push({ event, x: from / ratio + 3, y, width });
  }

  /** Draws each row of pixels with the height of its band, or as a stripe of `stripe` CSS pixels at its bottom. */
  #fill(
    context: CanvasRenderingContext2D,
    rows: PixelRows,
    bands: readonly LaneBand[],
    size: CanvasSize,
    stripe: number,
  ): void {
    const { ratio } = size;
    const { pinned } = this.scene.shown;
    const image = rows.image();
    if (image === null) return;
    if (this.#rows.width !== image.width || this.#rows.height < image.height) {
      this.#rows = new OffscreenCanvas(image.width, image.height);
    }
    this.#rows.getContext('2d')?.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.save();
    let isClipped = false;
    for (const [row, { top, height }] of bands.entries()) {
      if (!isClipped && top >= pinned) {
        isClipped = true;
        context.beginPath();
        context.rect(0, Math.round((AXIS + pinned) * ratio), image.width, Math.ceil(size.height * ratio));
        context.clip();
      }
      const y = Math.round(yOf(top, size, pinned) * ratio);
      const whole = Math.max(1, Math.round(height * ratio) - (height >= 6 ? Math.round(ratio) : 0));
      const thick = stripe === 0 ? whole : Math.max(1, Math.min(Math.round(stripe * ratio), Math.floor(whole / 3)));
      context.drawImage(this.#rows, 0, row, image.width, 1, 0, y + whole - thick, image.width, thick);
    }
    context.restore();
  }

  #write({ context, size: { ratio }, theme }: PaintFrame): void {
    const { events, colours, matches } = this.scene;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = FONT;
    context.textBaseline = 'middle';
    const names: Omit<BoxLabel, 'event'>[] = [];
    for (const { event, x, y, width } of this.#labels) {
      const name = textOf(events, 'name', event) ?? '';
      const text = this.labels.fitting(name, width, this.scene.differs.get(name));
      if (text === '') continue;
      const isFaded = matches !== null && matches.isMatch[event] !== 1;
      context.fillStyle = isFaded ? theme.quiet : elementAt(theme.labels, elementAt(colours.slots, event));
      context.fillText(text, x, y);
      names.push({ x, y, width: this.labels.widthOf(text, width) });
    }
    this.names = names;
  }

  /** Ticks of the axis, with enough distance for their labels, in ns from the profile's start. */
  #ticks({ width }: CanvasSize): { readonly step: number; readonly at: readonly number[] } {
    const { events, shown } = this.scene;
    const [from, to] = [profileTimeOf(events, shown.view.from), profileTimeOf(events, shown.view.to)];
    const step = tickStep(((to - from) / Math.max(1, width)) * TICK_EVERY);
    return { step, at: ticks(from, to, step) };
  }

  #paintGrid({ context, size, theme, grid }: PaintFrame): void {
    const { ratio, width, height } = size;
    const { pinned } = this.scene.shown;
    context.fillStyle = theme.line;
    for (const time of this.#ticks(size).at) {
      context.fillRect(Math.round(grid.x(time - this.scene.events.origin)), 0, 1, Math.ceil(height * ratio));
    }
    for (const group of this.scene.layout.groups) {
      const y = yOf(group.top, size, pinned);
      const isSeen = group.top < pinned || y >= AXIS + pinned;
      if (isSeen) context.fillRect(0, Math.round(y * ratio), Math.ceil(width * ratio), 1);
    }
  }

  /**
   * Covers the time before the timeline's start and after its end, where data may be incomplete; events are drawn only in
   * between.
   */
  #coverOutside({ context, size, theme, grid }: PaintFrame): void {
    const { width, height, ratio } = size;
    const [start, end] = [grid.x(0) / ratio, grid.x(this.scene.events.span) / ratio];
    context.fillStyle = theme.back;
    if (start > 0) context.fillRect(0, 0, start, height);
    if (end < width) context.fillRect(end, 0, width - end, height);
    context.fillStyle = theme.quiet;
    for (const edge of [start, end]) context.fillRect(Math.round(edge), 0, 1, height);
  }

  #paintAxis({ context, size, theme, grid }: PaintFrame): void {
    const { width, ratio } = size;
    context.fillStyle = theme.back;
    context.fillRect(0, 0, width, AXIS);
    context.fillStyle = theme.line;
    context.fillRect(0, AXIS - 1, width, 1);
    const { step, at } = this.#ticks(size);
    const largest = at.reduce((most, time) => Math.max(most, Math.abs(time)), 0);
    context.font = FONT;
    for (const time of at) {
      const x = grid.x(time - this.scene.events.origin) / ratio;
      context.fillStyle = theme.quiet;
      context.fillRect(Math.round(x), AXIS - 7, 1, 6);
      context.fillText(tickText(time, step, largest), x + 4, AXIS / 2);
    }
  }
}

const countOf = ({ counts }: MatchWeights, from: number, to: number): number =>
  elementAt(counts, to) - elementAt(counts, from);

/**
 * Level of a column of merged events, and index of the event whose colour it has. With a search, matching events hide the
 * others and have the full level, so that a single one among thousands is visible.
 */
function merged(
  all: RowWeights,
  matching: MatchWeights | null,
  from: number,
  to: number,
  perPixel: number,
): readonly [level: number, place: number] {
  if (matching === null) return [levelOf(coverage(all, from, to, perPixel)), all.longest.in(from, to)];
  if (countOf(matching, from, to) === 0) return [FADED, all.longest.in(from, to)];
  return [FULL, matching.longest.in(from, to)];
}
