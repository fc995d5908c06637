/** Buttons of a timeline, for the actions of the keys. */
import { button, element, select } from '../../document/dom-elements.js';
import { COLOUR_KEYS, COLOUR_TITLES } from '../events/event-colours.js';
import { keyHelp } from './key-help.js';
import { actOn, type KeyActions } from './keys.js';
import type { Scene, SceneState } from '../model/scene.js';
import { MOST_ARROWS } from '../model/shown-arrows.js';

/** A button that stays pressed while a flag of the scene is set. */
function toggle(scene: Scene, key: 'spanning' | 'arrows', label: string, title: string): HTMLElement {
  const flip = (): void => {
    const change: Partial<SceneState> = { [key]: !scene.shown[key] };
    scene.set(change);
  };
  const made = button(label, flip, { title });
  const show = (): void => made.setAttribute('aria-pressed', String(scene.shown[key]));
  scene.on([key], show);
  show();
  return made;
}

export function showToolbar(scene: Scene, keys: KeyActions, search: HTMLElement): HTMLElement {
  const key = (label: string, name: string, title: string): HTMLElement =>
    button(label, () => actOn(name, false, keys), { title, 'aria-label': title });
  const choices = COLOUR_KEYS.map((key) => [key, COLOUR_TITLES[key]] as const);
  const colour = select('Colour by', choices, scene.shown.colour, (chosen) => scene.set({ colour: chosen }));
  scene.on(['colour'], () => {
    const box = colour.querySelector('select');
    if (box !== null) box.value = scene.shown.colour;
  });
  return element(
    'div',
    { class: 'tl-bar' },
    element(
      'div',
      { class: 'tl-buttons' },
      key('−', '-', 'Zoom out'),
      key('+', '+', 'Zoom in'),
      key('All', '0', 'Show all'),
      toggle(scene, 'spanning', 'Select', 'Dragging selects a span of time on the lanes that it covers'),
      toggle(scene, 'arrows', 'Arrows', `Arrows of all launches, where at most ${MOST_ARROWS} are in sight`),
    ),
    colour,
    search,
    keyHelp(),
  );
}
