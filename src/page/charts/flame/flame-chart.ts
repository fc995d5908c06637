/** A flame chart made of buttons: the width of a box is its time; arrow keys move, Enter zooms in, Escape zooms out. */
import { elementAt } from '../../../containers/element.js';
import { element, boxedDefinitions, button, note } from '../../document/dom-elements.js';
import { quantityText } from '../../document/units.js';
import { inPalette } from '../../figures/strip.js';
import {
  branching,
  flameBoxes,
  nextBox,
  pathOf,
  callersOf,
  calleesOf,
  nameTotals,
  type FlameBox,
  type FlameOrder,
  type FlameNode,
  type NameTotal,
} from './flame-tree.js';
import { replaceContents } from '../chart.js';
import { table, type TableColumn } from '../../figures/sorted-table.js';

const ROW_HEIGHT = 24;

interface FlameChartOptions {
  readonly label: string;
  /** Total time for shares, in ns. */
  readonly whole: number;
  readonly order: FlameOrder;
  /** Whether the root is at the bottom, with its callers above it. */
  readonly isUpward?: boolean;
  /** Links shown after the figures of the focused box. */
  readonly links?: (node: FlameNode) => readonly Node[];
}

function linesOf({ name, time, count, layer }: FlameNode, whole: number): string[] {
  const share = whole <= 0 ? null : time / whole;
  const lines = [
    layer === null ? name : layer.path.join(' / '),
    `${quantityText(time, 'ns')}, ${quantityText(share, 'share')} of kernel time`,
  ];
  const kernels = `${quantityText(count, 'count')} kernels`;
  if (layer === null) return count === null ? lines : [...lines, kernels];
  const { own: ownTime, forward, backward, flops, bytes, why } = layer;
  return [
    ...lines,
    `own ${quantityText(ownTime, 'ns')}, forward ${quantityText(forward, 'ns')}, backward ${quantityText(backward, 'ns')}`,
    `${kernels}, ${quantityText(flops, 'flop')}, ${quantityText(bytes, 'bytes')}, on matrix unit ${quantityText(why.all?.tc ?? null, 'share')}`,
  ];
}

/** Key mapping for a chart that grows upward. */
const UPWARD: Readonly<Record<string, string>> = { ArrowUp: 'ArrowDown', ArrowDown: 'ArrowUp' };

export class FlameChart {
  readonly place: HTMLElement;
  readonly #chart: HTMLElement;
  readonly #status = element('p', { class: 'status', 'aria-live': 'polite' });
  readonly #branches: readonly FlameNode[];
  #focus: FlameNode;
  #order: FlameOrder;

  /** The parameters of the drawing. */
  constructor(
    root: FlameNode,
    private readonly options: FlameChartOptions,
  ) {
    this.#focus = root;
    this.#order = options.order;
    this.#branches = branching(root);
    const label = `${options.label}; arrow keys move, Enter zooms in, Escape zooms out`;
    this.#chart = element('div', { class: 'flame', role: 'group', 'aria-label': label });
    this.#chart.style.height = `${4 * ROW_HEIGHT}px`;
    this.place = element('div', {}, this.#chart, this.#status);
  }

  draw(order = this.#order): void {
    this.#order = order;
    this.#show(this.#focus, false);
  }

  /** @param focus the node that is as wide as the chart, as are all nodes that contain it */
  #show(focus: FlameNode, hasFocus: boolean): void {
    this.#focus = focus;
    const boxes = flameBoxes(focus, this.#order);
    const rows = boxes.reduce((most, { row }) => Math.max(most, row), 0) + 1;
    const made = boxes.map((box) => this.#box(box, focus, rows));
    made.forEach((box, i) =>
      box.addEventListener('keydown', (event) => {
        const key = this.options.isUpward === true ? (UPWARD[event.key] ?? event.key) : event.key;
        const other = nextBox(boxes, elementAt(boxes, i), key);
        if (key === 'Escape' && focus.parent !== null) this.#show(focus.parent, true);
        else if (other !== undefined) made[boxes.indexOf(other)]?.focus();
        else return;
        event.preventDefault();
      }),
    );
    this.#chart.style.height = `${rows * ROW_HEIGHT}px`;
    this.#chart.replaceChildren(...made);
    if (hasFocus) made[boxes.findIndex(({ node }) => node === focus)]?.focus({ preventScroll: true });
  }

  #box({ node, left, width, row }: FlameBox, focus: FlameNode, rows: number): HTMLElement {
    const lines = linesOf(node, this.options.whole);
    const [isFocus, isAbove] = [node === focus, row < pathOf(focus).length - 1];
    const attributes = {
      ...{ type: 'button', class: isAbove ? 'box above-focus' : 'box', tabindex: isFocus ? 0 : -1 },
      ...{ title: lines.join('\n'), 'aria-label': `${node.name}, ${elementAt(lines, 1)}` },
    };
    const made = element('button', attributes, node.name);
    made.style.left = `${left * 100}%`;
    made.style.width = `${width * 100}%`;
    made.style.top = `${(this.options.isUpward === true ? rows - 1 - row : row) * ROW_HEIGHT}px`;
    made.style.setProperty('--hue', this.#colourOf(node));
    made.addEventListener('click', () => this.#show(isFocus ? (node.parent ?? node) : node, true));
    made.addEventListener('focus', () => {
      const links = this.options.links?.(node) ?? [];
      this.#status.replaceChildren(lines.join(' · '), ...links.flatMap((link) => [' · ', link]));
    });
    return made;
  }

  #colourOf(node: FlameNode): string {
    for (let at: FlameNode | null = node; at !== null; at = at.parent) {
      const branch = this.#branches.indexOf(at);
      if (branch >= 0) return inPalette(branch);
    }
    return 'var(--idle)';
  }
}

const ABOUT =
  'Total: time in all boxes with this name, children included; a name nested in itself counts once. Self: without children.';

export class SandwichView {
  readonly place = element('div', { class: 'sandwich' });
  readonly #shown = element('div');
  readonly #names: readonly NameTotal[];

  /** @param what meaning of the boxes: layers, call stacks */
  constructor(
    private readonly root: FlameNode,
    what: string,
  ) {
    this.#names = nameTotals(root);
    const [first] = this.#names.toSorted((a, b) => b.self - a.self);
    const caption = `Names of the ${what}`;
    const names = table({ caption, columns: this.#columns(), rows: this.#names, sortedBy: 1, most: 10 });
    this.place.append(names, note(ABOUT), this.#shown);
    if (first !== undefined) this.choose(first.name, false);
  }

  /** Shows the callers and callees of a name. */
  choose(name: string, hasFocus: boolean): void {
    const total = this.#names.find((entry) => entry.name === name);
    if (total === undefined) return;
    const heading = element('h3', { tabindex: -1, class: 'text' }, name);
    const figures = boxedDefinitions([
      [
        'Total',
        `${quantityText(total.total, 'ns')}, ${quantityText(this.#share(total.total), 'share')} of kernel time`,
      ],
      ['Self', `${quantityText(total.self, 'ns')}, ${quantityText(this.#share(total.self), 'share')}`],
      ['Kernels', quantityText(total.count, 'count')],
    ]);
    const callers = this.#chart(callersOf(this.root, name), `Callers of ${name}`, true);
    const callees = this.#chart(calleesOf(this.root, name), `Callees of ${name}`, false);
    const parts = [element('h4', {}, 'Callers'), callers, element('h4', {}, 'Callees'), callees];
    replaceContents(this.#shown, heading, figures, ...parts);
    if (!hasFocus) return;
    heading.scrollIntoView({ block: 'nearest' });
    heading.focus({ preventScroll: true });
  }

  #chart(node: FlameNode, label: string, isUpward: boolean): HTMLElement {
    const chart = new FlameChart(node, { label, whole: this.root.time, order: 'longest', isUpward });
    chart.draw();
    return chart.place;
  }

  #share(time: number): number | null {
    return this.root.time > 0 ? time / this.root.time : null;
  }

  #columns(): TableColumn<NameTotal>[] {
    const ofKernels = ({ self }: NameTotal): number | null => this.#share(self);
    return [
      {
        title: 'Name',
        cell: ({ name }) => name,
        link: ({ name }, text) => button(text, () => this.choose(name, true), { class: 'link' }),
      },
      { title: 'Self', unit: 'ns', cell: ({ self }) => self },
      { title: 'Self, share', unit: 'share', cell: ofKernels, bar: ofKernels },
      { title: 'Total', unit: 'ns', cell: ({ total }) => total },
      { title: 'Total, share', unit: 'share', cell: ({ total }) => this.#share(total) },
      { title: 'Kernels', unit: 'count', cell: ({ count }) => count },
    ];
  }
}
