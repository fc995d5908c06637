/** Shares over time as a row of cells: the more, the darker. */
import { element } from '../document/dom-elements.js';
import { readByKeys } from '../document/read-values.js';

/** @param label the row and its main figures */
export function density(
  shares: readonly number[],
  label: string,
  textOf: (share: number, at: number) => string,
): HTMLElement[] {
  const cells = shares.map((share, i) => {
    const cell = element('span', { title: textOf(share, i) });
    cell.style.setProperty('--share', String(share));
    return cell;
  });
  const place = element('div', { class: 'density' }, ...cells);
  const hide = (): void => place.querySelector('.read')?.classList.remove('read');
  const show = (at: number): string => {
    hide();
    cells[at]?.classList.add('read');
    return textOf(shares[at] ?? 0, at);
  };
  return [place, readByKeys(place, label, () => ({ count: cells.length, show, hide }))];
}
