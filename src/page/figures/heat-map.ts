/** A heat map of ranks and steps: each cell's colour is its distance from the median of its step. */
import { elementAt } from '../../containers/element.js';
import type { PageJob } from '../../prof/html/page-data.js';
import { median } from '../../record/statistics.js';
import { replaceContents } from '../charts/chart.js';
import { button, element, scrolling, select } from '../document/dom-elements.js';
import { quantityText } from '../document/units.js';
import { known } from './rank-comparison.js';

/** From this distance on the colour is full, a share of the median. */
const FULL = 0.1;

/** Shows a rank at a step; null for one whose profile is not known. */
type OpenCell = (rank: PageJob['ranks'][number], step: number | null) => void;

/** Shows all ranks at a step; null for the whole profile. */
type OpenStep = (step: number | null) => void;

/** What cells and heads of columns lead to; without a timeline heads lead nowhere. */
export interface HeatLinks {
  readonly cell: OpenCell;
  readonly step: OpenStep | null;
}

export function heatMaps({ ranks, steps, heat }: PageJob, links: HeatLinks): HTMLElement {
  const holder = element('div', {});
  const show = (index: number): void => {
    replaceContents(holder, scrolling('Ranks and steps', mapOf(elementAt(heat, index), ranks, steps, links)));
  };
  show(0);
  const choice = select(
    'Colour by',
    heat.map(({ title }, index) => [index, title] as const),
    0,
    show,
  );
  return element('div', {}, choice, holder);
}

function mapOf(
  { title, unit, values }: PageJob['heat'][number],
  ranks: PageJob['ranks'],
  steps: PageJob['steps'],
  links: HeatLinks,
): HTMLElement {
  const middles = steps.map((_, column) => median(known(values.map((row) => row[column] ?? null))));
  const heads = steps.map((step) => element('th', { scope: 'col' }, headOf(step, links.step)));
  const rows = ranks.map((rank, row) => {
    const { name, isLate } = rank;
    const cells = steps.map((step, column) => {
      const value = values[row]?.[column] ?? null;
      const middle = middles[column] ?? null;
      const part = value === null || middle === null || middle === 0 ? null : value / middle - 1;
      const distance = part === null ? '' : `, ${part < 0 ? '−' : '+'}${quantityText(Math.abs(part), 'share')}`;
      const text = `${name}, step ${step ?? 'all'}: ${quantityText(value, unit)}${distance}`;
      const cell = element('td', { class: part === null ? 'unknown' : part < 0 ? 'less' : 'more' });
      cell.style.setProperty('--heat', String(Math.min(1, Math.abs(part ?? 0) / FULL)));
      const shown = { title: text, 'aria-label': text };
      cell.append(
        rank.profile === null
          ? element('span', { ...shown, role: 'img' })
          : button('', () => links.cell(rank, step), shown),
      );
      return cell;
    });
    const mark = isLate ? [element('span', { class: 'deviation', title: 'late beyond chance' }, ' ▲ late')] : [];
    return element('tr', {}, element('th', { scope: 'row' }, name, ...mark), ...cells);
  });
  return element(
    'table',
    { class: 'heat', 'aria-label': `${title} by rank and step` },
    element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, title), ...heads)),
    element('tbody', {}, ...rows),
  );
}

function headOf(step: number | null, open: OpenStep | null): HTMLElement | string {
  const text = step === null ? 'all' : String(step);
  if (open === null) return text;
  const title = step === null ? 'All ranks in the timeline' : `All ranks at step ${step} in the timeline`;
  const made = button(text, () => open(step), { title, 'aria-label': title });
  made.className = 'link';
  return made;
}
