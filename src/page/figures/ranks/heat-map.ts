/** A heat map of ranks and steps: each cell's colour shows its deviation from the median of its step. */
import { elementAt } from '../../../containers/element.js';
import { groupsOf } from '../../../containers/map-entry.js';
import type { PageJob } from '../../../prof/html/page-data.js';
import { median } from '../../../record/statistics.js';
import { replaceContents } from '../../charts/chart.js';
import type { CellGrid } from '../../document/arrow-keys.js';
import { button, element, scrolling } from '../../document/dom-elements.js';
import { keptSelect } from '../../document/kept-choice.js';
import { roveGrid } from '../../document/read-values.js';
import { quantityText } from '../../document/units.js';
import { csvButton } from '../sorted-table.js';
import { TableHeads, type TableColumn } from '../table-cells.js';
import { known } from './rank-comparison.js';

/** Deviation, as a share of the median, from which the colour is fully saturated. */
const FULL = 0.1;

type Rank = PageJob['ranks'][number];

/** Link targets of ranks. */
export interface JobLinks {
  /** Shows a rank at a step; null for its whole profile. */
  readonly open: (rank: Rank, step: number | null) => void;
  /**
   * Shows all ranks at a step; null for the whole time. The function is null when the page does not have timelines of
   * several ranks.
   */
  readonly openAll: ((step: number | null) => void) | null;
  /** A link to the matches of a condition in a rank's timeline; null when the page does not have that timeline. */
  readonly find: (rank: Rank, text: string, condition: string) => HTMLElement | null;
}

export function heatMaps({ ranks, steps, heat }: PageJob, links: JobLinks): HTMLElement {
  const holder = element('div', {});
  const show = (index: number): void => {
    replaceContents(holder, ...new HeatMap(elementAt(heat, index), ranks, steps, links).content);
  };
  const choices = heat.map(({ title }, index) => [index, title] as const);
  const choice = keptSelect('Colour by', 'heat', choices, 0, show);
  return element('div', {}, choice, holder);
}

/** The common value of rows that are compared with each other. */
const peersOf = ({ sharesRank, device }: Rank): number | null => (sharesRank ? device : null);

/** A map that can be sorted by its headers, with one tab stop for all of its cells. */
class HeatMap {
  readonly content: readonly HTMLElement[];
  readonly #body = element('tbody');
  /** Shows the value of the cell that has the focus, or is under the mouse. */
  readonly #said = element('p', { class: 'status' });
  readonly #heads: TableHeads<number>;
  readonly #columns: readonly TableColumn<number>[];
  /** Medians of the steps, for each row over the rows with which it is compared. */
  readonly #middles: ReadonlyMap<number | null, readonly (number | null)[]>;
  /** For each step, a button that shows all ranks at it. */
  readonly #openers: readonly HTMLElement[];
  #grid: CellGrid<HTMLElement> = [];
  #order: readonly number[] = [];

  constructor(
    private readonly map: PageJob['heat'][number],
    private readonly ranks: PageJob['ranks'],
    private readonly steps: PageJob['steps'],
    private readonly links: JobLinks,
  ) {
    const { title, unit, values } = map;
    const groups = groupsOf(values.entries(), ([row]) => peersOf(elementAt(ranks, row)));
    this.#middles = new Map(
      [...groups].map(([peers, rows]) => {
        // A device that shares a rank, and has no counterpart in another rank, is not compared.
        const isAlone = peers !== null && rows.length < 2;
        const middleOf = (column: number): number | null => median(known(rows.map(([, row]) => row[column] ?? null)));
        return [peers, steps.map((_, column) => (isAlone ? null : middleOf(column)))];
      }),
    );
    this.#columns = [
      { title: 'Rank', cell: (row) => ranks[row]?.name ?? null },
      ...steps.map((step, column): TableColumn<number> => ({
        title: step === null ? 'all' : String(step),
        ...{ unit, cell: (row: number) => values[row]?.[column] ?? null },
      })),
    ];
    // Cells have units, so the headers need none.
    const scales = this.#columns.map(() => null);
    this.#heads = new TableHeads(this.#columns, scales, null, () => this.#show());
    const caption = `${title} by rank and step`;
    this.#openers = links.openAll === null ? [] : openersOf(steps, links.openAll);
    const made = element(
      'table',
      { class: 'heat', 'aria-label': caption },
      ...[element('thead', {}, this.#heads.row), this.#body, openerRow(this.#openers)],
    );
    const copy = csvButton(caption, this.#columns, () => this.#order);
    this.#show();
    roveGrid(made, () => this.#grid);
    this.content = [scrolling('Ranks and steps', made), element('div', { class: 'beneath' }, this.#said, copy)];
  }

  #show(): void {
    this.#order = this.#heads.inOrder([...this.ranks.keys()], (row) => row);
    const rows = this.#order.map((row) => this.#row(row));
    const openers = this.#openers.length === 0 ? [] : [[null, ...this.#openers]];
    this.#grid = [[...this.#heads.row.querySelectorAll('button')], ...rows.map(({ stops }) => stops), ...openers];
    for (const stop of [...rows.flatMap(({ stops }) => stops), ...this.#openers]) if (stop !== null) stop.tabIndex = -1;
    this.#body.replaceChildren(...rows.map(({ made }) => made));
  }

  #row(row: number): { readonly made: HTMLElement; readonly stops: (HTMLElement | null)[] } {
    const rank = elementAt(this.ranks, row);
    const { name, isLate, profile } = rank;
    const open = (): void => this.links.open(rank, null);
    const named = profile === null ? name : button(name, open, { class: 'link' });
    const mark = isLate ? [element('span', { class: 'deviation', title: 'late beyond chance' }, ' ▲ late')] : [];
    const cells = this.steps.map((step, column) => this.#cell(rank, row, step, column));
    const head = element('th', { scope: 'row' }, named, ...mark);
    return {
      made: element('tr', {}, head, ...cells.map(({ cell }) => cell)),
      stops: [typeof named === 'string' ? null : named, ...cells.map(({ stop }) => stop)],
    };
  }

  #cell(rank: Rank, row: number, step: number | null, column: number): Record<'cell' | 'stop', HTMLElement> {
    const { unit, values } = this.map;
    const value = values[row]?.[column] ?? null;
    const middle = this.#middles.get(peersOf(rank))?.[column] ?? null;
    const part = value === null || middle === null || middle === 0 ? null : value / middle - 1;
    const distance = part === null ? '' : `, ${part < 0 ? '−' : '+'}${quantityText(Math.abs(part), 'share')}`;
    const text = `${rank.name}, step ${step ?? 'all'}: ${quantityText(value, unit)}${distance}`;
    const shown = { title: text, 'aria-label': text };
    const stop =
      rank.profile === null
        ? element('span', { ...shown, role: 'img' })
        : button('', () => this.links.open(rank, step), shown);
    for (const kind of ['focus', 'pointerenter'] as const) {
      stop.addEventListener(kind, () => {
        this.#said.textContent = text;
      });
    }
    const cell = element('td', { class: part === null ? 'unknown' : part < 0 ? 'less' : 'more' }, stop);
    cell.style.setProperty('--heat', String(Math.min(1, Math.abs(part ?? 0) / FULL)));
    return { cell, stop };
  }
}

/** A button for each step that shows all ranks at it. */
function openersOf(steps: PageJob['steps'], open: (step: number | null) => void): HTMLElement[] {
  return steps.map((step) => {
    const title = step === null ? 'All ranks in the timeline' : `All ranks at step ${step} in the timeline`;
    return button('all', () => open(step), { class: 'link', title, 'aria-label': title });
  });
}

function openerRow(openers: readonly HTMLElement[]): HTMLElement {
  if (openers.length === 0) return element('tfoot');
  const cells = openers.map((opener) => element('td', {}, opener));
  return element('tfoot', {}, element('tr', {}, element('th', { scope: 'row' }, 'All ranks'), ...cells));
}
