/** The layers as a tree table: time of each, forward and backward, and its work. */
import { lacking } from '../capture-hints.js';
import { elementAt } from '../../containers/element.js';
import { button, element, filterField, note, scrolling } from '../document/dom-elements.js';
import { layerTree, openAtFirst, visibleLayers, type LayerNode } from '../charts/layer-tree.js';
import { layerLink } from '../document/timeline-link.js';
import { hostTable } from '../figures/host-table.js';
import { filteredRows } from '../figures/table-sort.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { whenPrinted } from '../document/paper.js';
import { rowOf, scalesOf, type TableColumn } from '../figures/table-cells.js';
import { csvButton } from '../figures/csv-button.js';
import { TableHeads } from '../figures/table-heads.js';
import { quantityText } from '../document/units.js';

const OPEN_AT_FIRST = 25;
/** Rows that one table holds at most, on the screen and on paper. */
const MOST = 2000;
const ON_PAPER = 60;

const allOf = (nodes: readonly LayerNode[]): LayerNode[] => nodes.flatMap((node) => [node, ...allOf(node.children)]);

/** The layers with the most time, in their order; their parents take as much time at least, and are thus among them. */
function longest(nodes: readonly LayerNode[], most: number): readonly LayerNode[] {
  const kept = new Set(nodes.toSorted((a, b) => b.row.time - a.row.time).slice(0, most));
  return nodes.filter((node) => kept.has(node));
}

function columnsOf(view: PanelView, toggle: (node: LayerNode) => Node | null): TableColumn<LayerNode>[] {
  const whole = view.profile.overview.kernels?.time ?? null;
  const share = ({ row }: LayerNode): number | null => (whole === null || whole <= 0 ? null : row.time / whole);
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
    {
      title: 'Layer',
      cell: ({ name }) => name,
      copied: ({ row }) => row.path.join(' / '),
      before: toggle,
      link: ({ row }, text) => layerLink(view, text, row.path),
    },
    number('Time', 'ns', 'time'),
    {
      title: 'Share',
      unit: 'share',
      cell: share,
      field: ({ at }) => `layers.shown.${at}.time / overview.kernels.time`,
      bar: share,
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

/** The tree as a table, with a filter and buttons that open and close all layers. */
class LayerTable {
  readonly #roots: readonly LayerNode[];
  readonly #all: readonly LayerNode[];
  readonly #columns: readonly TableColumn<LayerNode>[];
  readonly #scales: ReturnType<typeof scalesOf>;
  /** In the tree's order at first, which is that of the layers' first kernels. */
  readonly #heads: TableHeads<LayerNode>;
  #open: Set<LayerNode>;
  #filter = '';
  #isPrinted = false;
  readonly #body = element('tbody');
  readonly #status = element('p', { class: 'status', 'aria-live': 'polite' });

  constructor(view: PanelView) {
    this.#roots = layerTree(view.profile.layers.shown);
    this.#all = allOf(this.#roots);
    this.#open = openAtFirst(this.#roots, OPEN_AT_FIRST);
    this.#columns = columnsOf(view, (node) => this.#toggle(node));
    this.#scales = scalesOf({ columns: this.#columns, rows: this.#all });
    this.#heads = new TableHeads(this.#columns, this.#scales, null, () => this.#show(null));
  }

  get content(): Node[] {
    const head = element('thead', {}, this.#heads.row);
    const table = element('table', { 'aria-label': 'Layers' }, head, this.#body);
    const print = (onPaper: boolean): void => {
      this.#isPrinted = onPaper;
      this.#show(null);
    };
    if (this.#all.length > OPEN_AT_FIRST) whenPrinted(table, print);
    this.#show(null);
    const copy = csvButton('Layers', this.#columns, () => this.#found(this.#all));
    const beneath = element('div', { class: 'beneath' }, this.#status, copy);
    return [this.#controls(), scrolling('Layers', table), beneath];
  }

  #controls(): HTMLElement {
    const input = filterField('Filter layers', (text) => {
      this.#filter = text.trim();
      this.#show(null);
    });
    const opener = (label: string, nodes: readonly LayerNode[]): HTMLElement =>
      button(label, () => {
        this.#open = new Set(nodes);
        this.#show(null);
      });
    return element('div', { class: 'above' }, input, opener('Open all', this.#all), opener('Close all', []));
  }

  /** The button that opens or closes a layer; null for one without children, and while a filter is set. */
  #toggle(node: LayerNode): Node | null {
    if (node.children.length === 0 || this.#filter !== '') return null;
    const isOpen = this.#open.has(node);
    const made = button(isOpen ? '▾' : '▸', () => {
      if (isOpen) this.#open.delete(node);
      else this.#open.add(node);
      this.#show(node);
    });
    made.className = 'toggle';
    made.setAttribute('aria-expanded', String(isOpen));
    made.setAttribute('aria-label', `${isOpen ? 'Close' : 'Open'} ${node.name}`);
    return made;
  }

  /** Those that pass the filter, in their order; without a filter those of the tree. @param open layers */
  #found(open: Iterable<LayerNode>): readonly LayerNode[] {
    const inOrder = (nodes: readonly LayerNode[]): readonly LayerNode[] => this.#heads.inOrder(nodes, (node) => node);
    if (this.#filter === '') return visibleLayers(this.#roots, new Set(open), inOrder);
    return inOrder(filteredRows(this.#all, ({ row }) => row.path, this.#filter));
  }

  /** @param focus layer whose button gets the focus */
  #show(focus: LayerNode | null): void {
    const filter = this.#filter;
    const found = this.#found(this.#open);
    const nodes = this.#isPrinted ? longest(found, ON_PAPER) : found.slice(0, MOST);
    const rows = nodes.map((node) => rowOf(node, this.#columns, this.#scales));
    rows.forEach((row, i) => {
      const node = elementAt(nodes, i);
      const head = row.firstElementChild as HTMLElement;
      head.style.setProperty('--depth', String(filter === '' ? node.depth : 0));
      head.classList.add('layer');
      if (filter !== '') (head.querySelector('.text a, .text') as HTMLElement).textContent = node.row.path.join(' / ');
    });
    this.#body.replaceChildren(...rows);
    this.#status.textContent = `${nodes.length} of ${this.#all.length} layers shown`;
    // The rows are new elements: the focus has to be set again.
    if (focus !== null) rows[nodes.indexOf(focus)]?.querySelector('button')?.focus();
  }
}

function make(view: PanelView): PanelContent {
  const { shown, count, restTime } = view.profile.layers;
  if (shown.length === 0) {
    return hostTable(view, 'layers', 'Layers') ?? lacking(view, 'layers');
  }
  const { content } = new LayerTable(view);
  const rest = count - shown.length;
  const further = `${rest} further layers, ${quantityText(restTime, 'ns')} together, are not on this page.`;
  return [...content, ...(rest > 0 ? [note(further)] : [])];
}

export const LAYERS: Panel = { id: 'layers', title: 'Layers', width: 6, make };
