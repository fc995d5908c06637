/** Events of a trace that are not read: how many, and of which categories. */
import type { Labels } from '../../../record/record.js';
import type { Diagnostics } from '../../../record/diagnostics.js';
import { EVENT, type TraceEvent } from '../../json/event-fields.js';

/** Phases that are no events of the program or its devices: metadata, arrows between events, marks. */
const NO_EVENTS: ReadonlySet<string> = new Set(['M', 's', 't', 'f', 'i', 'I', 'R']);

/** Categories that are named. */
const MOST_NAMES = 20;

export class UnreadEvents {
  readonly #names = new Set<string>();

  constructor(private readonly diagnostics: Diagnostics) {}

  /** @param category as the trace names it, with the phase where it is that which is not read */
  count(category: string): void {
    if (this.#names.size < MOST_NAMES) this.#names.add(category);
    this.diagnostics.count('category-not-read');
  }

  /** Counts an event whose phase is not read, as `kernel (phase B)`. */
  countPhase({ fields }: TraceEvent): void {
    const phase = fields.latin1(EVENT.ph) ?? '';
    if (!NO_EVENTS.has(phase)) this.count(`${fields.latin1(EVENT.cat) ?? 'no category'} (phase ${phase})`);
  }

  /** For the profile line. */
  get facts(): Labels | undefined {
    return this.#names.size === 0 ? undefined : { categories_not_read: [...this.#names].sort().join(', ') };
  }
}
