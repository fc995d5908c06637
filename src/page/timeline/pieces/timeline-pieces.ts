/** The timeline of a profile: a piece of it, with the list of pieces and the strip of the whole profile above. */
import { elementAt } from '../../../containers/element.js';
import type { Utilisation } from '../../../prof/html/page-data.js';
import type { PageTimeline, Timeline } from '../../../prof/html/timeline/timeline-data.js';
import { element } from '../../document/dom-elements.js';
import { withName } from '../../document/fragment.js';
import { loadEvents } from '../events/events.js';
import { search } from '../model/search.js';
import type { SearchElsewhere } from '../controls/search-box.js';
import { besides, dataOf, othersOf, pieceOr, placeOf, type PlaceInTime } from './piece-choice.js';
import { readAddress, withPlace } from '../model/timeline-address.js';
import type { View } from '../model/view.js';
import { showTimeline, type ShownTimeline } from '../timeline.js';
import type { TimelineContext } from '../tracks/timeline-context.js';
import { pickPiece } from './piece-picker.js';
import { showStrip } from './overview-strip.js';

export interface PiecesOptions {
  /** Index of the profile in its file, from 0. */
  readonly profile: number;
  /** The file in suggested commands, as a word of a shell. */
  readonly file: string;
  readonly load: (piece: number) => Promise<Timeline>;
  /** What the page says of the profile besides its timeline. */
  readonly context?: TimelineContext;
}

export interface ShownPieces {
  /** Removes its event listeners, and empties its element. */
  readonly close: () => void;
}

/** @param place element whose contents belong to the timeline until it is closed */
export function showPieces(
  place: HTMLElement,
  timeline: PageTimeline,
  utilisation: Utilisation,
  options: PiecesOptions,
): ShownPieces {
  const closing = new AbortController();
  const { signal } = closing;
  const holder = element('div', { class: 'tl-holder' });
  const remark = element('p', { class: 'tl-hint', role: 'status' });
  let shown = -1;
  let view: View = { from: 0, to: 0 };
  let open: ShownTimeline | null = null;

  const fragment = (): string => location.hash;
  /** The piece of the address; the first where it has none, or that of another profile. */
  const wanted = (): number => {
    const { profile, piece } = readAddress(fragment());
    return pieceOr(timeline, profile === options.profile ? piece : null);
  };
  const note = (to: PlaceInTime): void => {
    const piece = to.piece === timeline.first ? null : to.piece;
    const next = withName(
      withPlace(fragment(), { piece, view: to.view }),
      't.profile',
      options.profile === 0 ? null : String(options.profile),
    );
    history.replaceState(history.state, '', next === '' ? `${location.pathname}${location.search}` : `#${next}`);
  };
  const see = (next: View): void => {
    view = next;
    strip.show(shown, next);
  };
  const show = (piece: number): void => {
    const data = dataOf(timeline, piece);
    const { name, start, end } = elementAt(timeline.pieces, piece);
    open?.close();
    shown = piece;
    picker.show(piece);
    see({ from: start, to: end });
    remark.textContent =
      data === piece ? '' : `The events of ${name} are not in the page: it is drawn from the whole profile.`;
    const hasOthers = othersOf(timeline, piece).length > 0;
    open = showTimeline(holder, () => options.load(data), {
      ...{ profile: options.profile, file: options.file, viewed: see, step },
      ...(options.context === undefined ? {} : { context: options.context }),
      goTo,
      ...(hasOthers ? { searchElsewhere } : {}),
      piece: { at: piece === timeline.first ? null : piece, part: data === piece ? null : { from: start, to: end } },
    });
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
    const piece = besides(timeline, shown, by);
    if (piece !== shown) choose(piece);
  };
  const searchElsewhere: SearchElsewhere = async (query, looking) => {
    const from = shown;
    for (const piece of othersOf(timeline, from)) {
      looking(elementAt(timeline.pieces, piece).name);
      const found = search(await loadEvents(await options.load(piece)), query);
      if (signal.aborted || shown !== from) return true;
      if (found === null || found.list.length === 0) continue;
      choose(piece);
      return true;
    }
    return false;
  };
  const picker = pickPiece(timeline, choose);
  const goTo = (time: number): void => go(placeOf(timeline, shown, view, time));
  const strip = showStrip(timeline, utilisation, { goTo, step }, signal);
  const isOne = timeline.pieces.length === 1;
  place.replaceChildren(
    element('div', { class: 'tl-pieces' }, ...(isOne ? [] : [picker.place]), strip.place, remark),
    holder,
  );
  // Before the timeline hears of it: what belongs to another piece is none of its business.
  const follow = (): void => {
    if (wanted() !== shown) show(wanted());
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
