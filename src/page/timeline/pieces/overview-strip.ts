/**
 * The strip above a timeline: how busy devices or ranks are over the whole profile, where its pieces begin, and the visible
 * part as a box. It is a slider: clicks, dragging and keys move the view.
 */
import type { PageTimeline } from '../../../prof/html/timeline/timeline-data.js';
import { element } from '../../document/dom-elements.js';
import { quantityText } from '../../document/units.js';
import { readTheme, watchTheme, PRINTED, type CanvasTheme } from '../draw/canvas-colours.js';
import type { StripRow } from '../draw/strip-rows.js';
import { timeAt, type View } from '../model/view.js';

/** Height of a row, and of all rows, in CSS pixels. */
const ROW = 22;
const MOST_HEIGHT = 4 * ROW;
/** Rows below this height have no room for bars, so their colour shows the share. */
const LEAST_BAR = 8;
/** Minimum distance between drawn starts of pieces. */
const LEAST_GAP = 3;
const LEAST_BOX = 3;

class StripPainter {
  readonly #background = new OffscreenCanvas(1, 1);
  theme: CanvasTheme = PRINTED;
  /**
   * Width in CSS pixels. It is cached, because reading it from the document for each bar would cause a layout each
   * time.
   */
  #width = 0;
  rows: readonly StripRow[] = [];

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly timeline: PageTimeline,
    /** Time of the whole strip, in ns from the profile's start. */
    private readonly all: View,
  ) {}

  /** Height in CSS pixels. */
  get height(): number {
    return Math.max(1, this.rows.length) * this.#row;
  }

  get #row(): number {
    return Math.min(ROW, MOST_HEIGHT / Math.max(1, this.rows.length));
  }

  /** Call it when the size or the theme changes. */
  paintAll(view: View): void {
    const ratio = devicePixelRatio || 1;
    this.#width = this.canvas.clientWidth;
    for (const canvas of [this.canvas, this.#background]) {
      canvas.width = Math.max(1, Math.round(this.#width * ratio));
      canvas.height = Math.max(1, Math.round(this.height * ratio));
    }
    const context = this.#background.getContext('2d');
    if (context === null) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = this.theme.band;
    context.fillRect(0, 0, this.#width, this.height);
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
    const width = Math.max(LEAST_BOX, Math.min(this.#width, this.#x(to)) - left);
    context.fillStyle = context.strokeStyle = this.theme.accent;
    context.globalAlpha = 0.2;
    context.fillRect(left, 0, width, this.height);
    context.globalAlpha = 1;
    context.lineWidth = 2;
    context.strokeRect(left + 1, 1, Math.max(1, width - 2), this.height - 2);
  }

  #x(time: number): number {
    return ((time - this.all.from) / (this.all.to - this.all.from)) * this.#width;
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

interface StripActions {
  /** Moves the view so that a time is in its middle. @param time ns from the profile's start */
  readonly goTo: (time: number) => void;
  /** Shows the previous or next piece. */
  readonly step: (by: 1 | -1) => void;
}

interface OverviewStrip {
  readonly place: HTMLElement;
  readonly show: (piece: number, view: View) => void;
  readonly showRows: (rows: readonly StripRow[]) => void;
}

/** Share of the view by which arrow keys move. */
const STEP = 0.5;

export function showStrip(timeline: PageTimeline, actions: StripActions, signal: AbortSignal): OverviewStrip {
  const [whole] = timeline.pieces;
  const all: View = { from: whole?.start ?? 0, to: Math.max((whole?.start ?? 0) + 1, whole?.end ?? 0) };
  const canvas = element('canvas', {
    class: 'tl-strip',
    tabindex: 0,
    role: 'slider',
    'aria-label': 'Part of the profile in view. Page Up and Page Down show the previous and next piece',
    'aria-valuemin': Math.round(all.from),
    'aria-valuemax': Math.round(all.to),
  });
  const painter = new StripPainter(canvas, timeline, all);
  let shown = all;
  const inside = (time: number): number => Math.max(all.from, Math.min(all.to, time));
  const paint = paintWhenChanged(canvas, painter, () => shown, signal);
  listenToPointer(canvas, (x) => actions.goTo(inside(timeAt(all, x, canvas.clientWidth))));
  const middle = (): number => inside((shown.from + shown.to) / 2);
  const move = (by: number): void => actions.goTo(inside(middle() + by * (shown.to - shown.from)));
  listenToKeys(canvas, {
    ...{ ArrowLeft: () => move(-STEP), ArrowDown: () => move(-STEP) },
    ...{ ArrowRight: () => move(STEP), ArrowUp: () => move(STEP) },
    ...{ Home: () => actions.goTo(all.from), End: () => actions.goTo(all.to) },
    ...{ PageUp: () => actions.step(-1), PageDown: () => actions.step(1) },
    ...{ '[': () => actions.step(-1), ']': () => actions.step(1) },
  });
  const show: OverviewStrip['show'] = (piece, view) => {
    shown = view;
    const [from, to] = [quantityText(view.from, 'ns'), quantityText(view.to, 'ns')];
    canvas.setAttribute('aria-valuenow', String(Math.round(middle())));
    canvas.setAttribute('aria-valuetext', `${timeline.pieces[piece]?.name ?? ''}, ${from} to ${to}`);
    painter.paintView(view);
  };
  const showRows = (rows: readonly StripRow[]): void => {
    painter.rows = rows;
    canvas.style.height = `${painter.height}px`;
    paint();
  };
  return { place: canvas, show, showRows };
}

/** @returns a function that repaints it */
function paintWhenChanged(
  canvas: HTMLElement,
  painter: StripPainter,
  view: () => View,
  signal: AbortSignal,
): () => void {
  const paint = (): void => {
    if (canvas.clientWidth === 0 || canvas.parentElement === null) return;
    painter.theme = readTheme(canvas.parentElement);
    painter.paintAll(view());
  };
  const sized = new ResizeObserver(paint);
  sized.observe(canvas);
  watchTheme(paint, signal);
  signal.addEventListener('abort', () => sized.disconnect());
  return paint;
}

function listenToPointer(canvas: HTMLElement, goTo: (x: number) => void): void {
  canvas.addEventListener('pointerdown', ({ button, pointerId, offsetX }) => {
    if (button !== 0) return;
    canvas.setPointerCapture(pointerId);
    goTo(offsetX);
  });
  canvas.addEventListener('pointermove', ({ buttons, offsetX }) => {
    if ((buttons & 1) === 1) goTo(offsetX);
  });
}

function listenToKeys(canvas: HTMLElement, acts: Readonly<Record<string, () => void>>): void {
  canvas.addEventListener('keydown', (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}
