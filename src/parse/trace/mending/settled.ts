/** What the columns of a profile become before records are made of them. */
import type { Labels } from '../../../record/record.js';
import type { Trace } from '../trace.js';
import { othersWaits } from '../calls.js';
import { alignClocks, clockShiftName } from '../clocks/align-clocks.js';
import { earliest, type Span } from '../clocks/host-span.js';
import { settleStrayEvents } from './stray-events.js';
import { settleStrays } from './stray-times.js';
import { cutOverruns, streamsOf } from './stream-order.js';
import { cutAtWaits } from './waited-ends.js';
import { joinLaunches, placeAtLaunches, type LaunchJoin } from '../launches.js';
import { orderActivities } from '../record-order.js';
import { removeRepeated } from './repeated-work.js';
import { forgetShared } from './shared-launches.js';

/** A profile whose activities have their launches, and times of one clock. */
export interface Settled {
  readonly launches: LaunchJoin;
  /** What was done to the clocks of devices, for the profile line. */
  readonly clockFacts: Labels | undefined;
  /** What all times are after the start of the profile, ns: it was set by times that were moved. */
  readonly lead: number;
  /** Rows of activities in the order of records. */
  readonly order: Uint32Array;
  /** Rows of work that ends where the next of its stream begins or a wait returned, because its recorded end cannot be. */
  readonly cut: ReadonlySet<number>;
  /** By row of work: see `othersWaits`. */
  readonly othersWait: ReadonlyMap<number, number>;
  /** When all but stray events were; null where there are none of these. */
  readonly believed: Span | null;
}

/** Joins launches, takes out what is there twice, and settles times, in place. */
export function settled(trace: Trace): Settled {
  const { header, hostCalls, activities, threads, diagnostics } = trace;
  removeRepeated(trace);
  const launches = joinLaunches(hostCalls, activities, threads, diagnostics);
  forgetShared(trace, launches);
  const isStartStray = settleStrays(trace, launches);
  const rest = settleStrayEvents(trace, launches);
  // Host events that are not believed had widened the time in which work is.
  if (rest !== null) settleStrays(trace, launches);
  const alignment = alignClocks(trace, launches);
  const isStrayStart = header.isStartStated !== true && (isStartStray || rest?.movedStart === true);
  const isMovedStart = isStrayStart || alignment?.movedStart === true;
  const lead = isMovedStart ? earliest(trace, rest?.span.first ?? -Infinity) : 0;
  placeAtLaunches(hostCalls, activities, launches, lead, diagnostics);
  const order = orderActivities(trace);
  const streams = streamsOf(trace, launches, order);
  const isMoved = (device: number): boolean => alignment !== null && clockShiftName(device) in alignment.facts;
  const last = streams.map((stream) => stream.last);
  const cut = new Set([...cutOverruns(trace, streams), ...cutAtWaits(trace, launches, last, isMoved)]);
  const othersWait = othersWaits(trace, launches, order);
  return { launches, clockFacts: alignment?.facts, lead, order, cut, othersWait, believed: rest?.span ?? null };
}
