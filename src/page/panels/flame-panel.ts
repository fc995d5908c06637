/** Layers as a flame chart: each as wide as its time, below the layer that contains it. */
import { lacking } from '../capture-hints.js';
import { elementAt } from '../../containers/element.js';
import type { LayerRow } from '../../prof/html/page-data.js';
import { element, note } from '../document/dom-elements.js';
import { flameBoxes, branching, type FlameBox } from '../charts/flame-layout.js';
import { layerTree, type LayerNode } from '../charts/layer-tree.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { inPalette } from '../figures/strip.js';
import { quantityText } from '../document/units.js';
import { whenVisible } from '../document/when-visible.js';

const ROW_HEIGHT = 24;
const LABEL = 'Flame chart of layers; arrow keys move, Enter zooms in, Escape zooms out';

function next(boxes: readonly FlameBox[], from: FlameBox, key: string): FlameBox | undefined {
  const middle = from.left + from.width / 2;
  const holds = (box: FlameBox): boolean => box.left <= middle && middle <= box.left + box.width;
  const inRow = boxes.filter(({ row }) => row === from.row).sort((a, b) => a.left - b.left);
  const at = inRow.indexOf(from);
  switch (key) {
    case 'ArrowLeft':
      return inRow[at - 1];
    case 'ArrowRight':
      return inRow[at + 1];
    case 'ArrowUp':
      return boxes.find((box) => box.row === from.row - 1 && holds(box));
    case 'ArrowDown': {
      const isBelow = ({ row, left }: FlameBox): boolean =>
        row === from.row + 1 && left >= from.left - 1e-9 && left < from.left + from.width;
      const below = boxes.filter(isBelow);
      return below.find(holds) ?? below[0];
    }
    default:
      return undefined;
  }
}

function textOf({ node }: FlameBox, whole: number | null): string {
  const { row } = node;
  const share = whole === null || whole <= 0 ? null : row.time / whole;
  const lines = [
    row.path.join(' / '),
    `${quantityText(row.time, 'ns')}, ${quantityText(share, 'share')} of kernel time`,
    `own ${quantityText(row.own, 'ns')}, forward ${quantityText(row.forward, 'ns')}, backward ${quantityText(row.backward, 'ns')}`,
    [
      `${quantityText(row.count, 'count')} kernels, ${quantityText(row.flops, 'flop')}, ${quantityText(row.bytes, 'bytes')}`,
      `on matrix unit ${quantityText(row.why.all?.tc ?? null, 'share')}`,
    ].join(', '),
  ];
  return lines.join('\n');
}

class FlameChart {
  readonly chart = element('div', { class: 'flame', role: 'group', 'aria-label': LABEL });
  readonly status = element('p', { class: 'status', 'aria-live': 'polite' });
  readonly #roots: readonly LayerNode[];
  readonly #branches: readonly LayerNode[];
  readonly #parents = new Map<LayerNode, LayerNode>();

  /** @param whole kernel time, ns; null where unknown */
  constructor(
    layers: readonly LayerRow[],
    private readonly whole: number | null,
  ) {
    this.#roots = layerTree(layers);
    this.#branches = branching(this.#roots);
    this.#roots.forEach((root) => this.#addParents(root));
    this.chart.style.height = `${4 * ROW_HEIGHT}px`;
  }

  /** @param focus layer that is as wide as the chart; null for all */
  show(focus: LayerNode | null, hasFocus: boolean): void {
    const boxes = flameBoxes(focus === null ? this.#roots : [focus]);
    const made = boxes.map((box, i) => this.#box(box, i === 0, box.node === focus));
    made.forEach((one, i) =>
      one.addEventListener('keydown', (event) => {
        const other = next(boxes, elementAt(boxes, i), event.key);
        if (event.key === 'Escape') this.#showParent(focus);
        else if (other !== undefined) made[boxes.indexOf(other)]?.focus();
        else return;
        event.preventDefault();
      }),
    );
    this.chart.style.height = `${(boxes.reduce((most, { row }) => Math.max(most, row), 0) + 1) * ROW_HEIGHT}px`;
    this.chart.replaceChildren(...made);
    if (hasFocus) made[0]?.focus({ preventScroll: true });
  }

  #addParents(node: LayerNode): void {
    for (const child of node.children) {
      this.#parents.set(child, node);
      this.#addParents(child);
    }
  }

  #showParent(focus: LayerNode | null): void {
    if (focus !== null) this.show(this.#parents.get(focus) ?? null, true);
  }

  #box(box: FlameBox, isFirst: boolean, isFocus: boolean): HTMLElement {
    const { node, left, width, row } = box;
    const text = textOf(box, this.whole);
    const attributes = { type: 'button', class: 'box', tabindex: isFirst ? 0 : -1, title: text };
    const made = element('button', attributes, isFocus ? `↑ ${node.name}` : node.name);
    made.style.left = `${left * 100}%`;
    made.style.width = `${width * 100}%`;
    made.style.top = `${row * ROW_HEIGHT}px`;
    made.style.setProperty('--hue', this.#colourOf(node));
    made.addEventListener('click', () => {
      if (isFocus) this.#showParent(node);
      else this.show(node, true);
    });
    made.addEventListener('focus', () => {
      this.status.textContent = text.split('\n').join(' · ');
    });
    return made;
  }

  #colourOf(node: LayerNode): string {
    for (let at: LayerNode | undefined = node; at !== undefined; at = this.#parents.get(at)) {
      const branch = this.#branches.indexOf(at);
      if (branch >= 0) return inPalette(branch);
    }
    return 'var(--idle)';
  }
}

function make(view: PanelView): PanelContent {
  const { layers, overview } = view.profile;
  if (layers.shown.length === 0) return lacking(view, 'layers');
  const flame = new FlameChart(layers.shown, overview.kernels?.time ?? null);
  whenVisible(flame.chart, () => flame.show(null, false));
  const hint = 'Width is time on the device. A click, or Enter, shows a layer alone; the first box leads back.';
  return [note(hint), flame.chart, flame.status];
}

export const FLAME: Panel = { id: 'flame', title: 'Flame chart of layers', width: 6, make };
