/** The search: an input, the count and time of the matches, and buttons that step through them. */
import { button, element } from '../../../document/dom-elements.js';
import { quantityText } from '../../../document/units.js';
import { showElsewhere, type SearchElsewhere } from './elsewhere.js';
import { showMatches } from './match-list.js';
import type { Scene } from '../../model/scene.js';
import { nextMatch, ofOwnSteps, type MatchSum, type SearchMatches, type StepSpan } from '../../model/search.js';

/** Time in ms without a key before a search starts. */
const PAUSE = 150;

interface SearchBox {
  readonly place: HTMLElement;
  /** Tables of the matches: in the shown piece, and in others. */
  readonly lists: readonly HTMLElement[];
  readonly focus: () => void;
  readonly step: (step: 1 | -1) => void;
}

function sumText({ count, time, share }: MatchSum, side: string): string {
  return `${quantityText(count, 'count')} on ${side}, ${quantityText(time, 'ns')} (${quantityText(share, 'share')})`;
}

/**
 * '1 match', '12 matches', '3 of 12 matches' when one of them is selected; counts bars when these represent several
 * events.
 */
function countText(matches: number, selected: number | null, isMerged: boolean): string {
  const [one, many] = isMerged ? ['bar', 'bars'] : ['match', 'matches'];
  const all = `${quantityText(matches, 'count')} ${matches === 1 ? one : many}`;
  return selected === null || matches === 1 ? all : `${quantityText(selected + 1, 'count')} of ${all}`;
}

/** `, 676 of step 16`: device work during a step may belong to other steps. */
function stepText({ events }: Scene, matches: SearchMatches, steps: StepSpan | null): string {
  const own = steps === null ? null : ofOwnSteps(events, matches, steps);
  if (steps === null || own === null) return '';
  const [first, last] = steps;
  return `, ${quantityText(own, 'count')} of ${first === last ? `step ${first}` : `steps ${first} to ${last}`}`;
}

/** @param elsewhere what is known about other pieces */
function matchText(scene: Scene, steps: StepSpan | null, elsewhere: string | null): string {
  const { matches, shown, events } = scene;
  if (matches === null) return '';
  const { device, host, list, problem, remark } = matches;
  if (problem !== null) return [problem, ...(elsewhere === null ? [] : [elsewhere])].join('; ');
  const rest = [remark, elsewhere].filter((one) => one !== null);
  if (list.length === 0) return [elsewhere === null ? 'no match' : 'no match here', ...rest].join('; ');
  const selected = shown.event !== null && matches.isMatch[shown.event] === 1 ? list.indexOf(shown.event) : null;
  const sides = [
    ...(device.count > 0 ? [`${sumText(device, 'devices')}${stepText(scene, matches, steps)}`] : []),
    ...(host.count > 0 ? [sumText(host, 'threads')] : []),
    ...rest,
  ];
  return `${countText(list.length, selected, events.merged !== null)}: ${sides.join('; ')}`;
}

/**
 * @param steps steps of the shown piece
 * @param elsewhere present when there are other pieces
 */
export function showSearch(scene: Scene, steps: StepSpan | null, elsewhere?: SearchElsewhere): SearchBox {
  const field = element('input', {
    type: 'search',
    placeholder: 'gemm, op==mm && tflops<50',
    'aria-label': 'Search events: words, field:text, dur>10us, or a condition: op==mm && tflops<50',
    spellcheck: 'false',
    autocomplete: 'off',
    maxlength: 1000,
  });
  const list = showMatches(scene);
  const status = element('output', { class: 'tl-matches', role: 'status' });
  const announce = (looking?: string): void => {
    status.textContent = looking ?? matchText(scene, steps, others.text());
  };
  const others = showElsewhere(scene, elsewhere, announce);
  const step = (by: 1 | -1): void => {
    const { matches, shown } = scene;
    const event = list.next(by) ?? (matches === null ? null : nextMatch(matches, shown.event, by));
    if (event !== null) scene.find(event);
    else others.go();
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
  scene.on(['search'], () => {
    const isLinked = field.value !== scene.shown.search;
    if (isLinked) field.value = scene.shown.search;
    status.classList.toggle('tl-problem', scene.matches !== null && scene.matches.problem !== null);
    others.changed(isLinked);
    announce();
  });
  scene.on(['event'], () => {
    if (scene.matches !== null) announce();
  });
  const place = element('div', { class: 'tl-search', role: 'search' }, field, previous, next, status, others.button);
  return {
    place,
    lists: [list.place, others.list],
    step,
    focus: () => field.focus(),
  };
}
