/** The search: an input, the count and time of the matches, and buttons that go from match to match. */
import { button, element } from '../../document/dom-elements.js';
import { quantityText } from '../../document/units.js';
import type { Scene } from '../model/scene.js';
import { nextMatch, type SearchMatches, type MatchSum } from '../model/search.js';

/** ms without a key before a search starts. */
const PAUSE = 150;

interface SearchBox {
  readonly place: HTMLElement;
  readonly focus: () => void;
  readonly step: (step: 1 | -1) => void;
}

function sumText({ count, time, share }: MatchSum, side: string): string {
  return `${quantityText(count, 'count')} on ${side}, ${quantityText(time, 'ns')} (${quantityText(share, 'share')})`;
}

function matchText(matches: SearchMatches | null): string {
  if (matches === null) return '';
  const { device, host } = matches;
  if (device.count + host.count === 0) return 'no match';
  const sides = [device.count > 0 ? sumText(device, 'devices') : '', host.count > 0 ? sumText(host, 'threads') : ''];
  return `${quantityText(matches.list.length, 'count')} ${matches.list.length === 1 ? 'match' : 'matches'}: ${sides.filter((side) => side !== '').join('; ')}`;
}

/** Searches the other pieces of the profile, and shows the first that has a match. @returns whether one has */
export type SearchElsewhere = (query: string, looking: (piece: string) => void) => Promise<boolean>;

/** @param elsewhere where there are other pieces */
export function showSearch(scene: Scene, elsewhere?: SearchElsewhere): SearchBox {
  const field = element('input', {
    type: 'search',
    placeholder: 'gemm, op:linear, dur>10us',
    'aria-label': 'Search events: words, field:text, dur>10us, or a condition: op==linear && dur>10us',
    spellcheck: 'false',
    autocomplete: 'off',
    maxlength: 1000,
  });
  const status = element('output', { class: 'tl-matches', role: 'status' });
  const step = (by: 1 | -1): void => {
    const event = scene.matches === null ? null : nextMatch(scene.matches, scene.shown.event, by);
    if (event !== null) scene.select(event);
  };
  let pause: ReturnType<typeof setTimeout> | undefined;
  const searchNow = (): void => {
    clearTimeout(pause);
    scene.set({ search: field.value });
  };
  field.addEventListener('input', () => {
    clearTimeout(pause);
    pause = setTimeout(searchNow, PAUSE);
  });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    searchNow();
    step(event.shiftKey ? -1 : 1);
  });
  const stepButton = (sign: string, by: 1 | -1, label: string, key: string): HTMLElement =>
    button(sign, () => step(by), { 'aria-label': label, title: `${label.toLowerCase()} (${key})` });
  const previous = stepButton('‹', -1, 'Previous match', 'shift+N');
  const next = stepButton('›', 1, 'Next match', 'N');
  const others = button('Look in the other pieces', () => {
    others.hidden = true;
    if (elsewhere === undefined) return;
    const looking = (piece: string): string => (status.textContent = `looking in ${piece} …`);
    const tell = (isFound: boolean): void => {
      if (!isFound) status.textContent = 'no match in any piece that the page holds';
    };
    elsewhere(scene.shown.search, looking).then(tell, () => tell(false));
  });
  others.hidden = true;
  scene.on(['search'], () => {
    others.hidden = elsewhere === undefined || scene.matches?.list.length !== 0;
    if (field.value !== scene.shown.search) field.value = scene.shown.search;
    status.textContent = matchText(scene.matches);
  });
  const place = element('div', { class: 'tl-search', role: 'search' }, field, previous, next, status, others);
  return {
    place,
    step,
    focus: () => field.focus(),
  };
}
