/** Kernel time as a flame chart: each layer or frame is as wide as its time, below the one that contains it. */
import { lacking } from '../capture-hints.js';
import { elementAt } from '../../containers/element.js';
import { element, note, select } from '../document/dom-elements.js';
import {
  branching,
  flameBoxes,
  FLAME_ORDERS,
  nextBox,
  type FlameBox,
  type FlameOrder,
} from '../charts/flame-layout.js';
import { layerFlame, stackFlame, type FlameNode } from '../charts/flame-tree.js';
import { layerLink } from '../document/timeline-link.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { inPalette } from '../figures/strip.js';
import { quantityText } from '../document/units.js';
import { whenVisible } from '../document/when-visible.js';

const ROW_HEIGHT = 24;
const LABEL = 'Flame chart; arrow keys move, Enter zooms in, Escape zooms out';

const ORDER_NAMES: Readonly<Record<FlameOrder, string>> = { time: 'in time order', longest: 'longest first' };

function linesOf({ name, time, count, layer }: FlameNode, whole: number): string[] {
  const share = whole <= 0 ? null : time / whole;
  const lines = [
    layer === null ? name : layer.path.join(' / '),
    `${quantityText(time, 'ns')}, ${quantityText(share, 'share')} of kernel time`,
  ];
  const kernels = `${quantityText(count, 'count')} kernels`;
  if (layer === null) return count === null ? lines : [...lines, kernels];
  const { own, forward, backward, flops, bytes, why } = layer;
  return [
    ...lines,
    `own ${quantityText(own, 'ns')}, forward ${quantityText(forward, 'ns')}, backward ${quantityText(backward, 'ns')}`,
    `${kernels}, ${quantityText(flops, 'flop')}, ${quantityText(bytes, 'bytes')}, on matrix unit ${quantityText(why.all?.tc ?? null, 'share')}`,
  ];
}

class FlameChart {
  readonly chart = element('div', { class: 'flame', role: 'group', 'aria-label': LABEL });
  readonly status = element('p', { class: 'status', 'aria-live': 'polite' });
  readonly #branches: readonly FlameNode[];
  #focus: FlameNode;
  #order: FlameOrder = 'time';

  constructor(
    private readonly root: FlameNode,
    private readonly view: PanelView,
  ) {
    this.#focus = root;
    this.#branches = branching(root);
    this.chart.style.height = `${4 * ROW_HEIGHT}px`;
  }

  setOrder(order: FlameOrder): void {
    this.#order = order;
    this.show(this.#focus, false);
  }

  /** @param focus as wide as the chart; below all that it is in */
  show(focus: FlameNode, hasFocus: boolean): void {
    this.#focus = focus;
    const boxes = flameBoxes(focus, this.#order);
    const made = boxes.map((box) => this.#box(box, focus));
    made.forEach((one, i) =>
      one.addEventListener('keydown', (event) => {
        const other = nextBox(boxes, elementAt(boxes, i), event.key);
        if (event.key === 'Escape' && focus.parent !== null) this.show(focus.parent, true);
        else if (other !== undefined) made[boxes.indexOf(other)]?.focus();
        else return;
        event.preventDefault();
      }),
    );
    this.chart.style.height = `${(boxes.reduce((most, { row }) => Math.max(most, row), 0) + 1) * ROW_HEIGHT}px`;
    this.chart.replaceChildren(...made);
    if (hasFocus) made[boxes.findIndex(({ node }) => node === focus)]?.focus({ preventScroll: true });
  }

  #box({ node, left, width, row }: FlameBox, focus: FlameNode): HTMLElement {
    const lines = linesOf(node, this.root.time);
    const [isFocus, isAbove] = [node === focus, row < depthOf(focus)];
    const attributes = {
      ...{ type: 'button', class: isAbove ? 'box above-focus' : 'box', tabindex: isFocus ? 0 : -1 },
      ...{ title: lines.join('\n'), 'aria-label': `${node.name}, ${elementAt(lines, 1)}` },
    };
    const made = element('button', attributes, node.name);
    made.style.left = `${left * 100}%`;
    made.style.width = `${width * 100}%`;
    made.style.top = `${row * ROW_HEIGHT}px`;
    made.style.setProperty('--hue', this.#colourOf(node));
    made.addEventListener('click', () => this.show(isFocus ? (node.parent ?? node) : node, true));
    made.addEventListener('focus', () => this.#describe(node, lines));
    return made;
  }

  #describe({ layer }: FlameNode, lines: readonly string[]): void {
    const link = layer === null ? null : layerLink(this.view, 'in the timeline', layer.path);
    this.status.replaceChildren(lines.join(' · '), ...(link === null ? [] : [' · ', link]));
  }

  #colourOf(node: FlameNode): string {
    for (let at: FlameNode | null = node; at !== null; at = at.parent) {
      const branch = this.#branches.indexOf(at);
      if (branch >= 0) return inPalette(branch);
    }
    return 'var(--idle)';
  }
}

const depthOf = ({ parent }: FlameNode): number => (parent === null ? 0 : depthOf(parent) + 1);

/** What the chart may be of, with its root. */
function kindsOf({ profile: { layers, stacks, overview } }: PanelView): (readonly [name: string, root: FlameNode])[] {
  const whole = overview.kernels?.time ?? null;
  const isCut = layers.count > layers.shown.length;
  return [
    ...(layers.shown.length === 0 ? [] : [['layers', layerFlame(layers.shown, whole, isCut)] as const]),
    ...(stacks === null ? [] : [['call stacks', stackFlame(stacks, whole)] as const]),
  ];
}

function make(view: PanelView): PanelContent {
  const kinds = kindsOf(view);
  const [first] = kinds;
  if (first === undefined) return lacking(view, 'layers');
  const place = element('div');
  let order: FlameOrder = 'time';
  let flame = new FlameChart(first[1], view);
  const use = (root: FlameNode): void => {
    const made = new FlameChart(root, view);
    flame = made;
    place.replaceChildren(made.chart, made.status);
    whenVisible(made.chart, () => {
      made.setOrder(order);
    });
  };
  use(first[1]);
  const choices = kinds.map(([name], i) => [i, name] as const);
  const orders = FLAME_ORDERS.map((one) => [one, ORDER_NAMES[one]] as const);
  const chooser = [
    ...(kinds.length > 1 ? [select('Chart of', choices, 0, (at) => use(elementAt(kinds, at)[1]))] : []),
    select('Order', orders, order, (chosen) => {
      order = chosen;
      flame.setOrder(chosen);
    }),
  ];
  const hint = 'Width is time on the device. A click, or Enter, shows a box and what is in it; once more leads one up.';
  return [element('div', { class: 'above' }, ...chooser), note(hint), place];
}

export const FLAME: Panel = { id: 'flame', title: 'Flame chart', width: 6, make };
