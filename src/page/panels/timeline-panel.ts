/** The timeline, which has a program of its own. */
import { element } from '../document/element.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { showTimeline, type ShownTimeline } from '../timeline/timeline.js';
import { written } from '../document/units.js';
import { whenIdle, whenVisible } from '../document/when-visible.js';

/** That of the profile shown before: it listens to the window until it is closed. */
let open: ShownTimeline | null = null;

function make(view: PanelView): PanelContent {
  const { timeline } = view.profile;
  open?.close();
  open = null;
  if (timeline === null || timeline.events === 0) return 'The page holds no events: nothing to draw over time.';
  const { leftOut } = timeline;
  const note = leftOut > 0 ? [element('p', { class: 'note' }, `${written(leftOut, 'count')} further events of this span are left out; \`dprof html\` can choose a shorter one.`)] : []; // prettier-ignore
  const place = element('div', { class: 'timeline-place' });
  whenVisible(place, () => {
    open = showTimeline(place, timeline, {
      profile: view.at,
      file: view.data.profiles.length > 1 ? 'FILE' : view.data.title,
    });
  });
  whenIdle(place);
  return [place, ...note];
}

export const TIMELINE: Panel = { id: 'timeline', title: 'Timeline', width: 6, make };
