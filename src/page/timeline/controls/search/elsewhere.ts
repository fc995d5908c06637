/** Matches of a search in pieces that are not shown: their number, and a list that links to them. */
import { button, element } from '../../../document/dom-elements.js';
import { quantityText } from '../../../document/units.js';
import { withValues } from '../../../figures/listed-rows.js';
import { table, type TableColumn } from '../../../figures/sorted-table.js';
import type { Scene } from '../../model/scene.js';
import type { OtherMatch, OtherMatches } from '../../pieces/other-matches.js';

/** The other pieces of a profile, for a search. */
export interface SearchElsewhere {
  /** Number of events that must be read. @param hasHere whether the shown piece has matches */
  readonly events: (hasHere: boolean) => number;
  /** @param looking called before each piece. @returns null when the user has moved on */
  readonly find: (query: string, hasHere: boolean, looking: (piece: string) => void) => Promise<OtherMatches | null>;
  readonly text: (found: OtherMatches) => string | null;
  readonly nameOf: (piece: number) => string;
  /** Shows a match in its piece. */
  readonly show: (match: OtherMatch) => void;
}

interface ShownElsewhere {
  readonly button: HTMLElement;
  /** The table of matches. */
  readonly list: HTMLElement;
  /** One line; null when nothing is known about the other pieces. */
  readonly text: () => string | null;
  /** Goes to the first match. @returns whether there is one */
  readonly go: () => boolean;
  /** Called after the search changed. @param isLinked whether by a link, which then leads to the match */
  readonly changed: (isLinked: boolean) => void;
}

/** Time in ms without another search before the other pieces are read. */
const PAUSE = 300;
/** Maximum number of events that are read automatically, while a user types and after a link. */
const QUICK = { typed: 60_000, linked: 400_000 };
/** Up to this number, the matches of a link are listed immediately. */
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
      return elsewhere.text(found) ?? (hasHere() ? null : 'no match in any step on the page');
    },
    changed: (linked) => {
      clearTimeout(pause);
      [found, isLinked] = [null, linked];
      list.hidden = true;
      list.open = false;
      const { matches, events } = scene;
      // A query that bars cannot answer may be answered by the events of other pieces.
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
