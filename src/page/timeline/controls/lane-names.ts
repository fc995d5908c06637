/** Names of lanes at the left, and buttons that collapse and expand their groups. */
import { element } from '../../document/dom-elements.js';
import type { Scene } from '../model/scene.js';
import { AXIS } from '../draw/size.js';

export function showNames(scene: Scene): HTMLElement {
  const place = element('div', { class: 'tl-names' });
  const toggle = (name: string): void => {
    const closed = new Set(scene.shown.closed);
    if (!closed.delete(name)) closed.add(name);
    scene.set({ closed });
  };
  const show = (): void => {
    const { groups, lanes } = scene.layout;
    const at = (top: number, height: number): string => `top:${AXIS + top}px;height:${height}px`;
    const buttons = groups.map(({ name, isOpen, top, height, lanes: count }) => {
      const attributes = {
        type: 'button',
        class: 'tl-group',
        title: `${name}: ${count} lanes`,
        'data-name': name,
        'aria-expanded': String(isOpen),
        style: at(top, height),
      };
      const made = element('button', attributes, `${isOpen ? '▾' : '▸'} ${name} (${count})`);
      made.addEventListener('click', () => {
        toggle(name);
        // The buttons are new elements: the focus has to be set again.
        [...place.querySelectorAll('button')].find(({ dataset }) => dataset['name'] === name)?.focus();
      });
      return made;
    });
    const texts = lanes.map(({ name, top, height }) =>
      element('span', { class: 'tl-lane', title: name, style: at(top, height) }, name),
    );
    place.replaceChildren(...buttons, ...texts);
  };
  scene.on(['closed'], show);
  show();
  return place;
}
