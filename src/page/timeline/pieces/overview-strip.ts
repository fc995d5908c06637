/**
 * The strip above a timeline: how busy devices or ranks are over the whole profile, where its pieces begin, and the part in
 * view as a box. It is a slider: clicks, dragging and keys move the view.
 */
import type { PageTimeline } from '../../../prof/html/timeline/timeline-data.js';
import { element } from '../../document/dom-elements.js';
import { quantityText } from '../../document/units.js';
import { readTheme, watchTheme } from '../draw/canvas-colours.js';
import { StripPainter } from '../draw/strip-painter.js';
import type { StripRow } from '../draw/strip-rows.js';
import { timeAt, type View } from '../model/view.js';

interface StripActions {
  /** Moves the view so that a time is in its middle. @param time ns from the profile's start */
  readonly goTo: (time: number) => void;
  /** Shows the piece before or after. */
  readonly step: (by: 1 | -1) => void;
}

interface OverviewStrip {
  readonly place: HTMLElement;
  readonly show: (piece: number, view: View) => void;
  readonly showRows: (rows: readonly StripRow[]) => void;
}

/** Part of the view by which arrows move. */
const STEP = 0.5;

export function showStrip(timeline: PageTimeline, actions: StripActions, signal: AbortSignal): OverviewStrip {
  const [whole] = timeline.pieces;
  const all: View = { from: whole?.start ?? 0, to: Math.max((whole?.start ?? 0) + 1, whole?.end ?? 0) };
  const canvas = element('canvas', {
    class: 'tl-strip',
    tabindex: 0,
    role: 'slider',
    'aria-label': 'Part of the profile in view. Page up and page down show the piece before and after',
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

/** @returns paints it anew */
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
