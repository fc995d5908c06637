/** Pointer and wheel gestures on the canvas of a timeline, including drags that make a selection or move its edges. */
import { bandAt } from '../model/layout.js';
import type { Scene } from '../model/scene.js';
import type { TimelineCanvas } from '../draw/stage.js';
import { AXIS, yOf } from '../draw/pixels.js';
import { edgeMoved, lanesBetween, selectedUnits, type TimelineSelection } from '../model/selection.js';
import { panned, zoomed, type View } from '../model/view.js';

/** Distance in CSS pixels at which the pointer grabs an edge. */
const EDGE_REACH = 5;

/** Called with each further position, in CSS pixels on the canvas. */
type SelectionDrag = (x: number, y: number) => void;

type SelectionEdge = 'from' | 'to' | 'top' | 'bottom';

/** Vertical range of the selection on the canvas, and in the layout. */
interface SelectedHeights {
  readonly top: number;
  readonly bottom: number;
  readonly layoutTop: number;
  readonly layoutBottom: number;
}

/** Drags that make a selection, and drags that move its edges. */
class SelectionDrags {
  constructor(
    private readonly scene: Scene,
    private readonly stage: TimelineCanvas,
  ) {}

  /** Starts a new selection: of all lanes if the drag starts on the axis, else of the lanes that it covers. */
  begin(x: number, y: number): SelectionDrag {
    const [start, top] = [this.#timeAt(x), this.#laneY(y)];
    return (toX, toY) => {
      const here = this.#timeAt(toX);
      const { layout, events } = this.scene;
      const lanes = y < AXIS ? null : lanesBetween(layout, events.lanes, top, this.#laneY(toY));
      this.scene.set({ span: { from: Math.min(start, here), to: Math.max(start, here), lanes } });
    };
  }

  /** A drag of the edge at a point; null when there is none. */
  ofEdge(x: number, y: number): SelectionDrag | null {
    const { span } = this.scene.shown;
    const edge = this.#edgeAt(x, y);
    const heights = span === null ? null : this.#heightsOf(span);
    if (span === null || edge === null || heights === null) return null;
    const { events, layout } = this.scene;
    if (edge === 'from' || edge === 'to')
      return (toX) => this.scene.set({ span: edgeMoved(span, edge, this.#timeAt(toX), events.span) });
    // The other edge stays: half a pixel inside the lane that ends there.
    const other = edge === 'top' ? heights.layoutBottom - 0.5 : heights.layoutTop + 0.5;
    return (_, toY) => {
      const here = Math.max(0, this.#laneY(toY));
      const to = edge === 'top' ? Math.min(here, other) : Math.max(here, other);
      this.scene.set({ span: { ...span, lanes: lanesBetween(layout, events.lanes, to, other) } });
    };
  }

  /** The CSS cursor at a point. */
  cursorAt(x: number, y: number): string {
    const edge = this.#edgeAt(x, y);
    return edge === null ? '' : edge === 'from' || edge === 'to' ? 'ew-resize' : 'ns-resize';
  }

  #edgeAt(x: number, y: number): SelectionEdge | null {
    const { span, view } = this.scene.shown;
    if (span === null) return null;
    const heights = this.#heightsOf(span);
    const { width } = this.stage.size;
    const at = (time: number): number => ((time - view.from) / (view.to - view.from)) * width;
    const [left, right] = [at(span.from), at(span.to)];
    const isInHeight =
      y < AXIS || (heights !== null && y >= heights.top - EDGE_REACH && y <= heights.bottom + EDGE_REACH);
    if (isInHeight) {
      // When both edges of a narrow selection are in reach, the nearer one is taken.
      const [fromLeft, fromRight] = [Math.abs(x - left), Math.abs(x - right)];
      if (Math.min(fromLeft, fromRight) <= EDGE_REACH) return fromLeft <= fromRight ? 'from' : 'to';
    }
    if (heights === null || span.lanes === null || x < left || x > right || y < AXIS) return null;
    if (Math.abs(y - heights.bottom) <= EDGE_REACH) return 'bottom';
    return Math.abs(y - heights.top) <= EDGE_REACH ? 'top' : null;
  }

  #heightsOf({ lanes }: TimelineSelection): SelectedHeights | null {
    const { layout, events, shown } = this.scene;
    const { size } = this.stage;
    if (lanes === null) return { top: AXIS, bottom: size.height, layoutTop: 0, layoutBottom: layout.height };
    const units = selectedUnits(layout, events.lanes, lanes);
    const [first, last] = [units[0], units.at(-1)];
    if (first === undefined || last === undefined) return null;
    const bottom = yOf(last.top, size, shown.pinned) + last.height;
    return {
      top: yOf(first.top, size, shown.pinned),
      bottom,
      layoutTop: first.top,
      layoutBottom: last.top + last.height,
    };
  }

  #timeAt(x: number): number {
    return this.stage.timeAt(Math.max(0, Math.min(this.stage.size.width, x)));
  }

  #laneY(y: number): number {
    return this.stage.laneY(Math.max(AXIS, Math.min(this.stage.size.height, y)));
  }
}

/** Shorter movements, in CSS pixels, are clicks. */
const STILL = 3;
/** Distance in CSS pixels at which the pointer still hits an event. */
const EVENT_REACH = 3;
const LINE_HEIGHT = 16;

interface PointerDrag {
  readonly x: number;
  readonly y: number;
  readonly view: View;
  readonly scroll: number;
  /** Null when dragging moves the view. */
  readonly selecting: SelectionDrag | null;
  /** Whether it makes a new selection; a click instead of a drag then removes the existing one. */
  readonly isNew: boolean;
  /** The selection before a drag along the axis, which zooms to the time that it covers. */
  readonly zoom: { readonly before: TimelineSelection | null } | null;
  moved: boolean;
}

/** Two fingers: their distance, the view, and the time between them when the second one touched. */
interface TouchPinch {
  readonly distance: number;
  readonly view: View;
  readonly at: number;
}

export class PointerGestures {
  #drag: PointerDrag | null = null;
  /** Horizontal positions of fingers, by pointer id. */
  readonly #fingers = new Map<number, number>();
  #pinch: TouchPinch | null = null;
  readonly #selections: SelectionDrags;

  constructor(
    readonly scene: Scene,
    readonly stage: TimelineCanvas,
    signal: AbortSignal,
  ) {
    this.#selections = new SelectionDrags(scene, stage);
    const { canvas } = stage;
    canvas.addEventListener('wheel', this.#wheel, { signal, passive: false });
    canvas.addEventListener('pointerdown', this.#down, { signal });
    canvas.addEventListener('pointermove', this.#move, { signal });
    canvas.addEventListener('pointerup', this.#up, { signal });
    canvas.addEventListener('pointercancel', this.#end, { signal });
    canvas.addEventListener('pointerleave', this.#leave, { signal });
  }

  /** The wheel zooms with ctrl, or when the timeline has the focus; otherwise it scrolls the page. */
  readonly #wheel = (event: WheelEvent): void => {
    const { view } = this.scene.shown;
    const { span } = this.scene.events;
    const scale = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_HEIGHT : 1;
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const isZoom = event.ctrlKey || event.metaKey || document.activeElement === this.stage.canvas;
    if (!isSideways && !isZoom) return;
    event.preventDefault();
    if (isSideways && !event.ctrlKey) {
      const pixels = (event.deltaX || event.deltaY) * scale;
      this.scene.look(panned(view, (pixels / this.stage.size.width) * (view.to - view.from), span));
    } else {
      const factor = Math.exp(-Math.max(-200, Math.min(200, event.deltaY * scale)) / 300);
      this.scene.look(zoomed(view, factor, this.stage.timeAt(event.offsetX), span));
    }
  };

  readonly #down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const { offsetX: x, offsetY: y } = event;
    this.stage.canvas.setPointerCapture(event.pointerId);
    if (event.pointerType === 'touch') this.#fingers.set(event.pointerId, x);
    const { view, spanning } = this.scene.shown;
    const [a, b] = this.#fingers.values();
    if (a !== undefined && b !== undefined) {
      this.#pinch ??= { distance: Math.abs(a - b), view, at: this.stage.timeAt((a + b) / 2) };
      this.#drag = null;
      return;
    }
    const isNew = event.shiftKey || spanning;
    const edge = isNew ? null : this.#selections.ofEdge(x, y);
    const zoom = isNew || edge !== null || y >= AXIS ? null : { before: this.scene.shown.span };
    const selecting = isNew || zoom !== null ? this.#selections.begin(x, y) : edge;
    this.#drag = { x, y, view, scroll: this.stage.body.scrollTop, selecting, isNew, zoom, moved: false };
  };

  readonly #move = (event: PointerEvent): void => {
    const { offsetX: x, offsetY: y } = event;
    if (this.#fingers.has(event.pointerId)) this.#fingers.set(event.pointerId, x);
    if (this.#pinch !== null) this.#zoomBy(this.#pinch);
    else if (this.#drag !== null) this.#dragTo(this.#drag, x, y);
    else {
      this.stage.canvas.style.cursor = this.#selections.cursorAt(x, y);
      this.scene.set({ hovered: this.#eventAt(x, y), pointer: this.stage.timeAt(x) });
    }
  };

  #zoomBy({ distance, view, at }: TouchPinch): void {
    const [a, b] = this.#fingers.values();
    if (a === undefined || b === undefined) return;
    const factor = Math.max(10, Math.abs(a - b)) / Math.max(10, distance);
    this.scene.look(zoomed(view, factor, at, this.scene.events.span));
  }

  #dragTo(drag: PointerDrag, x: number, y: number): void {
    drag.moved ||= Math.abs(x - drag.x) > STILL || Math.abs(y - drag.y) > STILL;
    if (!drag.moved) return;
    this.scene.set({ hovered: null });
    if (drag.selecting !== null) {
      drag.selecting(x, y);
      return;
    }
    const { view } = drag;
    const by = ((drag.x - x) / this.stage.size.width) * (view.to - view.from);
    this.scene.set({ view: panned(view, by, this.scene.events.span) });
    this.stage.body.scrollTop = drag.scroll + drag.y - y;
  }

  readonly #up = (event: PointerEvent): void => {
    const { offsetX: x, offsetY: y } = event;
    if (this.#drag?.moved === false) {
      if (this.#drag.isNew) this.scene.set({ span: null });
      else this.scene.set({ event: this.#eventAt(x, y) });
    }
    const span = (this.#drag?.zoom ?? null) !== null && this.#drag?.moved === true ? this.scene.shown.span : null;
    this.#end(event);
    if (span !== null && span.to > span.from) this.scene.look({ from: span.from, to: span.to });
  };

  readonly #end = ({ pointerId }: PointerEvent): void => {
    this.#fingers.delete(pointerId);
    const zoom = this.#drag?.moved === true ? this.#drag.zoom : null;
    if (zoom !== null) this.scene.set({ span: zoom.before });
    this.#drag = null;
    if (this.#fingers.size < 2) this.#pinch = null;
  };

  readonly #leave = (): void => this.scene.set({ hovered: null, pointer: null });

  #eventAt(x: number, y: number): number | null {
    const band = bandAt(this.scene.layout, this.stage.laneY(y));
    const { view } = this.scene.shown;
    const near = (EVENT_REACH * (view.to - view.from)) / this.stage.size.width;
    return this.scene.eventAt(band, this.stage.timeAt(x), near);
  }
}
