/** Idle time of the devices within a span by cause, from the gaps between its work. Does not need a document. */
import { elementAt } from '../../containers/element.js';
import { CauseSums } from '../../prof/html/idle/cause-sums.js';
import type { PageIdle } from '../../prof/html/idle/idle-data.js';
import { GAP_CAUSES } from '../../prof/html/timeline/timeline-data.js';
import type { InsideEvent } from './span-events.js';

export class SpanIdle {
  readonly #causes = new CauseSums();
  /** End of the work so far, by device. */
  readonly #reach = new Map<number, number>();

  /** Takes work of a device, in order of start. */
  add(device: number, { events, event, from, to }: InsideEvent): void {
    const reach = this.#reach.get(device);
    if (reach !== undefined && from > reach)
      this.#causes.add(device, GAP_CAUSES[elementAt(events.gap, event) - 1] ?? 'unknown', from - reach);
    this.#reach.set(device, Math.max(reach ?? -Infinity, to));
  }

  get idle(): PageIdle {
    // Launches may lie before the span.
    return { ...this.#causes.idle(() => true), launches: null };
  }
}
