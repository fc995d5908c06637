/** The two canvases of a timeline. They are drawn at most once per frame, and only after changes. */
import { element } from '../../document/dom-elements.js';
import { PAPER_WIDTH } from '../../document/when-visible.js';
import { FittedLabels } from '../model/labels.js';
import { OverlayPainter } from './overlay.js';
import { FONT, EventPainter } from './painter.js';
import type { SceneChanges, Scene, SceneState } from '../model/scene.js';
import { AXIS, type CanvasSize } from './pixels.js';
import { PRINTED, readTheme, watchTheme, type CanvasTheme } from './canvas-colours.js';
import { timeAt } from '../model/view.js';

/** Changes after which the lower canvas, with the events, is redrawn. */
const OF_EVENTS: readonly (keyof SceneState)[] = ['view', 'colour', 'search', 'closed', 'opened', 'pinned'];

/** The lower canvas is opaque, so the browser need not blend it with what is below. */
const OPAQUE: CanvasRenderingContext2DSettings = { alpha: false };

/** Maximum share of the height for lanes that do not scroll. */
const MOST_PINNED = 0.6;

/** Height of a printed timeline on A4, in CSS pixels. */
const PAPER_HEIGHT = 860;
/** Minimum scale, still legible, to which a printed timeline with many lanes is reduced. */
const LEAST_ZOOM = 0.4;

export class TimelineCanvas {
  /** The element that scrolls, with names and canvases. */
  readonly body: HTMLElement;
  /** Content of the stage, as high as all lanes. */
  readonly sheet: HTMLElement;
  /** The upper canvas, which receives pointer and keys. */
  readonly canvas: HTMLCanvasElement;
  readonly holder: HTMLElement;
  readonly #lower: HTMLCanvasElement;
  readonly #painter: EventPainter;
  readonly #overlay: OverlayPainter;
  #theme: CanvasTheme = PRINTED;
  /** Size of the canvas, and scroll position of the lanes. */
  size: CanvasSize = { width: 1, height: 1, ratio: 1, scroll: 0 };
  #frame = 0;
  #isStale = false;
  /** The canvas that is printed instead, and a note about lanes that do not fit on paper. */
  readonly #paper: HTMLCanvasElement;
  readonly printed: HTMLElement;

  constructor(
    readonly scene: Scene,
    signal: AbortSignal,
    /** Called after each drawing of the events, with its duration in ms. */
    private readonly drawn: ((ms: number) => void) | undefined,
  ) {
    this.#lower = element('canvas', { 'aria-hidden': 'true' });
    this.canvas = element('canvas', {
      class: 'tl-canvas',
      tabindex: 0,
      role: 'application',
      'aria-roledescription': 'timeline',
      'aria-label': LABEL,
    });
    this.#paper = element('canvas', { class: 'tl-paper', 'aria-hidden': 'true' });
    this.printed = element('p', { class: 'tl-printed' });
    this.holder = element('div', { class: 'tl-stage' }, this.#lower, this.canvas, this.#paper);
    this.sheet = element('div', { class: 'tl-sheet' }, this.holder);
    this.body = element('div', { class: 'tl-body' }, this.sheet);
    const measuring = this.#context(this.canvas);
    const labels = new FittedLabels((text) => {
      measuring.font = FONT;
      return measuring.measureText(text).width;
    });
    this.#painter = new EventPainter(scene, labels);
    this.#overlay = new OverlayPainter(scene, labels, () => this.#painter.names);
    this.#fitHeight();
    this.#listen(signal);
  }

  /** Time in ns at a distance from the left edge of the canvas. @param x CSS pixels */
  timeAt(x: number): number {
    return timeAt(this.scene.shown.view, x, this.size.width);
  }

  /** Vertical position among the lanes at a distance from the top of the canvas; negative on the axis. */
  laneY(y: number): number {
    if (y < AXIS) return -1;
    return y - AXIS < this.scene.shown.pinned ? y - AXIS : y - AXIS + this.size.scroll;
  }

  /** Scrolls the lanes so that a band of them is visible. */
  reveal(top: number, height: number): void {
    const { scroll, height: canvasHeight } = this.size;
    const { pinned } = this.scene.shown;
    if (top < pinned) return;
    if (top < scroll + pinned) this.body.scrollTop = top - pinned;
    else if (top + height > scroll + canvasHeight - AXIS) this.body.scrollTop = top + height - canvasHeight + AXIS + 4;
  }

  #listen(signal: AbortSignal): void {
    const sized = new ResizeObserver(() => {
      if (!matchMedia('print').matches) this.resize();
    });
    sized.observe(this.body);
    const onScroll = (): void => {
      this.size = { ...this.size, scroll: this.body.scrollTop };
      this.#requestDraw(true);
    };
    this.body.addEventListener('scroll', onScroll, { signal });
    this.scene.watch((changed: SceneChanges) => {
      if (changed.has('closed') || changed.has('opened')) this.#fitHeight();
      this.#requestDraw(OF_EVENTS.some((key) => changed.has(key)));
    });
    watchTheme((isPrinted) => {
      // Printing does not wait for a frame, and paper has a different width.
      if (isPrinted) this.#print();
      else {
        this.#theme = readTheme(this.body);
        this.#requestDraw(true);
      }
    }, signal);
    signal.addEventListener('abort', () => {
      sized.disconnect();
      cancelAnimationFrame(this.#frame);
    });
  }

  #fitHeight(): void {
    this.sheet.style.height = `${AXIS + this.scene.layout.height + 8}px`;
    this.#pin();
  }

  /** Marks and devices stay visible while lanes scroll; only marks, when devices leave too little room for the others. */
  #pin(): void {
    const { devices, height, marks } = this.scene.layout;
    const room = this.body.clientHeight - AXIS;
    const pinned = devices > 0 && devices <= MOST_PINNED * room ? devices : marks;
    this.scene.set({ pinned: height > room ? pinned : 0 });
  }

  /** Fits the canvases to the room that they have. */
  resize(): void {
    const width = Math.max(1, this.holder.clientWidth);
    const height = Math.max(1, Math.min(this.body.clientHeight, this.sheet.clientHeight));
    const ratio = devicePixelRatio || 1;
    this.size = { width, height, ratio, scroll: this.body.scrollTop };
    for (const canvas of [this.#lower, this.canvas]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    this.holder.style.height = `${height}px`;
    this.#theme = readTheme(this.body);
    this.#pin();
    const band = this.scene.shown.event === null ? null : this.scene.bandOf(this.scene.shown.event);
    if (band !== null) this.reveal(band.top, band.height);
    // Resizing clears a canvas, so it must be drawn in the same frame.
    this.#draw(true);
  }

  /** @param isStale whether the events must be redrawn too */
  #requestDraw(isStale: boolean): void {
    this.#isStale ||= isStale;
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => this.#draw(this.#isStale));
  }

  #draw(withEvents: boolean): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#isStale = false;
    if (this.size.width <= 1) return;
    if (withEvents) {
      const began = performance.now();
      this.#painter.paint(this.#context(this.#lower, OPAQUE), this.size, this.#theme);
      this.drawn?.(performance.now() - began);
    }
    this.#overlay.paint(this.#context(this.canvas), this.size, this.#theme);
  }

  /**
   * Draws the current view on the canvas for printing: as many lanes, starting with the first, as fit on a sheet of paper.
   */
  #print(): void {
    const { layout } = this.scene;
    const names = this.body.clientWidth - this.holder.clientWidth;
    const all = AXIS + layout.height;
    const zoom = Math.max(LEAST_ZOOM, Math.min(1, PAPER_HEIGHT / all));
    const height = Math.min(all, PAPER_HEIGHT / zoom);
    const size = { width: Math.max(200, PAPER_WIDTH / zoom - names), height, ratio: 2, scroll: 0 };
    const above = element('canvas');
    for (const canvas of [this.#paper, above]) {
      canvas.width = size.width * size.ratio;
      canvas.height = size.height * size.ratio;
    }
    const context = this.#context(this.#paper);
    this.#painter.paint(context, size, PRINTED);
    this.#overlay.paint(this.#context(above), size, PRINTED);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(above, 0, 0);
    this.#paper.style.width = `${size.width}px`;
    this.#paper.style.height = `${size.height}px`;
    this.body.style.setProperty('--tl-paper', `${size.height * zoom}px`);
    this.body.style.setProperty('--tl-zoom', String(zoom));
    const printed = layout.lanes.filter((lane) => AXIS + lane.top + lane.height <= height).length;
    const rest = layout.lanes.length - printed;
    this.printed.textContent = rest > 0 ? `${rest} of ${layout.lanes.length} lanes do not fit on the page.` : '';
  }

  #context(canvas: HTMLCanvasElement, settings?: CanvasRenderingContext2DSettings): CanvasRenderingContext2D {
    const context = canvas.getContext('2d', settings);
    if (context === null) throw new Error('this browser does not support canvas');
    return context;
  }
}

const LABEL =
  'Timeline of events. Arrows or A and D move. Plus and minus or W and S zoom. 0 shows all. ' +
  'Shift with arrows selects the next event of the row or the nearest event of another row. M places a marker. ' +
  'X selects the visible span; comma, dot, < and > move its edges, and L adds a lane to it.';
