/** What a search finds in pieces that are not shown: how many, and a list that leads there. */
import { button, element } from '../../../document/dom-elements.js';
import { quantityText } from '../../../document/units.js';
import { withValues } from '../../../figures/listed-rows.js';
import { table, type TableColumn } from '../../../figures/sorted-table.js';
import type { Scene } from '../../model/scene.js';
import type { OtherMatch, OtherMatches } from '../../pieces/other-matches.js';

/** The other pieces of a profile, as a search sees them. */
export interface SearchElsewhere {
  /** How many events have to be read. @param hasHere whether the shown piece has matches */
  readonly events: (hasHere: boolean) => number;
  /** @param looking called before each piece. @returns null where the user has gone on */
  readonly find: (query: string, hasHere: boolean, looking: (piece: string) => void) => Promise<OtherMatches | null>;
  readonly text: (found: OtherMatches) => string | null;
  readonly nameOf: (piece: number) => string;
  /** Shows a match in its piece. */
  readonly show: (match: OtherMatch) => void;
}

interface ShownElsewhere {
  readonly button: HTMLElement;
  /** The table of what is found. */
  readonly list: HTMLElement;
  /** One line; null where nothing is known of the other pieces. */
  readonly text: () => string | null;
  /** Goes to the first match; whether there is one. */
  readonly go: () => boolean;
  /** After the search has changed. @param isLinked whether by a link, which leads to where something is found */
  readonly changed: (isLinked: boolean) => void;
}

/** ms without another search before the other pieces are read. */
const PAUSE = 300;
/** As many events are read unasked while a user types, and after a link. */
const QUICK = { typed: 60_000, linked: 400_000 };
/** Of a link so few are listed at once. */
const FEW = 20;
const MOST_ROWS = 50;

const columnsOf = (
  { nameOf, show }: SearchElsewhere,
  rows: readonly OtherMatch[],
): readonly TableColumn<OtherMatch>[] =>
  withValues(
    [
      {
        title: 'Name',
        cell: ({ name }) => name,
        link: (match, text) => button(text, () => show(match), { class: 'tl-match', title: 'Show in the timeline' }),
      },
      { title: 'Kind', cell: ({ kind }) => kind },
      { title: 'Shown in', cell: ({ piece }) => nameOf(piece) },
      { title: 'Start', unit: 'ns', group: 'start', cell: ({ start }) => start },
      { title: 'Duration', unit: 'ns', cell: ({ dur }) => dur },
    ],
    rows,
  );

/** @param announce called when the text has changed */
export function showElsewhere(
  scene: Scene,
  elsewhere: SearchElsewhere | undefined,
  announce: (looking?: string) => void,
): ShownElsewhere {
  let found: OtherMatches | null = null;
  let isLinked = false;
  let pause: ReturnType<typeof setTimeout> | undefined;
  const summary = element('summary', {});
  const inside = element('div', { class: 'tl-match-list' });
  const list = element('details', { class: 'tl-elsewhere', hidden: true }, summary, inside);
  const hasHere = (): boolean => (scene.matches?.list.length ?? 0) > 0;
  const go = (): boolean => {
    const [first] = found?.list ?? [];
    if (first === undefined) return false;
    elsewhere?.show(first);
    return true;
  };
  const fill = (): void => {
    if (elsewhere === undefined || found === null || !list.open) return;
    const rows = found.list;
    const columns = columnsOf(elsewhere, rows);
    inside.replaceChildren(table({ caption: 'Matches elsewhere', columns, rows, sortedBy: null, most: MOST_ROWS }));
    const rest = found.count - rows.length;
    if (rest > 0) inside.append(element('p', { class: 'tl-rest' }, `The first ${rows.length} of ${found.count}.`));
  };
  list.addEventListener('toggle', fill);
  const look = async (isAsked: boolean): Promise<void> => {
    asking.hidden = true;
    const query = scene.shown.search;
    const all = await elsewhere?.find(query, hasHere(), (piece) => isAsked && announce(`looking in ${piece} …`));
    if (all === undefined || all === null || scene.shown.search !== query) return;
    found = all;
    if (!hasHere() && isAsked && go()) return;
    list.hidden = all.list.length === 0;
    summary.textContent = `List ${all.count === 1 ? 'the match' : `the ${quantityText(all.count, 'count')} matches`} elsewhere`;
    list.open = isLinked && all.count <= FEW && all.count > 0;
    fill();
    announce();
  };
  const looked = (isAsked: boolean): void => {
    look(isAsked).catch(() => announce());
  };
  const asking = button('Look in the other pieces', () => looked(true));
  asking.hidden = true;
  return {
    ...{ button: asking, list, go },
    text: () => {
      if (elsewhere === undefined || found === null) return null;
      return elsewhere.text(found) ?? (hasHere() ? null : 'no match in any piece that the page holds');
    },
    changed: (linked) => {
      clearTimeout(pause);
      [found, isLinked] = [null, linked];
      list.hidden = true;
      list.open = false;
      const { matches, events } = scene;
      // What cannot be asked of bars may be asked of the events of other pieces.
      const isAnswered = matches?.problem === null || (matches !== null && events.merged !== null);
      asking.hidden = true;
      const toRead = isAnswered ? (elsewhere?.events(hasHere()) ?? 0) : 0;
      if (toRead === 0) return;
      if (linked && !hasHere()) looked(true);
      else if (toRead <= QUICK[linked ? 'linked' : 'typed']) pause = setTimeout(() => looked(false), PAUSE);
      else asking.hidden = false;
    },
  };
}
