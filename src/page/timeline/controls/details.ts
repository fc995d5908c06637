/** Details of the selected event, with links to its launch or to the events that it launched. */
import { elementAt } from '../../../containers/element.js';
import { button, definitions, element } from '../../document/dom-elements.js';
import { launchedBy, textOf } from '../model/events.js';
import { allFacts, explainCommand } from '../model/event-facts.js';
import type { Scene } from '../model/scene.js';

const MOST_LINKS = 20;

/** @param profile its index in the file of that name */
export function showDetails(scene: Scene, profile: number, file: string): HTMLElement {
  const { events } = scene;
  const place = element('section', { class: 'tl-details', 'aria-live': 'polite', 'aria-label': 'Selected event' });
  const link = (event: number): HTMLElement =>
    button(textOf(events, 'name', event) ?? `event ${event}`, () => scene.select(event));
  const links = (title: string, list: readonly number[]): HTMLElement[] => {
    if (list.length === 0) return [];
    const more = list.length > MOST_LINKS ? [` and ${list.length - MOST_LINKS} more`] : [];
    return [
      element('dt', {}, title),
      element('dd', { class: 'tl-links' }, ...list.slice(0, MOST_LINKS).map(link), ...more),
    ];
  };
  const show = (): void => {
    const { event } = scene.shown;
    if (event === null) {
      place.replaceChildren(element('p', { class: 'tl-hint' }, 'Click an event for its details.'));
      return;
    }
    const launcher = elementAt(events.arrows.launcher, event);
    const command = explainCommand(events, event, profile, file);
    const list = element(
      'dl',
      {},
      ...definitions(allFacts(events, event)),
      ...links('launched by', launcher === -1 ? [] : [launcher]),
      ...links('launched', launchedBy(events, event)),
      ...(command === null ? [] : definitions([['explain', element('code', { class: 'tl-command' }, command)]])),
    );
    place.replaceChildren(element('h3', {}, textOf(events, 'name', event) ?? 'na'), list);
  };
  scene.on(['event'], show);
  show();
  return place;
}
