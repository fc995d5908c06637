/**
 * The timeline of a profile: one piece of it, below the list of pieces, the choice of ranks and the strip of the whole
 * profile.
 */
import { elementAt } from '../../../containers/element.js';
import type { Utilisation } from '../../../prof/html/utilisation/utilisation-data.js';
import { element, button, select, filterField } from '../../document/dom-elements.js';
import { readFragment, withName } from '../../document/fragment.js';
import { longestOf } from '../events/event-colours.js';
import { loadEvents, type TimelineEvents } from '../events/events.js';
import type { SearchElsewhere } from '../controls/search/elsewhere.js';
import {
  neighbourOf,
  dataOf,
  NEARLY_ALL,
  othersOf,
  pieceAt,
  pieceOr,
  pieceWith,
  placeOf,
  searchedFor,
  WHOLE,
  pieceLabel,
  chosenRanks,
  rankChoiceText,
  readRankChoice,
  byInterest,
  MOST_RANKS,
  type PlaceInTime,
  type PageRank,
  type RankChoice,
} from './page-ranks.js';
import { readAddress, withPlace } from '../model/timeline-address.js';
import { deviceRows, rankRow, type StripRow } from '../draw/strip-rows.js';
import type { SelectedSpan, View } from '../model/view.js';
import type { LinkedPiece } from '../controls/details.js';
import { showTimeline, type ShownTimeline } from '../timeline.js';
import { loadExtras, type LoadedTimeline } from '../tracks/load-tracks.js';
import type { ContextOfProfile } from '../tracks/timeline-context.js';
import { alignedPieces, type AlignedPieces } from './aligned-pieces.js';
import { OtherMatches, otherMatchesText } from './other-matches.js';
import { showStrip } from './overview-strip.js';
import { loadRanks, type LoadPiece } from './joined-ranks.js';
import type { PageTimeline } from '../../../prof/html/timeline/timeline-data.js';

interface RankPicker {
  readonly place: HTMLElement;
  readonly show: (choice: RankChoice) => void;
}

/** Numbers of ranks for which there are buttons, if there are more ranks. */
const FIRST = [4, 8, 16, 32, MOST_RANKS];
/** Number of ranks above which there is a filter. */
const MANY = 16;

/** An entry of the list: its value, its text, and the choice that it makes. */
type ChoiceEntry = readonly [value: string, text: string, choice: RankChoice];

function pickRanks(ranks: readonly PageRank[], mainRank: PageRank, choose: (choice: RankChoice) => void): RankPicker {
  const late = ranks.filter(({ isLate }) => isLate).map(({ profile }) => profile);
  const all = ranks.length > MOST_RANKS ? `${MOST_RANKS} of ${ranks.length} ranks` : `all ${ranks.length} ranks`;
  const entries: readonly ChoiceEntry[] = [
    ['one', `${mainRank.name} alone`, null],
    ['all', all, 'all'],
    ...(late.length === 0 ? [] : [['late', `late ranks (${late.length})`, late] as const]),
  ];
  const box = element('select', { 'aria-label': 'Ranks shown' });
  box.addEventListener('change', () => {
    const entry = entries.find(([value]) => value === box.value);
    if (entry !== undefined) choose(entry[2]);
  });
  const boxes = rankBoxes(ranks, mainRank, choose);
  const more = element('details', { class: 'tl-choose' }, element('summary', {}, 'Choose ranks'), boxes.place);
  const show = (choice: RankChoice): void => {
    const chosen = chosenRanks(ranks, mainRank.profile, choice).map(({ profile }) => profile);
    const isSame = (other: RankChoice): boolean =>
      chosenRanks(ranks, mainRank.profile, other)
        .map(({ profile }) => profile)
        .join() === chosen.join();
    const found = entries.find(([, , other]) => isSame(other));
    const shown = found === undefined ? [...entries, ['some', `${chosen.length} ranks`, choice] as const] : entries;
    box.replaceChildren(...shown.map(([value, text]) => element('option', { value }, text)));
    box.value = found?.[0] ?? 'some';
    boxes.show(new Set(chosen));
  };
  const label = element('label', { class: 'choice' }, element('span', {}, 'Ranks'), box);
  return { place: element('div', { class: 'tl-ranks' }, label, more), show };
}

/** A checkbox for each rank, and buttons for many at once. */
function rankBoxes(
  ranks: readonly PageRank[],
  mainRank: PageRank,
  choose: (choice: RankChoice) => void,
): { readonly place: HTMLElement; readonly show: (chosen: ReadonlySet<number>) => void } {
  let chosen: ReadonlySet<number> = new Set();
  const status = element('p', { class: 'tl-hint', role: 'status' });
  const listed = byInterest(ranks, mainRank.profile);
  const items = listed.map((rank) => {
    const { profile, name, isLate } = rank;
    const input = element('input', { type: 'checkbox', value: profile, disabled: rank === mainRank });
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
    const others = ranks.filter((rank) => rank !== mainRank).slice(0, count - 1);
    choose(choiceOf(new Set([mainRank, ...others].map(({ profile }) => profile))));
  };
  const show = (next: ReadonlySet<number>): void => {
    chosen = next;
    const isFull = chosen.size >= MOST_RANKS;
    for (const { rank, input } of items) {
      input.checked = chosen.has(rank.profile);
      input.disabled = rank === mainRank || (isFull && !input.checked);
    }
    const most = ranks.length > MOST_RANKS ? `; at most ${MOST_RANKS} are drawn at once` : '';
    status.textContent = `${chosen.size} of ${ranks.length} ranks are selected${most}. ${mainRank.name} is always drawn.`;
  };
  const filter = filterField('Filter ranks', (text) => {
    for (const { rank, item } of items) item.hidden = !rank.name.toLowerCase().includes(text.trim().toLowerCase());
  });
  const counts = FIRST.filter((count) => count < ranks.length);
  const buttons = element(
    'div',
    { class: 'tl-buttons' },
    button('None', () => choose(null), { title: `${mainRank.name} alone` }),
    ...counts.map((count) => button(`First ${count}`, () => first(count))),
    ...(ranks.length > MANY ? [filter] : []),
  );
  return { place: element('div', {}, buttons, status, element('ul', {}, ...items.map(({ item }) => item))), show };
}

interface PiecePicker {
  readonly place: HTMLElement;
  readonly show: (piece: number) => void;
}

function pickPiece(timeline: PageTimeline, choose: (piece: number) => void): PiecePicker {
  let shown = timeline.first;
  const choices = timeline.pieces.map((piece, at) => [at, pieceLabel(piece)] as const);
  const list = select('Show', choices, shown, choose);
  const step = (by: 1 | -1): void => choose(neighbourOf(timeline, shown, by));
  const previous = button('‹', () => step(-1), { 'aria-label': 'Previous piece', title: 'previous piece ([)' });
  const next = button('›', () => step(1), { 'aria-label': 'Next piece', title: 'next piece (])' });
  return {
    place: element('div', { class: 'tl-picker' }, list, previous, next),
    show: (piece) => {
      shown = piece;
      const box = list.querySelector('select');
      if (box !== null) box.value = String(piece);
      previous.toggleAttribute('disabled', piece <= 1);
      next.toggleAttribute('disabled', piece >= timeline.pieces.length - 1);
    },
  };
}

interface PiecesOptions {
  /**
   * The main rank, whose pieces are listed and whose times are on the axis; and all ranks on the page, including it.
   */
  readonly own: PageRank;
  readonly ranks: readonly PageRank[];
  /** The file in suggested commands, as a shell word. */
  readonly file: string;
  readonly load: LoadPiece;
  /** The span that the page is about, in ns from the profile's start of the main rank; absent or null for all. */
  readonly chosen?: SelectedSpan | null;
  /** Data about ranks from the page, in addition to their timelines. */
  readonly contextOf?: ContextOfProfile;
}

/** Address parameter with the ranks that are drawn. */
const RANKS = 't.ranks';

export interface ShownPieces {
  /** Removes its event listeners, and empties its element. */
  readonly close: () => void;
}

/** @param place element whose contents belong to the timeline until it is closed */
export function showPieces(place: HTMLElement, utilisation: Utilisation, options: PiecesOptions): ShownPieces {
  const { own: mainRank, ranks, chosen = null } = options;
  const { timeline, profile } = mainRank;
  const closing = new AbortController();
  const { signal } = closing;
  const holder = element('div', { class: 'tl-holder' });
  const remark = element('p', { class: 'tl-hint', role: 'status' });
  let shown = -1;
  /** The drawn ranks, in order; a single rank is drawn from its piece alone. */
  let drawn: readonly PageRank[] = [mainRank];
  let view: View = { from: 0, to: 0 };
  let open: ShownTimeline | null = null;

  const longest = longestOf(ranks.map((rank) => rank.timeline.longest));
  const fragment = (): string => location.hash;
  /** The piece that is shown when the address has no place. */
  const usual = chosen === null ? timeline.first : pieceWith(timeline, chosen);
  /** The piece in the address; the usual one when it has none, or one of another profile. */
  const wanted = (): number => {
    const { profile: shownProfile, piece, view: place, event, found } = readAddress(fragment());
    if (shownProfile !== profile || (piece === null && (place ?? event ?? found) === null)) return usual;
    return pieceOr(timeline, piece);
  };
  /** The piece to write into the address; null for the first piece if that is the usual one. */
  const inAddress = (piece: number): number | null =>
    piece === timeline.first && usual === timeline.first ? null : piece;
  const choice = (): RankChoice => readRankChoice(readFragment(fragment()).get(RANKS));
  const wantedRanks = (): readonly PageRank[] => chosenRanks(ranks, profile, choice());
  const note = (to: PlaceInTime): void => {
    const next = withName(
      withPlace(fragment(), { piece: inAddress(to.piece), view: to.view }),
      't.profile',
      profile === 0 ? null : String(profile),
    );
    write(next);
  };
  const write = (next: string): void =>
    history.replaceState(history.state, '', next === '' ? `${location.pathname}${location.search}` : `#${next}`);
  /** Loads a piece of all drawn ranks, or of the main rank. */
  const loadedOf = async (piece: number): Promise<LoadedTimeline> => {
    const requested = drawn;
    if (requested.length === 1) {
      const loaded = await options.load(profile, dataOf(timeline, piece));
      const events = await loadEvents(loaded);
      return { events, extras: await loadExtras(loaded, events, await options.contextOf?.(profile)) };
    }
    const isWanted = (): boolean => !signal.aborted && drawn === requested;
    return loadRanks(
      alignedPieces(requested, mainRank, piece),
      mainRank,
      piece,
      options.load,
      isWanted,
      options.contextOf,
    );
  };
  const see = (next: View): void => {
    view = next;
    strip.show(shown, next);
  };
  const show = (piece: number): void => {
    drawn = wantedRanks();
    const isOne = drawn.length === 1;
    const aligned = isOne ? null : alignedPieces(drawn, mainRank, piece);
    if (aligned === null) strip.showRows(deviceRows(utilisation));
    else void showRankRows(aligned);
    const { start, end, steps = null } = elementAt(timeline.pieces, piece);
    open?.close();
    shown = piece;
    picker.show(piece);
    rankPicker.show(choice());
    see({ from: start, to: end });
    remark.textContent = aligned === null ? remarkOn(piece) : aligned.remarks.join(' ');
    const hasOthers = othersOf(timeline, piece).length > 0;
    const isPart = isOne && dataOf(timeline, piece) !== piece;
    open = showTimeline(holder, () => loadedOf(piece), {
      ...{ profile, file: options.file, longest, viewed: see, step, goTo, pieceAt: eventsAt },
      ...(hasOthers ? { searchElsewhere: searchElsewhere() } : {}),
      piece: { at: inAddress(piece), part: isPart ? { from: start, to: end } : null, steps, chosen },
    });
  };
  const showRankRows = async ({ pieces }: AlignedPieces): Promise<void> => {
    const requested = drawn;
    const rows = pieces.map(async ({ rank }): Promise<readonly StripRow[]> => {
      // The timeline reports a rank that is missing.
      const context = await options.contextOf?.(rank.profile).catch(() => null);
      const use = context?.utilisation ?? null;
      return use === null ? [] : [rankRow(use, rank.clock)];
    });
    const ready = (await Promise.all(rows)).flat();
    if (drawn === requested && !signal.aborted) strip.showRows(ready);
  };
  const remarkOn = (piece: number): string => {
    const { name } = elementAt(timeline.pieces, piece);
    return dataOf(timeline, piece) === piece
      ? ''
      : `The events of ${name} are not on the page, so its whole profile is drawn.`;
  };
  /** Shows other ranks at the same time. */
  const chooseRanks = (next: RankChoice): void => {
    const { start, end } = elementAt(timeline.pieces, shown);
    const isAll = view.to - view.from >= NEARLY_ALL * (end - start);
    note({ piece: shown, view: isAll ? null : view });
    // The groups of lanes have other names for other ranks.
    const changed = withName(withName(fragment(), 't.closed', null), 't.open', null);
    write(withName(changed, RANKS, rankChoiceText(next)));
    show(shown);
  };
  const go = (to: PlaceInTime): void => {
    if (to.piece === shown && to.view !== null) {
      open?.look(to.view);
      return;
    }
    note(to);
    show(to.piece);
  };
  const choose = (piece: number): void => go({ piece, view: null });
  const step = (by: 1 | -1): void => {
    const piece = neighbourOf(timeline, shown, by);
    if (piece !== shown) choose(piece);
  };
  /** The whole profile of the drawn ranks, once it was read for a search. */
  let whole: { readonly of: readonly PageRank[]; readonly events: Promise<TimelineEvents> } | null = null;
  const searchedOf = async (piece: number): Promise<TimelineEvents> => {
    const read = async (): Promise<TimelineEvents> => (await loadedOf(piece)).events;
    if (piece !== WHOLE) return read();
    if (whole?.of !== drawn) whole = { of: drawn, events: read() };
    return whole.events;
  };
  const searchElsewhere = (): SearchElsewhere => ({
    events: (hasHere) =>
      drawn.length *
      searchedFor(timeline, shown, hasHere).reduce((sum, at) => sum + (timeline.pieces[at]?.events ?? 0), 0),
    find: async (query, hasHere, looking) => {
      const from = shown;
      const found = new OtherMatches(timeline, hasHere ? dataOf(timeline, from) : null);
      for (const piece of searchedFor(timeline, from, hasHere)) {
        looking(elementAt(timeline.pieces, piece).name);
        const events = await searchedOf(piece);
        if (signal.aborted || shown !== from) return null;
        found.add(piece, events, query);
      }
      return found;
    },
    text: (found) => otherMatchesText(timeline, found),
    nameOf: (piece) => elementAt(timeline.pieces, piece).name,
    show: ({ piece, start }) => {
      note({ piece, view: null });
      write(withName(fragment(), 't.found', String(start)));
      show(piece);
    },
  });
  const picker = pickPiece(timeline, choose);
  const goTo = (time: number): void => go(placeOf(timeline, shown, view, time));
  /** If bars are merged, the step in which each event is drawn individually. */
  const eventsAt = (time: number): LinkedPiece | null => {
    const at = pieceAt(timeline, time);
    if (at === WHOLE || dataOf(timeline, at) !== at) return null;
    return { name: elementAt(timeline.pieces, at).name, show: () => go({ piece: at, view: null }) };
  };
  const strip = showStrip(timeline, { goTo, step }, signal);
  const rankPicker = pickRanks(ranks, mainRank, chooseRanks);
  const pickers = [
    ...(timeline.pieces.length === 1 ? [] : [picker.place]),
    ...(ranks.length === 1 ? [] : [rankPicker.place]),
  ];
  place.replaceChildren(element('div', { class: 'tl-pieces' }, ...pickers, strip.place, remark), holder);
  // Runs before the timeline's listener for hashchange, which must ignore other pieces.
  const follow = (): void => {
    const isSame =
      wantedRanks()
        .map(({ profile: id }) => id)
        .join() === drawn.map(({ profile: id }) => id).join();
    if (wanted() !== shown || !isSame) show(wanted());
  };
  addEventListener('hashchange', follow, { signal });
  show(wanted());
  return {
    close: () => {
      closing.abort();
      open?.close();
      place.replaceChildren();
    },
  };
}
