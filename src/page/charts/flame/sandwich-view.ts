/** The sandwich view: a table of all names of a flame chart, and the callers and callees of the chosen one. */
import { replaceContents } from '../chart.js';
import { FlameChart } from './flame-chart.js';
import type { FlameNode } from './flame-tree.js';
import { callersOf, calleesOf, nameTotals, type NameTotal } from './sandwich.js';
import { boxedDefinitions, button, element, note } from '../../document/dom-elements.js';
import { quantityText } from '../../document/units.js';
import { table, type TableColumn } from '../../figures/sorted-table.js';

const ABOUT =
  'Total: time in all boxes of a name, with what is in them; within itself a name counts once. Self: without what is in them.';

export class SandwichView {
  readonly place = element('div', { class: 'sandwich' });
  readonly #shown = element('div');
  readonly #names: readonly NameTotal[];

  /** @param what the boxes are: layers, call stacks */
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

  /** Shows what leads to a name and what it leads to. */
  choose(name: string, hasFocus: boolean): void {
    const total = this.#names.find((one) => one.name === name);
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

  #chart(of: FlameNode, label: string, isUpward: boolean): HTMLElement {
    const chart = new FlameChart(of, { label, whole: this.root.time, order: 'longest', isUpward });
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
