/**
 * Idle time of the devices within a span by cause, from the gaps between its work, and how long its launched kernels waited.
 * Does not need a document.
 */
import { elementAt } from '../../containers/element.js';
import { CauseSums } from '../../prof/html/idle/cause-sums.js';
import type { PageIdle } from '../../prof/html/idle/idle-data.js';
import { GAP_CAUSES } from '../../prof/html/timeline/timeline-data.js';
import { LaunchWaitSums } from '../../prof/queues/stream-queue.js';
import { factText } from '../timeline/events/kernel-facts.js';
import { durOf, kindOf, laneOf, startOf } from '../timeline/events/events.js';
import type { SelectedSpan } from '../timeline/model/view.js';
import type { InsideEvent, PartOfSpan } from './span-events.js';

export class SpanIdle {
  readonly #causes = new CauseSums();
  readonly #launches = new LaunchWaitSums();
  /** End of the work so far, by device. */
  readonly #reach = new Map<number, number>();

  /** Takes work of a device, in order of start. */
  add(device: number, { events, event, from, to }: InsideEvent): void {
    const reach = this.#reach.get(device);
    if (reach !== undefined && from > reach)
      this.#causes.add(device, GAP_CAUSES[elementAt(events.gap, event) - 1] ?? 'unknown', from - reach);
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
      const call = elementAt(events.arrows.launcher, event);
      // The parts before this one had the earlier kernels.
      if (call === -1 || elementAt(events.id, event) === 0 || (start < from && from > span.from)) continue;
      const { device, stream = null } = laneOf(events, event)?.ids ?? {};
      const isOfGraph = factText(events.facts, elementAt(events.factList, event), 'graph') !== null;
      if (device === undefined || isOfGraph || kindOf(events, event) === 'wait') continue;
      const launch = { start: events.origin + startOf(events, call), dur: durOf(events, call) };
      this.#launches.add({ device, stream, start, dur: durOf(events, event), launch }, start >= from);
    }
  }

  get idle(): PageIdle {
    return { ...this.#causes.idle(() => true), launches: this.#launches.result };
  }
}
