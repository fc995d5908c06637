/** Names of lanes at the left, and buttons that collapse and expand their groups, and lanes of many rows. */
import { element } from '../../document/dom-elements.js';
import type { Scene } from '../model/scene.js';
import type { PlacedGroup, PlacedLane } from '../model/layout.js';
import { AXIS } from '../draw/size.js';
import { extraNames } from './track-names.js';

/** The lane's name; of one with many rows a button that opens and folds it. */
function laneName({ name, top, height, fold }: PlacedLane): HTMLElement {
  const style = `top:${AXIS + top}px;height:${height}px`;
  if (fold === null) return element('span', { class: 'tl-lane', title: name, style }, name);
  const { key, isOpen, rows } = fold;
  const title = `${name}: ${rows} rows`;
  const attributes = {
    type: 'button',
    class: 'tl-lane tl-fold',
    title,
    'data-lane': key,
    'aria-expanded': String(isOpen),
  };
  return element('button', { ...attributes, style }, `${isOpen ? '▾' : '▸'} ${name} (${rows} rows)`);
}

function groupButton({ name, isOpen, top, height, lanes }: PlacedGroup): HTMLElement {
  const attributes = {
    type: 'button',
    class: 'tl-group',
    title: lanes === 0 ? name : `${name}: ${lanes} lanes`,
    'data-name': name,
    'aria-expanded': String(isOpen),
    style: `top:${AXIS + top}px;height:${height}px`,
  };
  return element('button', attributes, `${isOpen ? '▾' : '▸'} ${name}${lanes === 0 ? '' : ` (${lanes})`}`);
}

/** The set without the name, or with it. */
function toggled(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(names);
  if (!next.delete(name)) next.add(name);
  return next;
}

/** Names of the lanes that scroll, and of those that are pinned. */
interface LaneNames {
  readonly scrolled: HTMLElement;
  readonly pinned: HTMLElement;
}

export function showNames(scene: Scene): LaneNames {
  const scrolled = element('div', { class: 'tl-names' });
  const pinned = element('div', { class: 'tl-pinned' });
  const show = (): void => {
    const { groups, lanes } = scene.layout;
    const height = scene.shown.pinned;
    const of = (isPinned: boolean): HTMLElement[] => {
      const isOf = ({ top }: { readonly top: number }): boolean => top < height === isPinned;
      return [
        ...groups.filter(isOf).map(groupButton),
        ...extraNames(scene.layout, isOf),
        ...lanes.filter(isOf).map(laneName),
      ];
    };
    pinned.style.height = `${AXIS + height}px`;
    pinned.hidden = height === 0;
    pinned.replaceChildren(...of(true));
    scrolled.replaceChildren(...of(false));
  };
  const onClick = ({ target }: Event): void => {
    const pressed = target instanceof Element ? target.closest('button') : null;
    if (pressed === null) return;
    const { name, lane } = pressed.dataset;
    const { closed, opened } = scene.shown;
    if (name !== undefined) scene.set({ closed: toggled(closed, name) });
    if (lane !== undefined) scene.set({ opened: toggled(opened, lane) });
    // The buttons are new elements: the focus has to be set again.
    const isPressed = ({ dataset }: HTMLElement): boolean => dataset['name'] === name && dataset['lane'] === lane;
    const buttons = [pinned, scrolled].flatMap((place) => [...place.querySelectorAll('button')]);
    buttons.find(isPressed)?.focus();
  };
  for (const place of [pinned, scrolled]) place.addEventListener('click', onClick);
  scene.on(['closed', 'opened', 'pinned'], show);
  show();
  return { scrolled, pinned };
}
