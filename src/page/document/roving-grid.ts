/** A grid of buttons as one stop of Tab: arrows lead from one to the next, as in any grid. */
import { cellTowards, gridPlaceOf, type CellGrid } from './arrow-keys.js';

type FocusGrid = CellGrid<HTMLElement>;

/** @param grid asked for at each key: it may be in another order then */
export function roveGrid(place: HTMLElement, grid: () => FocusGrid): void {
  const cells = grid()
    .flat()
    .filter((cell) => cell !== null);
  let stop = cells.find((cell) => cell.tabIndex === 0) ?? cells[0];
  for (const cell of cells) cell.tabIndex = cell === stop ? 0 : -1;
  place.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement) || gridPlaceOf(grid(), target) === null) return;
    if (stop !== undefined) stop.tabIndex = -1;
    stop = target;
    target.tabIndex = 0;
  });
  place.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = gridPlaceOf(grid(), event.target);
    const next = at === null ? null : cellTowards(grid(), at, event.key);
    if (next === null) return;
    event.preventDefault();
    next.focus();
  });
}
