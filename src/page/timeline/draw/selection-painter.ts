/** Paints spans of time over lanes: the selection, a wash with edges, and that of a collective operation, a dashed box. */
import type { Scene } from '../model/scene.js';
import { selectedUnits, type LaneUnit, type TimelineSelection } from '../model/selection.js';
import { AXIS, type CanvasSize } from './size.js';
import type { CanvasTheme } from './canvas-colours.js';

/** What one drawing needs. */
interface SpanFrame {
  readonly context: CanvasRenderingContext2D;
  readonly size: CanvasSize;
  readonly theme: CanvasTheme;
  /** CSS pixel of a time. */
  readonly at: (time: number) => number;
}

const WASH = 0.16;
/** Height of the grips at the middle of an edge, CSS pixels. */
const GRIP = 14;

/** Lengths of the dashes of a box and of the gaps between them, CSS pixels. */
const DASHES = [4, 3];

/** A box around all that the rank of an operation did while it was under way. */
export function paintOperation(scene: Scene, frame: SpanFrame): void {
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

/** CSS pixels of a span, at least one of them; null beyond the canvas. */
function extentOf({ size, at }: SpanFrame, span: TimelineSelection): Extent | null {
  const to = Math.max(at(span.to), at(span.from) + 1);
  const extent = { from: Math.max(-4, at(span.from)), to: Math.min(size.width + 4, to) };
  return extent.to < 0 || extent.from > size.width ? null : extent;
}

export function paintSelection(scene: Scene, frame: SpanFrame): void {
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
  // The axis has the time, whatever the lanes.
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
 * Paints each block of lanes that lie next to each other.
 * @param lanes keys of the lanes; null for all
 * @param paint takes the top of a block on the canvas, and its height
 */
function forBlocks(
  { events, layout, shown: { pinned } }: Scene,
  { context, size }: SpanFrame,
  lanes: ReadonlySet<string> | null,
  paint: (y: number, height: number) => void,
): void {
  const blocks = blocksOf(selectedUnits(layout, events.lanes, lanes));
  // A block may begin among the pinned lanes and go on below them: each part is clipped to its own area.
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

/** CSS pixels of the canvas. */
interface CanvasArea {
  readonly from: number;
  readonly to: number;
}

function clipTo(context: CanvasRenderingContext2D, { width }: CanvasSize, { from, to }: CanvasArea): void {
  context.beginPath();
  context.rect(0, from, width, Math.max(0, to - from));
  context.clip();
}

/** Units next to each other as one; the header of a group does not part those above and below it. */
function blocksOf(units: readonly LaneUnit[]): { top: number; height: number }[] {
  const blocks: { top: number; height: number }[] = [];
  for (const { top, height } of units) {
    const last = blocks.at(-1);
    if (last !== undefined && top - (last.top + last.height) < 1) last.height = top + height - last.top;
    else blocks.push({ top, height });
  }
  return blocks;
}
