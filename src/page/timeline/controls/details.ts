/** Details of the selected event, with links to its launch or to the events that it launched. */
import { elementAt } from '../../../containers/element.js';
import { button, element } from '../../document/dom-elements.js';
import { countOf, dependenciesOf, launchedBy, textOf, type Dependent } from '../events/events.js';
import { inLayer, ofOp } from '../../document/timeline-target.js';
import { allFacts, explainCommand, type EventFact } from '../events/event-facts.js';
import { sameSequence } from '../events/kernel-facts.js';
import type { Scene } from '../model/scene.js';

const MOST_LINKS = 20;

/** Values that lead to all events that have them: the condition of the search. */
const SEARCHES: Readonly<Record<string, ((value: string) => string) | undefined>> = {
  op: (op) => ofOp(op).condition,
  layer: (path) => inLayer([path]).condition,
};

/** A fact in a box of its own, so that facts fill columns. */
const factBox = (title: string, ...values: readonly (HTMLElement | string)[]): HTMLElement =>
  element('div', {}, element('dt', {}, title), element('dd', { class: 'tl-links' }, ...values));

/** Facts as a list; one without a name goes on with the one before. */
function factItems(scene: Scene, facts: readonly EventFact[]): HTMLElement[] {
  const boxes: HTMLElement[] = [];
  for (const [name, value] of facts) {
    const condition = value === 'na' ? undefined : SEARCHES[name]?.(value);
    const shown =
      condition === undefined
        ? value
        : button(value, () => scene.set({ search: condition }), { title: `Search for ${condition}` });
    if (name === '') boxes.at(-1)?.append(element('dd', { class: 'tl-links' }, shown));
    else boxes.push(factBox(name, shown));
  }
  return boxes;
}

/** @param profile its index in the file of that name, where the timeline is of one */
export function showDetails(scene: Scene, profile: number, file: string): HTMLElement {
  const { events } = scene;
  const place = element('section', { class: 'tl-details', 'aria-live': 'polite', 'aria-label': 'Selected event' });
  const link = (event: number): HTMLElement =>
    button(textOf(events, 'name', event) ?? `event ${event}`, () => scene.select(event));
  const list = (title: string, items: readonly (HTMLElement | string)[]): HTMLElement[] => {
    if (items.length === 0) return [];
    const more = items.length > MOST_LINKS ? [` and ${items.length - MOST_LINKS} more`] : [];
    return [factBox(title, ...items.slice(0, MOST_LINKS), ...more)];
  };
  const links = (title: string, others: readonly number[]): HTMLElement[] => list(title, others.map(link));
  const dependents = (title: string, others: readonly Dependent[]): HTMLElement[] =>
    list(
      title,
      others.map(({ event, what }) => element('div', {}, event === null ? 'not shown' : link(event), ` (${what})`)),
    );
  const show = (): void => {
    const { event } = scene.shown;
    if (event === null) {
      place.replaceChildren(element('p', { class: 'tl-hint' }, 'Click an event for its details.'));
      return;
    }
    const launcher = elementAt(events.arrows.launcher, event);
    const command = explainCommand(events, event, profile, file);
    const { before, after } = dependenciesOf(events, event);
    const facts = element(
      'dl',
      {},
      ...factItems(scene, allFacts(events, event)),
      ...links('launched by', launcher === -1 ? [] : [launcher]),
      ...links('launched', launchedBy(events, event)),
      ...links('forward, backward', countOf(events, event) > 1 ? [] : sameSequence(events, event)),
      ...dependents('waited for', before),
      ...dependents('waited for by', after),
      ...(command === null ? [] : [factBox('explain', element('code', { class: 'tl-command' }, command))]),
    );
    place.replaceChildren(element('h3', {}, textOf(events, 'name', event) ?? 'na'), facts);
  };
  scene.on(['event'], show);
  show();
  return place;
}
