/** Which arrows a timeline draws: of the selected event all that lead to it and from it, of the view those of launches. */
import { elementAt } from '../../../containers/element.js';
import { quantityText } from '../../document/units.js';
import { countOf, dependenciesOf, launchedBy, type TimelineEvents } from '../events/events.js';
import { sameSequence } from '../events/kernel-facts.js';
import { firstAtLeast } from './lane-rows.js';
import type { View } from './view.js';

/** Arrows of all visible launches are drawn if there are no more than these; of one event at most as many. */
export const MOST_ARROWS = 300;

type Arrow = readonly [from: number, to: number];

export interface ShownArrows {
  readonly arrows: readonly Arrow[];
  /** What is not drawn, a sentence; '' where all are. */
  readonly remark: string;
}

/** From the launch of an event, and from it to what it launched. */
export function launchArrows(events: TimelineEvents, event: number): Arrow[] {
  const launcher = elementAt(events.arrows.launcher, event);
  const launched = launchedBy(events, event).map((to): Arrow => [event, to]);
  return launcher === -1 ? launched : [[launcher, event], ...launched];
}

const FORWARD = 1;
const BACKWARD = 2;

/** From each forward kernel of a sequence number to each backward one, of which the event is one. */
function passArrows(events: TimelineEvents, event: number): Arrow[] {
  const dir = elementAt(events.dir, event);
  if ((dir !== FORWARD && dir !== BACKWARD) || countOf(events, event) > 1) return [];
  const others = sameSequence(events, event).filter(
    (other) => elementAt(events.dir, other) === FORWARD + BACKWARD - dir,
  );
  return others.map((other): Arrow => (dir === FORWARD ? [event, other] : [other, event]));
}

/** From what an event waited for, and from it to what waited for it. */
function dependencyArrows(events: TimelineEvents, event: number): Arrow[] {
  const { before, after } = dependenciesOf(events, event);
  return [
    ...before.flatMap(({ event: from }): Arrow[] => (from === null ? [] : [[from, event]])),
    ...after.flatMap(({ event: to }): Arrow[] => (to === null ? [] : [[event, to]])),
  ];
}

function arrowsOfEvent(events: TimelineEvents, event: number): ShownArrows {
  const all = [launchArrows, passArrows, dependencyArrows].flatMap((arrows) => arrows(events, event));
  const remark = `The selected event has ${quantityText(all.length, 'count')} arrows, ${MOST_ARROWS} of them are drawn.`;
  return { arrows: all.slice(0, MOST_ARROWS), remark: all.length > MOST_ARROWS ? remark : '' };
}

/** To events that begin in the view, from their launches. */
function arrowsOfView(events: TimelineEvents, { from, to }: View): ShownArrows {
  const arrows: Arrow[] = [];
  const end = firstAtLeast(events.start, to);
  for (let event = firstAtLeast(events.start, from); event < end; event++) {
    const launcher = elementAt(events.arrows.launcher, event);
    if (launcher !== -1) arrows.push([launcher, event]);
  }
  if (arrows.length <= MOST_ARROWS) return { arrows, remark: '' };
  const count = quantityText(arrows.length, 'count');
  return { arrows: [], remark: `${count} launches in sight, arrows of at most ${MOST_ARROWS} are drawn: zoom in.` };
}

/** @param view null where the arrows of the view are not asked for */
export function shownArrows(events: TimelineEvents, event: number | null, view: View | null): ShownArrows {
  const parts = [
    ...(view === null ? [] : [arrowsOfView(events, view)]),
    ...(event === null ? [] : [arrowsOfEvent(events, event)]),
  ];
  const remarks = parts.map(({ remark }) => remark).filter((remark) => remark !== '');
  return { arrows: parts.flatMap(({ arrows }) => arrows), remark: remarks.join(' ') };
}
