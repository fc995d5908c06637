/** Paints everything that changes with the pointer above the events: outlines, arrows, the selection, markers. */
import { endOf, startOf } from '../events/events.js';
import type { LaneBand } from '../model/layout.js';
import type { Scene } from '../model/scene.js';
import { AXIS, PixelGrid, yOf, type CanvasSize } from './pixels.js';
import type { CanvasTheme } from './canvas-colours.js';
import { FONT, type BoxLabel, type PaintFrame } from './painter.js';
import type { FittedLabels } from '../model/labels.js';
import { selectedUnits, type LaneUnit, type TimelineSelection } from '../model/selection.js';

/** Data for one drawing. */
interface SpanFrame {
  readonly context: CanvasRenderingContext2D;
  readonly size: CanvasSize;
  readonly theme: CanvasTheme;
  /** CSS pixel of a time. */
  readonly at: (time: number) => number;
}

const WASH = 0.16;
/** Opacity of the wash over events outside the span that the page is about. */
const OUTSIDE = 0.7;
/** Height of the grips in the middle of an edge, in CSS pixels. */
const GRIP = 14;

/** Lengths of a box's dashes and gaps in CSS pixels. */
const DASHES = [4, 3];

/** Paints a box around everything that the rank did during the operation. */
function paintOperation(scene: Scene, frame: SpanFrame): void {
  const { operation } = scene;
  const extent = operation === null ? null : extentOf(frame, operation);
  if (operation === null || extent === null) return;
  const { context, theme } = frame;
  context.strokeStyle = theme.accent;
  context.lineWidth = 1;
  context.setLineDash(DASHES);
  forBlocks(scene, frame, operation.lanes, (y, height) => {
    context.strokeRect(extent.from + 0.5, y + 0.5, extent.to - extent.from - 1, height - 1);
  });
  context.setLineDash([]);
}

interface Extent {
  readonly from: number;
  readonly to: number;
}

/** CSS pixels of a span, at least one pixel; null outside the canvas. */
function extentOf({ size, at }: SpanFrame, span: TimelineSelection): Extent | null {
  const to = Math.max(at(span.to), at(span.from) + 1);
  const extent = { from: Math.max(-4, at(span.from)), to: Math.min(size.width + 4, to) };
  return extent.to < 0 || extent.from > size.width ? null : extent;
}

/** Fades what lies outside the span that the page is about. */
function fadeOutside({ chosen }: Scene, { context, size, theme, at }: SpanFrame): void {
  if (chosen === null) return;
  const [from, to] = [at(chosen.from), at(chosen.to)].map((x) => Math.min(size.width, Math.max(0, x)));
  context.fillStyle = theme.band;
  context.globalAlpha = OUTSIDE;
  context.fillRect(0, AXIS, from ?? 0, size.height - AXIS);
  context.fillRect(to ?? size.width, AXIS, size.width - (to ?? size.width), size.height - AXIS);
  context.globalAlpha = 1;
}

function paintSelection(scene: Scene, frame: SpanFrame): void {
  const { span } = scene.shown;
  const extent = span === null ? null : extentOf(frame, span);
  if (span === null || extent === null) return;
  const { from, to } = extent;
  const { context, size, theme } = frame;
  context.fillStyle = theme.accent;
  const wash = (top: number, bottom: number): void => {
    context.globalAlpha = WASH;
    context.fillRect(from, top, to - from, bottom - top);
    context.globalAlpha = 1;
  };
  const edges = (top: number, bottom: number): void => {
    for (const x of [from, to - 1]) {
      context.fillRect(x, top, 1, bottom - top);
      const middle = (Math.max(AXIS, top) + Math.min(size.height, bottom)) / 2;
      context.fillRect(x - 1, middle - GRIP / 2, 3, GRIP);
    }
  };
  // The axis marks the time, whatever the lanes.
  wash(0, AXIS);
  if (span.lanes === null) {
    wash(AXIS, size.height);
    edges(0, size.height);
    return;
  }
  forBlocks(scene, frame, span.lanes, (y, height) => {
    wash(y, y + height);
    edges(y, y + height);
    for (const edge of [y, y + height - 1]) context.fillRect(from, edge, to - from, 1);
  });
}

/**
 * Paints each block of adjacent lanes.
 * @param lanes keys of the lanes; null for all
 * @param paint called with the top of a block on the canvas, and its height
 */
function forBlocks(
  { events, layout, shown: { pinned } }: Scene,
  { context, size }: SpanFrame,
  lanes: ReadonlySet<string> | null,
  paint: (y: number, height: number) => void,
): void {
  const blocks = blocksOf(selectedUnits(layout, events.lanes, lanes));
  // A block may begin in the pinned lanes and continue below them; each part is clipped to its area.
  const areas = [
    { from: AXIS, to: AXIS + pinned, zero: AXIS },
    { from: AXIS + pinned, to: size.height, zero: AXIS - size.scroll },
  ];
  for (const [i, area] of areas.entries()) {
    context.save();
    clipTo(context, size, area);
    for (const { top, height } of blocks) {
      if (i === 0 ? top >= pinned : top + height <= pinned) continue;
      paint(area.zero + top, height);
    }
    context.restore();
  }
}

/** A rectangle on the canvas, in CSS pixels. */
interface CanvasArea {
  readonly from: number;
  readonly to: number;
}

function clipTo(context: CanvasRenderingContext2D, { width }: CanvasSize, { from, to }: CanvasArea): void {
  context.beginPath();
  context.rect(0, from, width, Math.max(0, to - from));
  context.clip();
}

/** Joins adjacent units; the header of a group does not separate those above and below it. */
function blocksOf(units: readonly LaneUnit[]): { top: number; height: number }[] {
  const blocks: { top: number; height: number }[] = [];
  for (const { top, height } of units) {
    const last = blocks.at(-1);
    if (last !== undefined && top - (last.top + last.height) < 1) last.height = top + height - last.top;
    else blocks.push({ top, height });
  }
  return blocks;
}

/** Data for one drawing of the canvas. */
interface OverlayFrame extends Omit<PaintFrame, 'grid'> {
  /** CSS pixel of a time. */
  readonly at: (time: number) => number;
}

/** Height of a name, CSS pixels. */
const NAME_HEIGHT = 14;

export class OverlayPainter {
  constructor(
    readonly scene: Scene,
    readonly labels: FittedLabels,
    /** Places of the names below, which arrows leave free. */
    readonly names: () => readonly Omit<BoxLabel, 'event'>[],
  ) {}

  paint(context: CanvasRenderingContext2D, size: CanvasSize, theme: CanvasTheme): void {
    const { shown } = this.scene;
    const grid = new PixelGrid(shown.view, size);
    const at = (time: number): number => grid.x(time) / size.ratio;
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    const frame: OverlayFrame = { context, size, theme, at };
    fadeOutside(this.scene, frame);
    this.#paintArrows(frame);
    paintSelection(this.scene, frame);
    paintOperation(this.scene, frame);
    context.save();
    context.beginPath();
    context.rect(0, AXIS, size.width, size.height - AXIS);
    context.clip();
    this.#outline(frame, theme.ink, shown.hovered, 1);
    this.#outline(frame, theme.accent, shown.event, 2);
    context.restore();
    this.#paintMarkers(frame);
  }

  #paintArrows(frame: OverlayFrame): void {
    const { context, size } = frame;
    const { arrows } = this.scene.arrows;
    if (arrows.length === 0) return;
    context.save();
    clipTo(context, size, { from: AXIS, to: size.height });
    for (const [from, to] of arrows) this.#paintArrow(frame, from, to);
    for (const { x, y, width } of this.names()) context.clearRect(x - 1, y - NAME_HEIGHT / 2, width + 2, NAME_HEIGHT);
    context.restore();
  }

  #paintArrow({ context, size, theme, at }: OverlayFrame, from: number, to: number): void {
    const [top, bottom] = [this.scene.bandOf(from), this.scene.bandOf(to)];
    if (top === null || bottom === null) return;
    const [x0, y0] = [at(startOf(this.scene.events, from)), this.#middleOf(top, size)];
    const [x1, y1] = [at(startOf(this.scene.events, to)), this.#middleOf(bottom, size)];
    const bend = Math.min(80, Math.abs(x1 - x0) / 2 + 12);
    context.strokeStyle = context.fillStyle = theme.accent;
    context.lineWidth = 1.25;
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 4, y1);
    context.stroke();
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x1 - 6, y1 - 3.5);
    context.lineTo(x1 - 6, y1 + 3.5);
    context.fill();
  }

  /** The middle of a band; for a band that is scrolled behind the pinned lanes, their edge. */
  #middleOf({ top, height }: LaneBand, size: CanvasSize): number {
    const { pinned } = this.scene.shown;
    const y = yOf(top, size, pinned) + height / 2;
    return top < pinned ? y : Math.max(AXIS + pinned, y);
  }

  #outline({ context, size, at }: OverlayFrame, colour: string, event: number | null, line: number): void {
    const band = event === null ? null : this.scene.bandOf(event);
    if (event === null || band === null) return;
    // A canvas is imprecise far beyond its edges.
    const from = Math.max(-10, at(startOf(this.scene.events, event)));
    const to = Math.min(size.width + 10, Math.max(from + 2, at(endOf(this.scene.events, event))));
    context.strokeStyle = colour;
    context.lineWidth = line;
    const inset = line / 2;
    const { pinned } = this.scene.shown;
    const top = yOf(band.top, size, pinned);
    if (band.top >= pinned && top + band.height <= AXIS + pinned) return;
    context.strokeRect(from - inset, top - inset, to - from + line - 1, band.height - 1 + line);
  }

  #paintMarkers({ context, size, theme, at }: OverlayFrame): void {
    const { events, shown } = this.scene;
    context.font = FONT;
    context.textBaseline = 'middle';
    const marks = shown.markers.map(({ at: time, name }) => ({ x: at(time - events.origin), name }));
    for (const [i, { x, name }] of marks.entries()) {
      if (x < -1 || x > size.width + 1) continue;
      const room = Math.max(0, Math.min(160, (marks[i + 1]?.x ?? size.width) - x - 10));
      const text = this.labels.fitting(name, room);
      context.fillStyle = theme.accent;
      context.fillRect(Math.round(x), 0, 1.5, size.height);
      context.fillRect(Math.round(x), 0, text === '' ? 7 : context.measureText(text).width + 9, 15);
      context.fillStyle = theme.band;
      if (text !== '') context.fillText(text, x + 5, 8);
    }
  }
}
