/** Paints the selection: a wash over its time on its lanes, and its edges. */
import type { Scene } from '../model/scene.js';
import { selectedUnits, type LaneUnit } from '../model/selection.js';
import { AXIS, type CanvasSize } from './size.js';
import type { CanvasTheme } from './canvas-colours.js';

/** What one drawing needs. */
interface SelectionFrame {
  readonly context: CanvasRenderingContext2D;
  readonly size: CanvasSize;
  readonly theme: CanvasTheme;
  /** CSS pixel of a time. */
  readonly at: (time: number) => number;
}

const WASH = 0.16;
/** Height of the grips at the middle of an edge, CSS pixels. */
const GRIP = 14;

export function paintSelection({ events, layout, shown }: Scene, { context, size, theme, at }: SelectionFrame): void {
  const { span, pinned } = shown;
  if (span === null) return;
  const from = Math.max(-4, at(span.from));
  const to = Math.min(size.width + 4, Math.max(at(span.to), at(span.from) + 1));
  if (to < 0 || from > size.width) return;
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
  const blocks = blocksOf(selectedUnits(layout, events.lanes, span.lanes));
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
      const y = area.zero + top;
      wash(y, y + height);
      edges(y, y + height);
      for (const edge of [y, y + height - 1]) context.fillRect(from, edge, to - from, 1);
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
