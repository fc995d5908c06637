/** The timeline of the shown profile. */
import { element } from '../document/dom-elements.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { loadProfile } from '../profile-loading.js';
import { pageRanks } from '../timeline/pieces/page-ranks.js';
import { loadPiece } from '../timeline/pieces/piece-loading.js';
import { contextOf } from '../timeline/tracks/timeline-context.js';
import { showPieces, type ShownPieces } from '../timeline/pieces/timeline-pieces.js';
import { whenIdle, whenVisible } from '../document/when-visible.js';

/** The open timeline: it listens to events of the window until it is closed. */
let open: ShownPieces | null = null;

function make({ profile, at, data }: PanelView): PanelContent {
  open?.close();
  open = null;
  const ranks = pageRanks(data);
  const own = ranks.find((rank) => rank.profile === at);
  if (own === undefined) return 'The page holds no events: nothing to draw over time.';
  const place = element('div', { class: 'timeline-place' });
  whenVisible(place, () => {
    open = showPieces(place, profile.utilisation, {
      ...{ own, ranks, file: data.input, load: loadPiece },
      contextOf: async (of) => contextOf(of === at ? profile : await loadProfile(data, of), data.advice),
    });
  });
  whenIdle(place);
  return [place];
}

export const TIMELINE: Panel = { id: 'timeline', title: 'Timeline', width: 6, make };
