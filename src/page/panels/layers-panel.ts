/** The layers as a tree table: time of each, forward and backward, and its work. */
import { elementAt } from '../../containers/element.js';
import { button, element } from '../document/dom-elements.js';
import { layerTree, openAtFirst, visibleLayers, type LayerNode } from '../charts/layer-tree.js';
import { filteredRows } from '../figures/table-sort.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { whenPrinted } from '../document/paper.js';
import { headerTexts, plainRows, type TableColumn } from '../figures/sorted-table.js';
import { quantityText } from '../document/units.js';

const OPEN_AT_FIRST = 25;
/** Rows that one table holds at most, on the screen and on paper. */
const MOST = 2000;
const ON_PAPER = 60;

const all = (nodes: readonly LayerNode[]): LayerNode[] => nodes.flatMap((node) => [node, ...all(node.children)]);

/** The layers with the most time, in their order; their parents take as much time at least, and are thus among them. */
function longest(nodes: readonly LayerNode[], most: number): readonly LayerNode[] {
  const kept = new Set(nodes.toSorted((a, b) => b.row.time - a.row.time).slice(0, most));
  return nodes.filter((node) => kept.has(node));
}

function columnsOf(view: PanelView, toggle: (node: LayerNode) => Node | null): TableColumn<LayerNode>[] {
  const whole = view.profile.overview.kernels?.time ?? 0;
  const number = (
    title: string,
    unit: 'ns' | 'count' | 'flop' | 'bytes' | 'share',
    key: 'time' | 'own' | 'forward' | 'backward' | 'count' | 'flops' | 'bytes' | 'tc',
  ): TableColumn<LayerNode> => ({
    title,
    unit,
    cell: ({ row }) => row[key],
    field: ({ at }) => `layers.shown.${at}.${key}`,
  });
  return [
    { title: 'Layer', cell: ({ name }) => name, before: toggle },
    number('Time', 'ns', 'time'),
    {
      title: 'Share',
      unit: 'share',
      cell: ({ row }) => (whole > 0 ? row.time / whole : null),
      field: ({ at }) => `layers.shown.${at}.time / overview.kernels.time`,
      bar: ({ row }) => (whole > 0 ? row.time / whole : null),
    },
    number('Own', 'ns', 'own'),
    number('Forward', 'ns', 'forward'),
    number('Backward', 'ns', 'backward'),
    number('Kernels', 'count', 'count'),
    number('FLOPs', 'flop', 'flops'),
    number('Bytes', 'bytes', 'bytes'),
    number('On matrix unit', 'share', 'tc'),
  ];
}

function make(view: PanelView): PanelContent {
  const { shown, count, restTime } = view.profile.layers;
  if (shown.length === 0) return 'The profile has no layers (NVTX ranges, record_function, with_modules=True).';
  const roots = layerTree(shown);
  const every = all(roots);
  let open = openAtFirst(roots, OPEN_AT_FIRST);
  let filter = '';
  let printed = false;
  const body = element('tbody');
  const status = element('p', { class: 'status', 'aria-live': 'polite' });

  const toggle = (node: LayerNode): Node | null => {
    if (node.children.length === 0 || filter !== '') return null;
    const isOpen = open.has(node);
    const made = button(isOpen ? '▾' : '▸', () => {
      if (isOpen) open.delete(node);
      else open.add(node);
      show(node);
    });
    made.className = 'toggle';
    made.setAttribute('aria-expanded', String(isOpen));
    made.setAttribute('aria-label', `${isOpen ? 'Close' : 'Open'} ${node.name}`);
    return made;
  };
  const columns = columnsOf(view, toggle);
  const show = (focus: LayerNode | null): void => {
    const found = filter === '' ? visibleLayers(roots, open) : filteredRows(every, ({ row }) => row.path, filter);
    const nodes = printed ? longest(found, ON_PAPER) : found.slice(0, MOST);
    const rows = plainRows({ caption: 'Layers', columns, rows: nodes, sortedBy: null, scaledBy: every });
    rows.forEach((row, i) => {
      const node = elementAt(nodes, i);
      const head = row.firstElementChild as HTMLElement;
      head.style.setProperty('--depth', String(filter === '' ? node.depth : 0));
      head.classList.add('layer');
      if (filter !== '') (head.querySelector('.text') as HTMLElement).textContent = node.row.path.join(' / ');
    });
    body.replaceChildren(...rows);
    status.textContent = `${nodes.length} of ${every.length} layers shown`;
    // The rows are new elements: the focus has to be set again.
    if (focus !== null) rows[nodes.indexOf(focus)]?.querySelector('button')?.focus();
  };

  const input = element('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter layers' });
  input.addEventListener('input', () => {
    filter = input.value.trim();
    show(null);
  });
  const above = element(
    'div',
    { class: 'above' },
    input,
    button('Open all', () => {
      open = new Set(every);
      show(null);
    }),
    button('Close all', () => {
      open = new Set();
      show(null);
    }),
  );
  const heads = headerTexts({ caption: 'Layers', columns, rows: every, sortedBy: null }).map((text, i) =>
    element('th', { scope: 'col', class: i === 0 ? null : 'number' }, text),
  );
  show(null);
  const made = element('table', { 'aria-label': 'Layers' }, element('thead', {}, element('tr', {}, ...heads)), body);
  const print = (on: boolean): void => {
    printed = on;
    show(null);
  };
  if (every.length > OPEN_AT_FIRST) whenPrinted(made, print);
  const rest = count - shown.length;
  const note = `${rest} further layers, ${quantityText(restTime, 'ns')} together, are not on this page.`;
  return [
    above,
    element('div', { class: 'scroll', role: 'region', 'aria-label': 'Layers', tabindex: 0 }, made),
    status,
    ...(rest > 0 ? [element('p', { class: 'note' }, note)] : []),
  ];
}

export const LAYERS: Panel = { id: 'layers', title: 'Layers', width: 6, make };
