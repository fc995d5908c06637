/**
 * Kernel time as a flame chart: the width of a layer or frame is its time, and it is below the one that contains it.
 * The sandwich view shows all boxes with one name together, between their callers and their callees.
 */
import { lacking } from '../capture-hints.js';
import { elementAt } from '../../containers/element.js';
import { replaceContents } from '../charts/chart.js';
import { FlameChart, SandwichView } from '../charts/flame/flame-chart.js';
import { FLAME_ORDERS, layerFlame, stackFlame, type FlameOrder, type FlameNode } from '../charts/flame/flame-tree.js';
import { button, element, note, select } from '../document/dom-elements.js';
import { keepChoice, keptChoice } from '../document/kept-choice.js';
import { inLayer } from '../document/timeline-target.js';
import { eventsLink } from '../document/timeline-link.js';
import { whenVisible } from '../document/when-visible.js';
import { followsWork, type PanelContent, type Panel, type PanelView } from '../panel.js';

const ORDER_NAMES: Readonly<Record<FlameOrder, string>> = { time: 'in time order', longest: 'longest first' };

const VIEWS = ['chart', 'sandwich'] as const;
type FlameView = (typeof VIEWS)[number];
const VIEW_NAMES: Readonly<Record<FlameView, string>> = { chart: 'Flame chart', sandwich: 'Sandwich' };

/** The trees that the chart may show, each with its root. */
function kindsOf({ profile: { layers, stacks, overview } }: PanelView): (readonly [name: string, root: FlameNode])[] {
  const whole = overview.kernels?.time ?? null;
  const isCut = layers.count > layers.shown.length;
  return [
    ...(layers.shown.length === 0 ? [] : [['layers', layerFlame(layers.shown, whole, isCut)] as const]),
    ...(stacks === null ? [] : [['call stacks', stackFlame(stacks, whole)] as const]),
  ];
}

const HINT = 'Width is device time. Click a box (or press Enter) to zoom in, again to zoom out.';

/** The view when the address states no other. */
const FIRST_VIEW: FlameView = 'chart';
const FIRST_ORDER: FlameOrder = 'time';
/** Parameter names in the address. */
const KEPT = { kind: 'flame.of', view: 'flame.view', order: 'flame.order' } as const;

class FlamePlace {
  readonly #place = element('div');
  readonly #chooser = element('div', { class: 'above' });
  readonly #kinds: ReturnType<typeof kindsOf>;
  #kind: number;
  #order: FlameOrder;

  constructor(
    private readonly view: PanelView,
    kinds: ReturnType<typeof kindsOf>,
  ) {
    this.#kinds = kinds;
    this.#kind = keptChoice(KEPT.kind, [...kinds.keys()], 0);
    this.#order = keptChoice(KEPT.order, FLAME_ORDERS, FIRST_ORDER);
    this.#show(keptChoice(KEPT.view, VIEWS, FIRST_VIEW));
  }

  get content(): Node[] {
    return [this.#chooser, note(HINT), this.#place];
  }

  /** @param name the name chosen in the sandwich view */
  #show(shown: FlameView, name: string | null = null): void {
    const [what, root] = elementAt(this.#kinds, this.#kind);
    keepChoice(KEPT.view, shown, FIRST_VIEW);
    if (shown === 'sandwich') {
      const sandwich = new SandwichView(root, what);
      this.#choices(shown, null);
      replaceContents(this.#place, sandwich.place);
      if (name !== null) sandwich.choose(name, true);
      return;
    }
    const links = (node: FlameNode): Node[] => this.#links(node);
    const chart = new FlameChart(root, { label: 'Flame chart', whole: root.time, order: this.#order, links });
    this.#choices(shown, chart);
    replaceContents(this.#place, chart.place);
    whenVisible(chart.place, () => chart.draw());
  }

  /** @param chart null for the sandwich view, in which the longest are first */
  #choices(shown: FlameView, chart: FlameChart | null): void {
    const hadFocus = this.#chooser.contains(document.activeElement);
    const label = document.activeElement?.getAttribute('aria-label');
    const change = (kind: number): void => {
      this.#kind = kind;
      keepChoice(KEPT.kind, kind, 0);
      this.#show(shown);
    };
    const reorder = (order: FlameOrder): void => {
      this.#order = order;
      keepChoice(KEPT.order, order, FIRST_ORDER);
      chart?.draw(order);
    };
    const kinds = this.#kinds.map(([name], i) => [i, name] as const);
    const views = VIEWS.map((view) => [view, VIEW_NAMES[view]] as const);
    const orders = FLAME_ORDERS.map((order) => [order, ORDER_NAMES[order]] as const);
    this.#chooser.replaceChildren(
      ...(kinds.length > 1 ? [select('Chart of', kinds, this.#kind, change)] : []),
      select('View', views, shown, (view) => this.#show(view)),
      ...(chart === null ? [] : [select('Order', orders, this.#order, reorder)]),
    );
    if (hadFocus) this.#chooser.querySelector<HTMLElement>(`[aria-label="${label ?? ''}"]`)?.focus();
  }

  #links({ name, layer, parent, isRest }: FlameNode): Node[] {
    const inTimeline = layer === null ? null : eventsLink(this.view, 'in the timeline', inLayer(layer.path));
    const around = (): void => this.#show('sandwich', name);
    const hasName = parent !== null && !isRest;
    return [
      ...(inTimeline === null ? [] : [inTimeline]),
      ...(hasName ? [button('callers and callees', around, { class: 'link' })] : []),
    ];
  }
}

function make(view: PanelView): PanelContent {
  const kinds = kindsOf(view);
  return kinds.length === 0 ? lacking(view, 'layers') : new FlamePlace(view, kinds).content;
}

export const FLAME: Panel = {
  ...{ id: 'flame', title: 'Flame chart', width: 6, make },
  follows: (whole, within) =>
    followsWork(whole) && (whole.stacks === null || within.stacks !== null || within.overview.kernels === null),
};
