/** Layers as a flame chart: each as wide as its time, below the layer that contains it. */
import { element } from '../document/dom-elements.js';
import { flameBoxes, branching, type FlameBox } from '../charts/flame-layout.js';
import { layerTree, type LayerNode } from '../charts/layer-tree.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { inPalette } from '../figures/strip.js';
import { quantityText } from '../document/units.js';
import { whenVisible } from '../document/when-visible.js';

const ROW_HEIGHT = 24;
const LABEL = 'Flame chart of layers; arrow keys move, Enter zooms in, Escape zooms out';

/** The box that an arrow key moves to. */
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

function textOf({ node }: FlameBox, whole: number): string {
  const { row } = node;
  const lines = [
    row.path.join(' / '),
    `${quantityText(row.time, 'ns')}, ${quantityText(whole > 0 ? row.time / whole : null, 'share')} of kernel time`,
    `own ${quantityText(row.own, 'ns')}, forward ${quantityText(row.forward, 'ns')}, backward ${quantityText(row.backward, 'ns')}`,
    [
      `${quantityText(row.count, 'count')} kernels, ${quantityText(row.flops, 'flop')}, ${quantityText(row.bytes, 'bytes')}`,
      `on matrix unit ${quantityText(row.tc, 'share')}`,
    ].join(', '),
  ];
  return lines.join('\n');
}

function make(view: PanelView): PanelContent {
  const { shown } = view.profile.layers;
  if (shown.length === 0) return 'The profile has no layers, so that there is nothing to stack.';
  const roots = layerTree(shown);
  const parents = new Map<LayerNode, LayerNode>();
  const note = (node: LayerNode): void => {
    for (const child of node.children) {
      parents.set(child, node);
      note(child);
    }
  };
  roots.forEach(note);
  const branches = branching(roots);
  const whole = view.profile.overview.kernels?.time ?? 0;
  const chart = element('div', { class: 'flame', role: 'group', 'aria-label': LABEL });
  const about = element('p', { class: 'status', 'aria-live': 'polite' });

  const colourOf = (node: LayerNode): string => {
    for (let at: LayerNode | undefined = node; at !== undefined; at = parents.get(at)) {
      const branch = branches.indexOf(at);
      if (branch >= 0) return inPalette(branch);
    }
    return 'var(--idle)';
  };
  const show = (focus: LayerNode | null, hasFocus: boolean): void => {
    const boxes = flameBoxes(focus === null ? roots : [focus]);
    const up = (): void => {
      if (focus !== null) show(parents.get(focus) ?? null, true);
    };
    const made = boxes.map((box, i) => {
      const isFocus = box.node === focus;
      const attributes = { type: 'button', class: 'box', tabindex: i === 0 ? 0 : -1, title: textOf(box, whole) };
      const one = element('button', attributes, isFocus ? `↑ ${box.node.name}` : box.node.name);
      one.style.left = `${box.left * 100}%`;
      one.style.width = `${box.width * 100}%`;
      one.style.top = `${box.row * ROW_HEIGHT}px`;
      one.style.setProperty('--hue', colourOf(box.node));
      one.addEventListener('click', () => {
        if (isFocus) up();
        else show(box.node, true);
      });
      one.addEventListener('focus', () => {
        about.textContent = textOf(box, whole).split('\n').join(' · ');
      });
      one.addEventListener('keydown', (event) => {
        const other = next(boxes, box, event.key);
        if (event.key === 'Escape') up();
        else if (other !== undefined) made[boxes.indexOf(other)]?.focus();
        else return;
        event.preventDefault();
      });
      return one;
    });
    chart.style.height = `${(boxes.reduce((most, { row }) => Math.max(most, row), 0) + 1) * ROW_HEIGHT}px`;
    chart.replaceChildren(...made);
    if (hasFocus) made[0]?.focus({ preventScroll: true });
  };
  whenVisible(chart, () => {
    show(null, false);
  });
  chart.style.height = `${4 * ROW_HEIGHT}px`;
  const hint = 'Width is time on the device. A click, or Enter, shows a layer alone; the first box leads back.';
  return [element('p', { class: 'note' }, hint), chart, about];
}

export const FLAME: Panel = { id: 'flame', title: 'Flame chart of layers', width: 6, make };
