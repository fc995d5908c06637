/**
 * Idle time of the devices within a span by cause, from the gaps between its work, and how long its launched kernels waited.
 * Does not need a document.
 */
import { elementAt } from '../../containers/element.js';
import type { IdleCause } from '../../prof/advise/idle/cause-names.js';
import { CauseSums } from '../../prof/html/idle/cause-sums.js';
import type { PageIdle } from '../../prof/html/idle/idle-data.js';
import { GAP_CAUSES } from '../../prof/html/timeline/timeline-data.js';
import { LaunchWaitSums } from '../../prof/queues/stream-queue.js';
import { factText } from '../timeline/events/kernel-facts.js';
import { durOf, kindOf, laneOf, startOf, type TimelineEvents } from '../timeline/events/events.js';
import type { SelectedSpan } from '../timeline/model/view.js';
import type { InsideEvent, PartOfSpan } from './span-events.js';

/** Why the device was idle before an event: several may end a gap at the same time, and only one of them has its cause. */
function causeBefore(events: TimelineEvents, event: number): IdleCause {
  const start = startOf(events, event);
  const device = laneOf(events, event)?.ids?.device;
  for (let at = event; at < events.count && startOf(events, at) === start; at++) {
    const cause = GAP_CAUSES[elementAt(events.gap, at) - 1];
    if (cause !== undefined && laneOf(events, at)?.ids?.device === device) return cause;
  }
  return 'unknown';
}

export class SpanIdle {
  readonly #causes = new CauseSums();
  readonly #launches = new LaunchWaitSums();
  /** End of the work so far, by device. */
  readonly #reach = new Map<number, number>();

  /** Takes work of a device, in order of start time. */
  add(device: number, { events, event, from, to }: InsideEvent): void {
    const reach = this.#reach.get(device);
    if (reach !== undefined && from > reach) this.#causes.add(device, causeBefore(events, event), from - reach);
    this.#reach.set(device, Math.max(reach ?? -Infinity, to));
  }

  /**
   * Takes the launches of a part. A kernel counts in the span in which it begins, because its wait ends there; kernels
   * before the span may stand before it in the queue.
   */
  takeLaunches({ events, from, to }: PartOfSpan, span: SelectedSpan): void {
    for (let event = 0; event < events.count; event++) {
      const start = events.origin + startOf(events, event);
      if (start >= to) return;
      // The parts before this one had the earlier kernels.
      if (elementAt(events.id, event) === 0 || (start < from && from > span.from)) continue;
      const call = elementAt(events.arrows.launcher, event);
      // Launches give kernels their steps.
      if (call === -1 && elementAt(events.step, event) < 0) continue;
      const { device, stream = null } = laneOf(events, event)?.ids ?? {};
      const isOfGraph = factText(events.facts, elementAt(events.factList, event), 'graph') !== null;
      if (device === undefined || isOfGraph || kindOf(events, event) === 'wait') continue;
      // A kernel whose call lies before the piece of the timeline only stands in the queue.
      const launch =
        call === -1 ? { start, dur: 0 } : { start: events.origin + startOf(events, call), dur: durOf(events, call) };
      this.#launches.add({ device, stream, start, dur: durOf(events, event), launch }, start >= from && call !== -1);
    }
  }

  get idle(): PageIdle {
    return { ...this.#causes.idle(() => true), launches: this.#launches.result };
  }
}
