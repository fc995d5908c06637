/** Paints the row of marks below the axis: steps as bars at its foot, all others above them. */
import { elementAt } from '../../../containers/element.js';
import type { TimelineMark } from '../../../prof/html/timeline/timeline-data.js';
import type { Scene } from '../model/scene.js';
import { FULL, styleOf, type CanvasTheme } from './canvas-colours.js';
import { AXIS, yOf, type CanvasSize, type PixelGrid } from './size.js';

/** CSS pixels. */
const STEP_HEIGHT = 5;
const LEAST_WIDTH = 3;
const STEP_GAP = 1;

interface MarkFrame {
  readonly context: CanvasRenderingContext2D;
  readonly size: CanvasSize;
  readonly theme: CanvasTheme;
  readonly grid: PixelGrid;
}

/** Slots of the palette: kinds differ in colour, and the text of each mark is in its tooltip and in the list. */
const SLOTS: Readonly<Record<Exclude<TimelineMark['kind'], 'step'>, number>> = {
  throttling: 0,
  missing: 1,
  cut: 3,
  gap: 4,
  advice: 5,
};

const fillOf = (theme: CanvasTheme, kind: TimelineMark['kind']): string =>
  kind === 'step' ? theme.quiet : elementAt(theme.fills, styleOf(SLOTS[kind], FULL));

export class MarkPainter {
  constructor(readonly scene: Scene) {}

  paint({ context, size, theme, grid }: MarkFrame): void {
    const { marks: height } = this.scene.layout;
    if (height === 0) return;
    const top = yOf(0, size, this.scene.shown.pinned);
    if (top + height <= AXIS) return;
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    context.fillStyle = theme.line;
    context.fillRect(0, top + height - 1, size.width, 1);
    // A mark that lies within another is drawn over it, the shortest last.
    const inView = this.scene.extras.marks
      .map((mark) => ({ mark, from: grid.x(mark.start) / size.ratio, to: grid.x(mark.end) / size.ratio }))
      .filter(({ from, to }) => to >= -LEAST_WIDTH && from <= size.width)
      .sort((a, b) => b.to - b.from - (a.to - a.from));
    for (const { mark, from, to } of inView) {
      const isStep = mark.kind === 'step';
      const left = Math.max(-1, from);
      const width = Math.max(LEAST_WIDTH, Math.min(size.width + 1, to) - left - (isStep ? STEP_GAP : 0));
      const y = isStep ? top + height - 2 - STEP_HEIGHT : top + 2;
      context.fillStyle = fillOf(theme, mark.kind);
      context.fillRect(left, y, width, isStep ? STEP_HEIGHT : height - 5 - STEP_HEIGHT);
    }
  }
}
