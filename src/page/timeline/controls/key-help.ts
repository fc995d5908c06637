/** Keys and gestures of a timeline as a table, and what a search understands. */
import { element } from '../../document/dom-elements.js';
import { CONDITION_KEYS } from '../model/condition-columns.js';

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['drag on the axis', 'zoom to the time that it covers'],
  ['drag, arrows, A D, shift + wheel', 'move'],
  ['W S, + −, ctrl + wheel', 'zoom; the wheel alone after a click'],
  ['0', 'show all'],
  ['F', 'fill the view with the selection'],
  ['shift + drag', 'select time on the lanes that it covers; on the axis on all; edges can be dragged'],
  ['X, shift + X', 'select the span in sight, the selected event'],
  [', .', 'move the start of the selection'],
  ['< >', 'move its end'],
  ['L, shift + L', 'add the next lane, take the last one out'],
  ['click on a name', 'select the lane or group alone; with shift add it; arrows go from name to name'],
  ['escape', 'clear'],
  ['shift + arrows', 'go from event to event'],
  ['N, shift + N', 'next match, the one before'],
  ['M, right click', 'place a marker: M also without a click into the timeline'],
  ['/', 'search'],
  ['[ ]', 'show the piece before, after'],
];

const SEARCH =
  'Search: words, "quoted words", name: op: layer: dtype: tc: kind: lane: group: before a word, dur> start> flops> bytes> ' +
  'id: before a number (10us, 1.5ms, 2G). Or a condition as of dprof --where: op==mm && (tflops<50 || dir==bprop). It knows ' +
  `${CONDITION_KEYS.join(' ')}; group is the group of lanes here.`;

export function keyHelp(): HTMLElement {
  const rows = KEYS.map(([keys, what]) =>
    element('tr', {}, element('th', { scope: 'row' }, element('kbd', {}, keys)), element('td', {}, what)),
  );
  const table = element('table', {}, element('caption', {}, 'Keys of the timeline'), element('tbody', {}, ...rows));
  return element('details', { class: 'tl-help' }, element('summary', {}, 'Keys'), table, element('p', {}, SEARCH));
}
