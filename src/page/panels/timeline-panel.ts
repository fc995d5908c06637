/** The timeline of the shown profile. */
import { element } from '../document/dom-elements.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { loadPiece } from '../timeline/pieces/piece-loading.js';
import { contextOf } from '../timeline/tracks/timeline-context.js';
import { showPieces, type ShownPieces } from '../timeline/pieces/timeline-pieces.js';
import { whenIdle, whenVisible } from '../document/when-visible.js';

/** The open timeline: it listens to events of the window until it is closed. */
let open: ShownPieces | null = null;

function make({ profile, at, data }: PanelView): PanelContent {
  const { timeline, utilisation } = profile;
  open?.close();
  open = null;
  if (timeline === null) return 'The page holds no events: nothing to draw over time.';
  const place = element('div', { class: 'timeline-place' });
  whenVisible(place, () => {
    open = showPieces(place, timeline, utilisation, {
      ...{ profile: at, file: data.input, load: (piece) => loadPiece(at, piece) },
      context: contextOf(profile, data.advice),
    });
  });
  whenIdle(place);
  return [place];
}

export const TIMELINE: Panel = { id: 'timeline', title: 'Timeline', width: 6, make };
