/** Targets of arrow keys in a list of values and in a grid. */

/** Number of PageUp or PageDown steps across all values. */
const PAGES = 10;

/** The index to which a key moves; null for other keys. */
export function nextValue(key: string, at: number | null, count: number): number | null {
  const page = Math.max(1, Math.round(count / PAGES));
  const before = at ?? -1;
  const to: Readonly<Record<string, number>> = {
    ...{ ArrowRight: before + 1, ArrowDown: before + 1, ArrowLeft: (at ?? 1) - 1, ArrowUp: (at ?? 1) - 1 },
    ...{ PageDown: before + page, PageUp: (at ?? 0) - page, Home: 0, End: count - 1 },
  };
  const wanted = to[key];
  return wanted === undefined || count === 0 ? null : Math.min(count - 1, Math.max(0, wanted));
}

/** Rows of focusable cells; null for a cell that is not focusable. */
export type CellGrid<Cell> = readonly (readonly (Cell | null)[])[];

interface GridPlace {
  readonly row: number;
  readonly column: number;
}

const STEPS: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ...{ ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] },
};

/** Null for an element that is not in the grid. */
export function gridPlaceOf<Cell>(grid: CellGrid<Cell>, target: unknown): GridPlace | null {
  for (const [row, cells] of grid.entries()) {
    const column = cells.findIndex((cell) => cell !== null && cell === target);
    if (column >= 0) return { row, column };
  }
  return null;
}

/** The cell to which a key moves from a place; null when there is none. */
export function cellTowards<Cell>(grid: CellGrid<Cell>, { row, column }: GridPlace, key: string): Cell | null {
  const cells = grid[row] ?? [];
  if (key === 'Home') return cells.find((cell) => cell !== null) ?? null;
  if (key === 'End') return cells.findLast((cell) => cell !== null) ?? null;
  const step = STEPS[key];
  if (step === undefined) return null;
  const [down, right] = step;
  let [y, x] = [row + down, column + right];
  while (grid[y]?.[x] === null) [y, x] = [y + down, x + right];
  return grid[y]?.[x] ?? null;
}
