/** The timeline of the shown profile. */
import { element, note } from '../document/dom-elements.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { showTimeline, type ShownTimeline } from '../timeline/timeline.js';
import { coverageOf } from '../timeline/model/coverage.js';
import { whenIdle, whenVisible } from '../document/when-visible.js';

/** The open timeline: it listens to events of the window until it is closed. */
let open: ShownTimeline | null = null;

function make(view: PanelView): PanelContent {
  const { timeline } = view.profile;
  open?.close();
  open = null;
  if (timeline === null || timeline.events === 0) return 'The page holds no events: nothing to draw over time.';
  const { cut } = coverageOf(timeline);
  const further = `The timeline is ${cut}. A part of it: \`dprof html --from MS --to MS\`; more events: \`--events N\`.`;
  const place = element('div', { class: 'timeline-place' });
  whenVisible(place, () => {
    open = showTimeline(place, timeline, {
      profile: view.at,
      file: view.data.input,
    });
  });
  whenIdle(place);
  return [place, ...(cut === null ? [] : [note(further)])];
}

export const TIMELINE: Panel = { id: 'timeline', title: 'Timeline', width: 6, make };
