/** The pointer and the wheel over a timeline. */
import { bandAt } from '../model/layout.js';
import type { Scene } from '../draw/scene.js';
import type { TimelineCanvas } from '../draw/stage.js';
import { panned, zoomed, type View } from '../model/view.js';

/** CSS pixels: less is a click. */
const STILL = 3;
/** CSS pixels beside an event that still mean it. */
const NEAR = 3;
const LINE_HEIGHT = 16;

interface PointerDrag {
  readonly x: number;
  readonly y: number;
  readonly view: View;
  readonly scroll: number;
  /** ns where a span begins; null moves the view. */
  readonly spanFrom: number | null;
  moved: boolean;
}

/** Two fingers: their distance, the view and the time between them when the second came. */
interface TouchPinch {
  readonly distance: number;
  readonly view: View;
  readonly at: number;
}

/** Where a pointer is, CSS pixels from the canvas's corner. */
const placeOf = ({ offsetX, offsetY }: MouseEvent): readonly [number, number] => [offsetX, offsetY];

export class PointerGestures {
  #drag: PointerDrag | null = null;
  /** Places of fingers, from the left. */
  readonly #fingers = new Map<number, number>();
  #pinch: TouchPinch | null = null;

  constructor(
    readonly scene: Scene,
    readonly stage: TimelineCanvas,
    signal: AbortSignal,
  ) {
    const { canvas } = stage;
    canvas.addEventListener('wheel', (event) => { this.#wheel(event); }, { signal, passive: false }); // prettier-ignore
    canvas.addEventListener('pointerdown', (event) => { this.#down(event); }, { signal }); // prettier-ignore
    canvas.addEventListener('pointermove', (event) => { this.#move(event); }, { signal }); // prettier-ignore
    canvas.addEventListener('pointerup', (event) => { this.#up(event); }, { signal }); // prettier-ignore
    canvas.addEventListener('pointercancel', (event) => { this.#end(event); }, { signal }); // prettier-ignore
    canvas.addEventListener('pointerleave', () => { scene.set({ hovered: null, pointer: null }); }, { signal }); // prettier-ignore
  }

  /** With ctrl, or where the timeline has the focus, the wheel zooms; else it scrolls the page as anywhere. */
  #wheel(event: WheelEvent): void {
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
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const [x, y] = placeOf(event);
    this.stage.canvas.setPointerCapture(event.pointerId);
    if (event.pointerType === 'touch') this.#fingers.set(event.pointerId, x);
    const { view, spanning } = this.scene.shown;
    if (this.#fingers.size === 2) {
      const [a = 0, b = 0] = this.#fingers.values();
      this.#pinch = { distance: Math.abs(a - b), view, at: this.stage.timeAt((a + b) / 2) };
      this.#drag = null;
      return;
    }
    const spanFrom = event.shiftKey || spanning ? this.stage.timeAt(x) : null;
    this.#drag = { x, y, view, scroll: this.stage.body.scrollTop, spanFrom, moved: false };
  }

  #move(event: PointerEvent): void {
    const [x, y] = placeOf(event);
    if (this.#fingers.has(event.pointerId)) this.#fingers.set(event.pointerId, x);
    if (this.#pinch !== null) this.#pinched(this.#pinch);
    else if (this.#drag !== null) this.#dragged(this.#drag, x, y);
    else this.scene.set({ hovered: this.#eventAt(x, y), pointer: this.stage.timeAt(x) });
  }

  #pinched({ distance, view, at }: TouchPinch): void {
    const [a = 0, b = 0] = this.#fingers.values();
    const factor = Math.max(10, Math.abs(a - b)) / Math.max(10, distance);
    this.scene.look(zoomed(view, factor, at, this.scene.events.span));
  }

  #dragged(drag: PointerDrag, x: number, y: number): void {
    drag.moved ||= Math.abs(x - drag.x) > STILL || Math.abs(y - drag.y) > STILL;
    if (!drag.moved) return;
    if (drag.spanFrom !== null) {
      const here = this.stage.timeAt(Math.max(0, Math.min(this.stage.size.width, x)));
      this.scene.set({ span: { from: Math.min(drag.spanFrom, here), to: Math.max(drag.spanFrom, here) } });
      return;
    }
    const { view } = drag;
    const by = ((drag.x - x) / this.stage.size.width) * (view.to - view.from);
    this.scene.set({ view: panned(view, by, this.scene.events.span), hovered: null });
    this.stage.body.scrollTop = drag.scroll + drag.y - y;
  }

  #up(event: PointerEvent): void {
    const [x, y] = placeOf(event);
    if (this.#drag?.moved === false) {
      if (this.#drag.spanFrom !== null) this.scene.set({ span: null });
      else this.scene.set({ event: this.#eventAt(x, y) });
    }
    this.#end(event);
  }

  #end({ pointerId }: PointerEvent): void {
    this.#fingers.delete(pointerId);
    this.#drag = null;
    if (this.#fingers.size < 2) this.#pinch = null;
  }

  #eventAt(x: number, y: number): number | null {
    const band = bandAt(this.scene.layout, this.stage.laneY(y));
    const { view } = this.scene.shown;
    const near = (NEAR * (view.to - view.from)) / this.stage.size.width;
    return this.scene.eventAt(band, this.stage.timeAt(x), near);
  }
}
