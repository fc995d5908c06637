/** The layers as a tree table, and as a list sorted by any column: time by direction, reasons, and work. */
import type { LayerPart, LayerReason } from '../../prof/html/page-data.js';
import { lacking } from '../capture-hints.js';
import { elementAt } from '../../containers/element.js';
import { button, element, filterField, note, scrolling, labelledTable } from '../document/dom-elements.js';
import { layerTree, openAtFirst, visibleLayers, type LayerNode } from '../charts/flame/flame-tree.js';
import { ABOUT_BOUNDS, boundText } from '../figures/shown-names.js';
import { hostLayers, PARTIAL } from '../figures/listed-rows.js';
import { moreColumns, csvButton } from '../figures/sorted-table.js';
import { filteredRows, shortTextsOf, sortedRows } from '../figures/table-sort.js';
import { followsWork, type Panel, type PanelContent, type PanelView } from '../panel.js';
import { whenPrinted } from '../document/when-visible.js';
import { classOf, headerText, rowOf, scalesOf, type TableColumn } from '../figures/table-cells.js';
import { quantityText, type DisplayUnit } from '../document/units.js';
import { inLayer, kernelsInLayer } from '../document/timeline-target.js';
import { eventsLink } from '../document/timeline-link.js';

type LayerColumn = TableColumn<LayerNode>;

/**
 * A column of the table. `part` selects the kernels of a layer to which the reasons refer when the table is sorted by
 * this column.
 */
interface LayerHead {
  readonly column: LayerColumn;
  readonly part: LayerPart;
}

const number = (
  title: string,
  unit: DisplayUnit,
  key: 'time' | 'own' | 'forward' | 'backward' | 'ownBackward' | 'count' | 'flops' | 'bytes',
  isExtra = false,
): LayerColumn => ({
  ...{ title, unit, isExtra },
  cell: ({ row }) => row[key],
  worded: ({ row }, text) => (key === 'flops' || key === 'bytes' ? PARTIAL[key].worded(row, text) : text),
  field: ({ at }) => `layers.shown.${at}.${key}`,
});

const boundOf = ({ bound, boundShare }: LayerReason): string | null =>
  bound === null ? null : boundText(bound, boundShare);

/** @param part the kernels that are explained */
function reasons(view: PanelView, part: LayerPart): LayerColumn[] {
  const suffix = part === 'all' ? '' : ` of ${part}`;
  return [
    {
      title: `Bound${suffix}`,
      cell: ({ row }) => {
        const why = row.why[part];
        return why === null ? null : boundOf(why);
      },
    },
    {
      title: `On matrix unit${suffix}`,
      unit: 'share',
      cell: ({ row }) => row.why[part]?.tc ?? null,
      field: ({ at }) => `layers.shown.${at}.why.${part}.tc`,
    },
    {
      title: `Slowest kernel${suffix}`,
      cell: ({ row }) => {
        const slowest = row.why[part]?.slowest;
        return slowest === undefined ? null : `${quantityText(slowest.time, 'ns')} ${slowest.name}`;
      },
      link: ({ row }, text) => {
        const slowest = row.why[part]?.slowest;
        return slowest === undefined ? null : eventsLink(view, text, kernelsInLayer(row.path, slowest.name), slowest);
      },
    },
  ];
}

/**
 * @param part the kernels that are explained
 * @param toggle the element before a layer's name
 */
function layerHeads(view: PanelView, part: LayerPart, toggle: (node: LayerNode) => Node | null): readonly LayerHead[] {
  const { shown } = view.profile.layers;
  const whole = view.profile.overview.kernels?.time ?? null;
  const share = ({ row }: LayerNode): number | null => (whole === null || whole <= 0 ? null : row.time / whole);
  const head =
    (about: LayerPart) =>
    (column: LayerColumn): LayerHead => ({ column, part: about });
  const [all, forward, backward] = [head('all'), head('forward'), head('backward')];
  // When all work is forward, the directions are not informative.
  const isDirected = shown.some(({ time, forward, backward }) => backward > 0 || (forward > 0 && forward < time));
  return [
    all({
      title: 'Layer',
      cell: ({ name }) => name,
      copied: ({ row }) => row.path.join(' / '),
      before: toggle,
      link: ({ row }, text) => eventsLink(view, text, inLayer(row.path)),
    }),
    all(number('Time', 'ns', 'time')),
    all({
      title: 'Share',
      unit: 'share',
      cell: share,
      field: ({ at }) => `layers.shown.${at}.time / overview.kernels.time`,
      bar: share,
    }),
    all(number('Own', 'ns', 'own')),
    ...(isDirected
      ? [
          forward(number('Forward', 'ns', 'forward')),
          backward(number('Backward', 'ns', 'backward')),
          backward(number('Own backward', 'ns', 'ownBackward')),
        ]
      : []),
    ...reasons(view, part).map(head(part)),
    all(number('Kernels', 'count', 'count', true)),
    all(number('FLOPs', 'flop', 'flops', true)),
    all(number('Bytes', 'bytes', 'bytes', true)),
  ];
}

const OPEN_AT_FIRST = 25;
/** Maximum rows of a table, on screen and on paper. */
const MOST = 2000;
const ON_PAPER = 60;

const allOf = (nodes: readonly LayerNode[]): LayerNode[] => nodes.flatMap((node) => [node, ...allOf(node.children)]);

/** The layers with the most time, in order; their parents have at least as much time, so they are included. */
function longest(nodes: readonly LayerNode[], most: number): readonly LayerNode[] {
  const kept = new Set(nodes.toSorted((a, b) => b.row.time - a.row.time).slice(0, most));
  return nodes.filter((node) => kept.has(node));
}

/** Last parts of a path that a list shows; the last ones distinguish layers. */
const PARTS_SHOWN = 3;

/** Names a row of a list by its path, not only by the last part. */
function nameByPath(head: HTMLElement, path: readonly string[]): void {
  const text = head.querySelector<HTMLElement>('.text');
  const name = text?.querySelector('a') ?? text;
  if (text === null || name === null) return;
  text.title = path.join(' / ');
  name.textContent = [...(path.length > PARTS_SHOWN ? ['…'] : []), ...path.slice(-PARTS_SHOWN)].join(' / ');
}

/** The sorting column by index, and the kernels to which its reasons refer. */
interface LayerOrder {
  readonly by: number;
  readonly isDescending: boolean;
  readonly part: LayerPart;
}

/**
 * The tree as a table, with a filter and buttons that expand and collapse all layers. Clicking a header turns it into a
 * list of all layers sorted by that column, with the reasons for the times of its direction.
 */
class LayerTable {
  readonly #roots: readonly LayerNode[];
  readonly #all: readonly LayerNode[];
  /** The order; null when the tree is shown. */
  #order: LayerOrder | null = null;
  #open: Set<LayerNode>;
  #filter = '';
  #isPrinted = false;
  readonly #body = element('tbody');
  readonly #head = element('tr');
  readonly #status = element('p', { class: 'status', 'aria-live': 'polite' });
  readonly #tree = button('Show as a tree', () => {
    this.#order = null;
    this.#show(null);
  });

  constructor(private readonly view: PanelView) {
    this.#roots = layerTree(view.profile.layers.shown);
    this.#all = allOf(this.#roots);
    this.#open = openAtFirst(this.#roots, OPEN_AT_FIRST);
  }

  get content(): Node[] {
    const columns = layerHeads(this.view, 'all', () => null).map(({ column }) => column);
    const table = labelledTable('Layers', columns.length, element('thead', {}, this.#head), this.#body);
    const print = (onPaper: boolean): void => {
      this.#isPrinted = onPaper;
      this.#show(null);
    };
    if (this.#all.length > OPEN_AT_FIRST) whenPrinted(table, print);
    this.#show(null);
    const copy = csvButton('Layers', columns, () => this.#nodes(Infinity));
    const beneath = element('div', { class: 'beneath' }, this.#status, copy);
    return [this.#controls(moreColumns(table, 'Layers', columns)), scrolling('Layers', table), beneath];
  }

  #controls(more: readonly HTMLElement[]): HTMLElement {
    const input = filterField('Filter layers', (text) => {
      this.#filter = text.trim();
      this.#show(null);
    });
    const opener = (label: string, nodes: readonly LayerNode[]): HTMLElement =>
      button(label, () => {
        this.#order = null;
        this.#open = new Set(nodes);
        this.#show(null);
      });
    return element(
      'div',
      { class: 'above' },
      input,
      opener('Open all', this.#all),
      opener('Close all', []),
      ...more,
      this.#tree,
    );
  }

  /** The button that expands or collapses a layer; null for a layer without children, and in a list. */
  #toggle(node: LayerNode): Node | null {
    if (node.children.length === 0 || this.#isList) return null;
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

  get #isList(): boolean {
    return this.#filter !== '' || this.#order !== null;
  }

  /** Up to `most` layers that pass the filter, in order; without filter and order, the visible layers of the tree. */
  #nodes(most: number): readonly LayerNode[] {
    const order = this.#order;
    const open = most === Infinity ? new Set(this.#all) : this.#open;
    const found = this.#isList
      ? filteredRows(this.#all, ({ row }) => row.path, this.#filter)
      : visibleLayers(this.#roots, open);
    if (order === null) return this.#isPrinted ? longest(found, most) : found.slice(0, most);
    const heads = layerHeads(this.view, order.part, () => null);
    return sortedRows(found, elementAt(heads, order.by).column.cell, order.isDescending).slice(0, most);
  }

  /** Headers that sort. The header of a direction also selects the kernels that are explained. */
  #showHeads(heads: readonly LayerHead[], columns: readonly TableColumn<LayerNode>[]): void {
    const order = this.#order;
    const scales = scalesOf({ columns, rows: this.#all });
    const made = heads.map(({ column: { title, unit, isExtra = false }, part }, i) => {
      const text = headerText(title, elementAt(scales, i));
      const isSorted = order?.by === i;
      const sort = (): void => {
        this.#order = { by: i, part, isDescending: isSorted ? !order.isDescending : unit !== undefined };
        this.#show(null);
        this.#head.children[i]?.querySelector('button')?.focus();
      };
      const direction = order?.isDescending === true ? 'descending' : 'ascending';
      return element(
        'th',
        {
          scope: 'col',
          class: classOf(unit === undefined ? null : 'number', isExtra),
          'aria-sort': isSorted ? direction : 'none',
        },
        button(text, sort),
      );
    });
    this.#head.replaceChildren(...made);
  }

  /** @param focus layer whose button gets the focus */
  #show(focus: LayerNode | null): void {
    const heads = layerHeads(this.view, this.#order?.part ?? 'all', (node) => this.#toggle(node));
    const columns = heads.map(({ column }) => column);
    const scales = scalesOf({ columns, rows: this.#all });
    const short = shortTextsOf(columns, this.#all);
    const nodes = this.#nodes(this.#isPrinted ? ON_PAPER : MOST);
    const isList = this.#isList;
    const rows = nodes.map((node) => rowOf(node, columns, scales, short));
    rows.forEach((row, i) => {
      const node = elementAt(nodes, i);
      const head = row.firstElementChild as HTMLElement;
      head.style.setProperty('--depth', String(isList ? 0 : node.depth));
      head.classList.add('layer');
      if (isList) nameByPath(head, node.row.path);
    });
    this.#showHeads(heads, columns);
    this.#body.replaceChildren(...rows);
    this.#tree.hidden = this.#order === null;
    this.#status.textContent = `${nodes.length} of ${this.#all.length} layers shown`;
    // The rows are new elements, so the focus must be set again.
    if (focus !== null) rows[nodes.indexOf(focus)]?.querySelector('button')?.focus();
  }
}

const ABOUT =
  'Click a header to sort; times include sub-layers. Sorting by Backward or Forward shows the kernels of that direction. ' +
  `Bound: what limits most of their time. ${ABOUT_BOUNDS}`;

function make(view: PanelView): PanelContent {
  const { shown, count, restTime } = view.profile.layers;
  if (shown.length === 0) return hostLayers(view) ?? lacking(view, 'layers');
  const { content } = new LayerTable(view);
  const rest = count - shown.length;
  const further = `${rest} more layers, ${quantityText(restTime, 'ns')} together, are not on this page.`;
  return [note(ABOUT), ...content, ...(rest > 0 ? [note(further)] : [])];
}

export const LAYERS: Panel = { id: 'layers', title: 'Layers', width: 6, make, follows: followsWork };
