/** Drags that make a selection, and those that move its edges. */
import { AXIS, yOf } from '../draw/size.js';
import type { TimelineCanvas } from '../draw/stage.js';
import type { Scene } from '../model/scene.js';
import { edgeMoved, lanesBetween, selectedUnits, type TimelineSelection } from '../model/selection.js';

/** Distance at which the pointer takes hold of an edge, CSS pixels. */
const NEAR = 5;

/** Called with each further position, CSS pixels on the canvas. */
export type SelectionDrag = (x: number, y: number) => void;

type SelectionEdge = 'from' | 'to' | 'top' | 'bottom';

/** Heights on the canvas that the selection reaches, and those of the layout. */
interface SelectedHeights {
  readonly top: number;
  readonly bottom: number;
  readonly layoutTop: number;
  readonly layoutBottom: number;
}

export class SelectionDrags {
  constructor(
    private readonly scene: Scene,
    private readonly stage: TimelineCanvas,
  ) {}

  /** A new selection: from the axis of all lanes, else of those that the drag covers. */
  begin(x: number, y: number): SelectionDrag {
    const [start, top] = [this.#timeAt(x), this.#laneY(y)];
    return (toX, toY) => {
      const here = this.#timeAt(toX);
      const { layout, events } = this.scene;
      const lanes = y < AXIS ? null : lanesBetween(layout, events.lanes, top, this.#laneY(toY));
      this.scene.set({ span: { from: Math.min(start, here), to: Math.max(start, here), lanes } });
    };
  }

  /** Of the edge at a point; null where there is none. */
  ofEdge(x: number, y: number): SelectionDrag | null {
    const { span } = this.scene.shown;
    const edge = this.#edgeAt(x, y);
    const heights = span === null ? null : this.#heightsOf(span);
    if (span === null || edge === null || heights === null) return null;
    const { events, layout } = this.scene;
    if (edge === 'from' || edge === 'to')
      return (toX) => this.scene.set({ span: edgeMoved(span, edge, this.#timeAt(toX), events.span) });
    // The other edge stays: half a pixel inside of the lane that ends there.
    const other = edge === 'top' ? heights.layoutBottom - 0.5 : heights.layoutTop + 0.5;
    return (_, toY) => {
      const here = Math.max(0, this.#laneY(toY));
      const to = edge === 'top' ? Math.min(here, other) : Math.max(here, other);
      this.scene.set({ span: { ...span, lanes: lanesBetween(layout, events.lanes, to, other) } });
    };
  }

  /** Of the pointer at a point. */
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
    const isInHeight = y < AXIS || (heights !== null && y >= heights.top - NEAR && y <= heights.bottom + NEAR);
    if (isInHeight) {
      // Of a selection narrower than both reaches the nearer edge.
      const [fromLeft, fromRight] = [Math.abs(x - left), Math.abs(x - right)];
      if (Math.min(fromLeft, fromRight) <= NEAR) return fromLeft <= fromRight ? 'from' : 'to';
    }
    if (heights === null || span.lanes === null || x < left || x > right || y < AXIS) return null;
    if (Math.abs(y - heights.bottom) <= NEAR) return 'bottom';
    return Math.abs(y - heights.top) <= NEAR ? 'top' : null;
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
