/** Buttons of a timeline, for the actions of the keys. */
import { button, element, select } from '../../document/dom-elements.js';
import { COLOUR_KEYS, COLOUR_TITLES } from '../events/event-colours.js';
import { CONDITION_KEYS } from '../model/condition-columns.js';
import { actOn, type KeyActions } from './keys.js';
import type { Scene, SceneState } from '../model/scene.js';

const HELP =
  'Drag or arrows or A/D move; ctrl+wheel (or the wheel after a click) or W/S or +/- zoom; shift+wheel moves sideways; ' +
  '0 shows all, F fills the view with the selection; shift+drag selects a span of time on the lanes ' +
  'that it covers, on the axis on all; its edges can be dragged; X selects the span in sight, shift+X the selected event, ' +
  ', and . move the start of the selection, < and > its end, L adds the next lane and shift+L takes the last one out; a ' +
  'click on the name of a lane or group selects it alone, with shift it is added (arrows go from name to name); ' +
  'escape clears; shift+arrows go from event to event; N goes to the next match, M places a marker, / searches, [ and ] show the piece before and after. Search: words, "quoted words", name: op: layer: dtype: tc: ' +
  'kind: lane: group: before a word, dur> start> flops> bytes> id: before a number (10us, 1.5ms, 2G). Or a ' +
  'condition as of dprof --where: op==mm && (tflops<50 || dir==bprop). It knows ' +
  `${CONDITION_KEYS.join(' ')}; group is the group of lanes here.`;

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
      toggle(scene, 'arrows', 'Arrows', 'Arrows of all launches, where at most 300 are in sight'),
    ),
    colour,
    search,
    element('details', { class: 'tl-help' }, element('summary', {}, 'Keys'), element('p', {}, HELP)),
  );
}
