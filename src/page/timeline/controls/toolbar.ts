/** Buttons of a timeline, with the same actions as the keys, and the legend of its colours. */
import { button, element, select } from '../../document/dom-elements.js';
import { COLOUR_KEYS, COLOUR_TITLES, legendNames, STRONG, UNKNOWN, type LegendEntry } from '../events/event-colours.js';
import { actOn, type KeyActions } from './keys.js';
import type { Scene } from '../model/scene.js';
import { CONDITION_KEYS } from '../model/condition-columns.js';
import { plural } from '../../../record/plural.js';
import { elementAt } from '../../../containers/element.js';
import { shortenedTexts } from '../../../table/shortened-texts.js';
import { quantityText } from '../../document/units.js';
import { FULL, PRINTED, readTheme, styleOf, watchTheme, type CanvasTheme } from '../draw/canvas-colours.js';

/** Characters of a text of the legend. */
const LEGEND_WIDTH = 36;

function title({ text, count, device, host }: LegendEntry): string {
  const times = [
    ...(device > 0 ? [`${quantityText(device, 'ns')} on devices`] : []),
    ...(host > 0 ? [`${quantityText(host, 'ns')} on threads`] : []),
  ];
  return [`${text ?? 'unknown'}: ${quantityText(count, 'count')} events`, ...times].join(', ');
}

export function showLegend(scene: Scene, signal: AbortSignal): HTMLElement {
  const place = element('div', { class: 'tl-legend', role: 'group', 'aria-label': 'Colours' });
  let theme: CanvasTheme = PRINTED;
  const swatch = (slot: number): HTMLElement => {
    const made = element('i', { 'aria-hidden': 'true' });
    made.style.background = elementAt(theme.fills, styleOf(slot, FULL));
    return made;
  };
  const show = (): void => {
    const { legend, rest } = scene.colours;
    const { colour } = scene.shown;
    const field = colour === 'kernel' ? 'name' : colour;
    const short = shortenedTexts(legendNames(scene.events, legend), LEGEND_WIDTH);
    const entries = legend.map((entry, i) => {
      const { text, slot } = entry;
      const inside = [swatch(slot), element('span', {}, elementAt(short, i))];
      if (text === null || slot === UNKNOWN) return element('span', { title: title(entry) }, ...inside);
      const made = element('button', { type: 'button', title: title(entry) }, ...inside);
      made.addEventListener('click', () => {
        // The text up to its first quote, because a quote would end the search term.
        const [start = ''] = text.split('"');
        scene.set({ search: `${field}:"${start}"` });
      });
      return made;
    });
    const others = `${quantityText(rest.count, 'count')} ${plural(rest.count, 'other')}, paler (${quantityText(rest.time, 'ns')})`;
    const pale = element('span', {}, swatch(STRONG), element('span', {}, others));
    place.replaceChildren(...entries, ...(rest.count === 0 ? [] : [pale]));
  };
  const applyTheme = (isPrinted: boolean): void => {
    theme = isPrinted ? PRINTED : readTheme(place);
    show();
  };
  scene.on(['colour'], show);
  watchTheme(applyTheme, signal);
  // The theme can only be read once the legend is part of the page.
  requestAnimationFrame(() => applyTheme(matchMedia('print').matches));
  show();
  return place;
}

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['drag on the axis', 'zoom to the dragged time'],
  ['drag, arrows, A D, shift + wheel', 'move'],
  ['W S, + −, ctrl + wheel', 'zoom (click first to use the wheel without keys)'],
  ['0', 'show all'],
  ['F', 'fill the view with the selection'],
  [
    'shift + drag',
    'select time on the lanes you drag over, or on all lanes (drag on the axis); drag an edge to move it',
  ],
  ['X, shift + X', 'select the visible span or the selected event'],
  [', .', 'move the start of the selection'],
  ['< >', 'move its end'],
  ['L, shift + L', 'add the next lane or remove the last'],
  ['click on a name', 'select only this lane or group (shift: add it); arrow keys move between names'],
  ['escape', 'clear'],
  ['shift + arrows', 'go from event to event'],
  ['N, shift + N', 'next match, previous match'],
  ['M, right click', 'place a marker (M works without clicking the timeline first)'],
  ['/', 'search'],
  ['[ ]', 'show the previous or next piece'],
];

const SEARCH =
  'Search for words or "quoted words". To search one field, put name: op: layer: category: dtype: tc: kind: lane: or group: before a word. ' +
  'To set a bound, put dur> start> flops> bytes> ' +
  'id: before a number (10us, 1.5ms, 2G). Or a condition, as in dprof --where: op==mm && (tflops<50 || dir==bprop). Fields: ' +
  `${CONDITION_KEYS.join(' ')}; here group is the group of lanes.`;

function keyHelp(): HTMLElement {
  const rows = KEYS.map(([keys, what]) =>
    element('tr', {}, element('th', { scope: 'row' }, element('kbd', {}, keys)), element('td', {}, what)),
  );
  const table = element('table', {}, element('caption', {}, 'Keys of the timeline'), element('tbody', {}, ...rows));
  return element('details', { class: 'tl-help' }, element('summary', {}, 'Keys'), table, element('p', {}, SEARCH));
}

/** A button that stays pressed while dragging selects. */
function spanToggle(scene: Scene): HTMLElement {
  const flip = (): void => scene.set({ spanning: !scene.shown.spanning });
  const made = button('Select', flip, { title: 'Drag to select a span of time on the lanes you drag over' });
  const show = (): void => made.setAttribute('aria-pressed', String(scene.shown.spanning));
  scene.on(['spanning'], show);
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
      spanToggle(scene),
    ),
    colour,
    search,
    keyHelp(),
  );
}
