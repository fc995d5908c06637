/** When the host recorded the events that streams and threads wait for. */
import { NO_ROW, PairIndex } from '../../containers/hash-index.js';
import type { RecordedEvent } from '../../record/fields/recorded-event.js';
import { orNull } from '../../containers/numeric-column.js';
import type { Trace } from './trace.js';

export class RecordedEvents {
  /** Calls by process and correlation id; made when the first wait states an event. */
  #calls: PairIndex | null = null;

  constructor(private readonly trace: Pick<Trace, 'activities' | 'hostCalls'>) {}

  /** The event of a wait; null when it states none, or when the call that recorded it is not in the profile. */
  of(activity: number): RecordedEvent | null {
    const { activities, hostCalls } = this.trace;
    const own = activities.ownRow.at(activity);
    const stream = orNull(activities.syncs.eventStream.at(own));
    const corr = activities.syncs.eventCorr.at(own);
    if (stream === null || Number.isNaN(corr)) return null;
    const call = (this.#calls ??= this.#index()).get(activities.process.at(activity), corr);
    return call === NO_ROW || hostCalls.strays.has(call) ? null : { stream, recorded: hostCalls.start.at(call) };
  }

  #index(): PairIndex {
    const { process: owner, corr } = this.trace.hostCalls;
    const index = new PairIndex(
      (row) => owner.at(row),
      (row) => corr.at(row),
    );
    for (let row = 0; row < corr.length; row++) if (!Number.isNaN(corr.at(row))) index.put(row);
    return index;
  }
}
