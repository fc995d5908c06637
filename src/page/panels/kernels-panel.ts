/** Kernels by time and by launches: the first as bars, all in a table. */
import type { KernelTotal } from '../../prof/html/page-data.js';
import { element } from '../document/element.js';
import { sortedRows } from '../document/table-sort.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { swatch } from '../charts/strip.js';
import { table, type TableColumn } from '../document/sorted-table.js';
import { written } from '../document/units.js';

interface KernelRow extends KernelTotal {
  readonly at: number;
}

const TOP = 15;
/** Times of one launch are far smaller than those of all. */
const SINGLE = { group: 'single' };

/** Bars of one quantity, the longest first. */
function bars(title: string, rows: readonly KernelRow[], quantity: 'time' | 'count', colour: string): HTMLElement {
  const ordered = sortedRows(rows, (row) => row[quantity], true).slice(0, TOP);
  const most = ordered[0]?.[quantity] ?? 0;
  const column: TableColumn<KernelRow> = {
    title: quantity === 'time' ? 'Time' : 'Launches',
    unit: quantity === 'time' ? 'ns' : 'count',
    cell: (row) => row[quantity],
    field: ({ at }) => `kernels.shown.${at}.${quantity}`,
    bar: (row) => (most > 0 ? row[quantity] / most : 0),
  };
  const made = table({ caption: title, columns: [{ title: 'Kernel', cell: ({ name }) => name }, column], rows: ordered, sortedBy: null }); // prettier-ignore
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
    { title: 'Mean', unit: 'ns', ...SINGLE, cell: ({ time, count }) => (count > 0 ? time / count : null), field: ({ at }) => `kernels.shown.${at}.time / kernels.shown.${at}.count` }, // prettier-ignore
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
  const left = rest > 0 ? [element('p', { class: 'note' }, `${rest} further kernels, ${written(restTime, 'ns')} together, are not on this page.`)] : []; // prettier-ignore
  return [
    element(
      'div',
      { class: 'pair' },
      bars(`Top ${Math.min(TOP, rows.length)} by time`, rows, 'time', 'var(--compute)'),
      bars(`Top ${Math.min(TOP, rows.length)} by launches`, rows, 'count', 'var(--idle-queue)'),
    ),
    element('h3', {}, rest > 0 ? `The first ${shown.length} of ${count} kernels` : `All ${count} kernels`),
    table({ caption: 'Kernels', columns: columnsOf(view), rows, sortedBy: 1, filtered: true }),
    ...left,
  ];
}

export const KERNELS: Panel = { id: 'kernels', title: 'Kernels', width: 6, make };
