/** Bars that stand for several events, in words. */
import { quantityText } from '../../document/units.js';
import { countOf, timeOf, type TimelineEvents } from '../events/events.js';

/** Of a bar that stands for several events: how many, and their time. */
export function mergedLine(events: TimelineEvents, event: number): string[] {
  const count = countOf(events, event);
  if (count === 1) return [];
  const time = quantityText(timeOf(events, event), 'ns');
  return [`bar of ${quantityText(count, 'count')} events, ${time} in sum; named after the longest`];
}
