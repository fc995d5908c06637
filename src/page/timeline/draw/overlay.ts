/** Paints what changes with the pointer, above the events: outlines, arrows, the selection, markers. */
import { endOf, startOf } from '../events/events.js';
import type { LaneBand } from '../model/layout.js';
import type { Scene } from '../model/scene.js';
import { launchArrows, MOST_ARROWS } from '../model/shown-arrows.js';
import { AXIS, PixelGrid, yOf, type CanvasSize } from './size.js';
import type { CanvasTheme } from './canvas-colours.js';
import { FONT, type PaintFrame } from './painter.js';
import { paintOperation, paintSelection } from './selection-painter.js';
import type { FittedLabels } from '../model/labels.js';

/** What one drawing of the canvas needs. */
interface OverlayFrame extends Omit<PaintFrame, 'grid'> {
  /** CSS pixel of a time. */
  readonly at: (time: number) => number;
}

export class OverlayPainter {
  constructor(
    readonly scene: Scene,
    readonly labels: FittedLabels,
  ) {}

  paint(context: CanvasRenderingContext2D, size: CanvasSize, theme: CanvasTheme): void {
    const { shown } = this.scene;
    const grid = new PixelGrid(shown.view, size);
    const at = (time: number): number => grid.x(time) / size.ratio;
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    const frame: OverlayFrame = { context, size, theme, at };
    paintSelection(this.scene, frame);
    paintOperation(this.scene, frame);
    context.save();
    context.beginPath();
    context.rect(0, AXIS, size.width, size.height - AXIS);
    context.clip();
    for (const [from, to] of this.#arrows()) this.#paintArrow(frame, from, to);
    this.#outline(frame, theme.ink, shown.hovered, 1);
    this.#outline(frame, theme.accent, shown.event, 2);
    context.restore();
    this.#paintMarkers(frame);
  }

  /** Those of the scene, and of launches of the event under the pointer. */
  #arrows(): readonly (readonly [from: number, to: number])[] {
    const { events, shown, arrows } = this.scene;
    const hovered = shown.hovered === null ? [] : launchArrows(events, shown.hovered).slice(0, MOST_ARROWS);
    return [...arrows.arrows, ...hovered];
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

  /** Of a band that is scrolled behind the pinned ones, their edge. */
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
