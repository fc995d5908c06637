/** Kernels by time and by launches: the longest as bars, all in a table. */
import type { KernelTotal } from '../../prof/html/page-data.js';
import { elementAt } from '../../containers/element.js';
import { element } from '../document/dom-elements.js';
import { sortedRows } from '../figures/table-sort.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { swatch } from '../figures/strip.js';
import { table, type TableColumn } from '../figures/sorted-table.js';
import { quantityText } from '../document/units.js';

interface KernelRow extends KernelTotal {
  readonly at: number;
}

const TOP = 15;
/** Times of single launches have a scale of their own: they are far smaller than sums. */
const SINGLE = { group: 'single' };

/** Bars of one quantity, the longest first. */
function bars(title: string, rows: readonly KernelRow[], quantity: 'time' | 'count', colour: string): HTMLElement {
  const ordered = sortedRows(rows, (row) => row[quantity], true).slice(0, TOP);
  const most = elementAt(ordered, 0)[quantity];
  const column: TableColumn<KernelRow> = {
    title: quantity === 'time' ? 'Time' : 'Launches',
    unit: quantity === 'time' ? 'ns' : 'count',
    cell: (row) => row[quantity],
    field: ({ at }) => `kernels.shown.${at}.${quantity}`,
    bar: (row) => (most > 0 ? row[quantity] / most : 0),
  };
  const columns = [{ title: 'Kernel', cell: ({ name }: KernelRow) => name }, column];
  const made = table({ caption: title, columns, rows: ordered, sortedBy: null });
  made.classList.add('bars');
  made.style.setProperty('--bar', colour);
  return element('section', {}, element('h3', {}, swatch(colour), title), made);
}

function columnsOf(view: PanelView): TableColumn<KernelRow>[] {
  const { overview } = view.profile;
  const all = overview.kernels?.time ?? 0;
  const number = (
    title: string,
    unit: 'ns' | 'count',
    key: 'time' | 'count' | 'max' | 'min',
  ): TableColumn<KernelRow> => ({
    title,
    unit,
    ...(key === 'max' || key === 'min' ? SINGLE : {}),
    cell: (row) => row[key],
    field: ({ at }) => `kernels.shown.${at}.${key}`,
  });
  return [
    { title: 'Kernel', cell: ({ name }) => name },
    number('Time', 'ns', 'time'),
    {
      title: 'Share',
      unit: 'share',
      cell: ({ time }) => (all > 0 ? time / all : null),
      field: ({ at }) => `kernels.shown.${at}.time / overview.kernels.time`,
      bar: ({ time }) => (all > 0 ? time / all : null),
    },
    number('Launches', 'count', 'count'),
    {
      title: 'Mean',
      unit: 'ns',
      ...SINGLE,
      cell: ({ time, count }) => (count > 0 ? time / count : null),
      field: ({ at }) => `kernels.shown.${at}.time / kernels.shown.${at}.count`,
    },
    number('Least', 'ns', 'min'),
    number('Most', 'ns', 'max'),
    { title: 'On matrix unit', unit: 'share', cell: ({ tc }) => tc, field: ({ at }) => `kernels.shown.${at}.tc` },
  ];
}

function make(view: PanelView): PanelContent {
  const { shown, count, restTime } = view.profile.kernels;
  if (shown.length === 0) return 'The profile holds no kernels.';
  const rows = shown.map((kernel, at) => ({ ...kernel, at }));
  const rest = count - shown.length;
  const note = `${rest} further kernels, ${quantityText(restTime, 'ns')} together, are not on this page.`;
  return [
    element(
      'div',
      { class: 'pair' },
      bars(`Top ${Math.min(TOP, rows.length)} by time`, rows, 'time', 'var(--compute)'),
      bars(`Top ${Math.min(TOP, rows.length)} by launches`, rows, 'count', 'var(--idle-queue)'),
    ),
    element('h3', {}, rest > 0 ? `The first ${shown.length} of ${count} kernels` : `All ${count} kernels`),
    table({ caption: 'Kernels', columns: columnsOf(view), rows, sortedBy: 1, filtered: true }),
    ...(rest > 0 ? [element('p', { class: 'note' }, note)] : []),
  ];
}

export const KERNELS: Panel = { id: 'kernels', title: 'Kernels', width: 6, make };
