/** The timeline of the shown profile, whose pieces are parsed only when they are shown. */
import { element } from '../document/dom-elements.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { readChosenSpan } from '../span/chosen-span.js';
import { loadProfile, heldValue, keptValue } from '../profile-loading.js';
import { pageRanks, joinPiece } from '../timeline/pieces/page-ranks.js';
import { contextOf } from '../timeline/tracks/timeline-context.js';
import { showPieces, type ShownPieces } from '../timeline/pieces/timeline-pieces.js';
import { whenIdle, whenVisible } from '../document/when-visible.js';
import {
  timelineId,
  type PackedTimeline,
  type Timeline,
  type TimelineTables,
} from '../../prof/html/timeline/timeline-data.js';

/** @param piece index among the pieces on the page. @throws Error with one line when the page does not contain it */
export async function loadPiece(profile: number, piece: number): Promise<Timeline> {
  // All pieces of a profile share its tables.
  const tables = (await keptValue(timelineId(profile))) as TimelineTables;
  return joinPiece(tables, (await heldValue(timelineId(profile, piece))) as PackedTimeline);
}

/** The open timeline, which listens to events of the window until it is closed. */
let open: ShownPieces | null = null;

export const hasTimeline = ({ data, at }: Pick<PanelView, 'data' | 'at'>): boolean =>
  pageRanks(data).some(({ profile }) => profile === at);

function make({ profile, at, data }: PanelView): PanelContent {
  open?.close();
  open = null;
  const ranks = pageRanks(data);
  // Takes the object in `ranks`, because ranks are compared by identity.
  const mainRank = ranks.find((rank) => rank.profile === at);
  if (mainRank === undefined) return 'The page has no events for a timeline.';
  const place = element('div', { class: 'timeline-place' });
  whenVisible(place, () => {
    open = showPieces(place, profile.utilisation, {
      ...{ own: mainRank, ranks, file: data.input, load: loadPiece, chosen: readChosenSpan(location.hash) },
      contextOf: async (index) => contextOf(index === at ? profile : await loadProfile(data, index), data.advice),
    });
  });
  whenIdle(place);
  return [place];
}

export const TIMELINE: Panel = { id: 'timeline', title: 'Timeline', width: 6, make, marksSpan: true };
