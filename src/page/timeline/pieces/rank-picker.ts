/** The choice of the ranks that a timeline shows: one, all, the late ones, or any by boxes to check. */
import { button, element, filterField } from '../../document/dom-elements.js';
import { byInterest, chosenRanks, MOST_RANKS, type PageRank, type RankChoice } from './page-ranks.js';

interface RankPicker {
  readonly place: HTMLElement;
  readonly show: (choice: RankChoice) => void;
}

/** Counts of ranks that buttons choose, where there are more. */
const FIRST = [4, 8, 16, 32, MOST_RANKS];
/** More ranks than this have a filter. */
const MANY = 16;

/** An entry of the list: its value, its text, and what it chooses. */
type ChoiceEntry = readonly [value: string, text: string, choice: RankChoice];

export function pickRanks(ranks: readonly PageRank[], own: PageRank, choose: (choice: RankChoice) => void): RankPicker {
  const late = ranks.filter(({ isLate }) => isLate).map(({ profile }) => profile);
  const all = ranks.length > MOST_RANKS ? `${MOST_RANKS} of ${ranks.length} ranks` : `all ${ranks.length} ranks`;
  const entries: readonly ChoiceEntry[] = [
    ['one', `${own.name} alone`, null],
    ['all', all, 'all'],
    ...(late.length === 0 ? [] : [['late', `late ranks (${late.length})`, late] as const]),
  ];
  const box = element('select', { 'aria-label': 'Ranks shown' });
  box.addEventListener('change', () => {
    const entry = entries.find(([value]) => value === box.value);
    if (entry !== undefined) choose(entry[2]);
  });
  const boxes = rankBoxes(ranks, own, choose);
  const more = element('details', { class: 'tl-choose' }, element('summary', {}, 'Choose ranks'), boxes.place);
  const show = (choice: RankChoice): void => {
    const chosen = chosenRanks(ranks, own.profile, choice).map(({ profile }) => profile);
    const isSame = (one: RankChoice): boolean =>
      chosenRanks(ranks, own.profile, one)
        .map(({ profile }) => profile)
        .join() === chosen.join();
    const found = entries.find(([, , one]) => isSame(one));
    const shown = found === undefined ? [...entries, ['some', `${chosen.length} ranks`, choice] as const] : entries;
    box.replaceChildren(...shown.map(([value, text]) => element('option', { value }, text)));
    box.value = found?.[0] ?? 'some';
    boxes.show(new Set(chosen));
  };
  const label = element('label', { class: 'choice' }, element('span', {}, 'Ranks'), box);
  return { place: element('div', { class: 'tl-ranks' }, label, more), show };
}

/** A box to check for each rank, and buttons for many at once. */
function rankBoxes(
  ranks: readonly PageRank[],
  own: PageRank,
  choose: (choice: RankChoice) => void,
): { readonly place: HTMLElement; readonly show: (chosen: ReadonlySet<number>) => void } {
  let chosen: ReadonlySet<number> = new Set();
  const status = element('p', { class: 'tl-hint', role: 'status' });
  const listed = byInterest(ranks, own.profile);
  const items = listed.map((rank) => {
    const { profile, name, isLate } = rank;
    const input = element('input', { type: 'checkbox', value: profile, disabled: rank === own });
    input.addEventListener('change', () => {
      const next = new Set(chosen);
      if (!next.delete(profile)) next.add(profile);
      choose(choiceOf(next));
    });
    const item = element('li', {}, element('label', {}, input, ` ${name}${isLate ? ' ▲ late' : ''}`));
    return { rank, input, item };
  });
  const choiceOf = (profiles: ReadonlySet<number>): RankChoice => {
    const sorted = [...profiles].sort((a, b) => a - b);
    if (sorted.length === ranks.length) return 'all';
    return sorted.length === 1 ? null : sorted;
  };
  const first = (count: number): void => {
    const others = ranks.filter((rank) => rank !== own).slice(0, count - 1);
    choose(choiceOf(new Set([own, ...others].map(({ profile }) => profile))));
  };
  const show = (next: ReadonlySet<number>): void => {
    chosen = next;
    const isFull = chosen.size >= MOST_RANKS;
    for (const { rank, input } of items) {
      input.checked = chosen.has(rank.profile);
      input.disabled = rank === own || (isFull && !input.checked);
    }
    const most = ranks.length > MOST_RANKS ? `; at most ${MOST_RANKS} are drawn at once` : '';
    status.textContent = `${chosen.size} of ${ranks.length} ranks are chosen${most}. ${own.name} is that of the page.`;
  };
  const filter = filterField('Filter ranks', (text) => {
    for (const { rank, item } of items) item.hidden = !rank.name.toLowerCase().includes(text.trim().toLowerCase());
  });
  const counts = FIRST.filter((count) => count < ranks.length);
  const buttons = element(
    'div',
    { class: 'tl-buttons' },
    button('None', () => choose(null), { title: `${own.name} alone` }),
    ...counts.map((count) => button(`First ${count}`, () => first(count))),
    ...(ranks.length > MANY ? [filter] : []),
  );
  return { place: element('div', {}, buttons, status, element('ul', {}, ...items.map(({ item }) => item))), show };
}
