/** Selects the arrows that a timeline draws: those to and from the selected event. */
import { elementAt } from '../../../containers/element.js';
import { quantityText } from '../../document/units.js';
import { countOf, dependenciesOf, launchedBy, type TimelineEvents } from '../events/events.js';
import { sameSequence } from '../events/kernel-facts.js';

/** Maximum number of arrows. More would hide the events that they point to. */
export const MOST_ARROWS = 20;

type Arrow = readonly [from: number, to: number];

export interface ShownArrows {
  readonly arrows: readonly Arrow[];
  /** The number of arrows that are not drawn, as a sentence; '' when all are drawn. */
  readonly remark: string;
}

/** Arrows from the launch of an event, and from the event to those that it launched. */
function launchArrows(events: TimelineEvents, event: number): Arrow[] {
  const launcher = elementAt(events.arrows.launcher, event);
  const launched = launchedBy(events, event).map((to): Arrow => [event, to]);
  return launcher === -1 ? launched : [[launcher, event], ...launched];
}

const FORWARD = 1;
const BACKWARD = 2;

/** Arrows from each forward kernel to each backward kernel with the event's sequence number. */
function passArrows(events: TimelineEvents, event: number): Arrow[] {
  const dir = elementAt(events.dir, event);
  if ((dir !== FORWARD && dir !== BACKWARD) || countOf(events, event) > 1) return [];
  const others = sameSequence(events, event).filter(
    (other) => elementAt(events.dir, other) === FORWARD + BACKWARD - dir,
  );
  return others.map((other): Arrow => (dir === FORWARD ? [event, other] : [other, event]));
}

/** Arrows from the events for which an event waited, and from it to those that waited for it. */
function dependencyArrows(events: TimelineEvents, event: number): Arrow[] {
  const { before, after } = dependenciesOf(events, event);
  return [
    ...before.flatMap(({ event: from }): Arrow[] => (from === null ? [] : [[from, event]])),
    ...after.flatMap(({ event: to }): Arrow[] => (to === null ? [] : [[event, to]])),
  ];
}

/** @param event the selected one; null for none */
export function shownArrows(events: TimelineEvents, event: number | null): ShownArrows {
  if (event === null) return { arrows: [], remark: '' };
  const all = [launchArrows, passArrows, dependencyArrows].flatMap((arrows) => arrows(events, event));
  const remark = `The selected event has ${quantityText(all.length, 'count')} arrows, ${MOST_ARROWS} of them are drawn.`;
  return { arrows: all.slice(0, MOST_ARROWS), remark: all.length > MOST_ARROWS ? remark : '' };
}
