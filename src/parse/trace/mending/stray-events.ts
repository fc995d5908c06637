/**
 * Finds single host events, samples and ends of work whose recorded time is far from the rest of the profile, and is
 * therefore damaged. Starts of work are checked in `settleStrays`. A program may load its data for minutes before it
 * has work, so the empty gap must be at least ten minutes and a hundred times as long as the rest. A range that
 * encloses the rest or lasts until the rest begins is accepted, and so is a call that waits. Work with a known launch
 * confirms host events at the same time. Work without a launch may be damaged too, if other work has launches.
 */
import { elementAt } from '../../../containers/element.js';
import type { NarrowColumn, NumberColumn } from '../../../containers/numeric-column.js';
import type { StatementRecord } from '../../../record/record.js';
import type { Trace, IsStray } from '../trace.js';
import { KIND_CODE } from '../trace-columns.js';
import { middleOf, TIMES_READ } from '../clocks/trace-clock.js';
import { spanOfHost, type Span } from '../clocks/host-span.js';
import type { LaunchJoin } from '../launches.js';
import { communicates } from './stream-order.js';

/** Distance from which a time counts as damaged: at least `ns`, and `lengths` times the span of the rest. */
interface Distance {
  readonly ns: number;
  readonly lengths: number;
}

const FROM_HOST: Distance = { ns: 60e9, lengths: 1 };
/** Used when the profile has no host events: a device may be idle for minutes. */
const FROM_DEVICE: Distance = { ns: 600e9, lengths: 10 };

/** Largest fraction of work that may be far away, because damage is rare. If there is little work, one piece may be. */
const [MOST_FAR, MOST_OF_FEW] = [0.01, 0.1];

/**
 * Sets damaged times of activities to unknown, and counts them. A recorded time that is far from everything else in the
 * profile is damaged (a kernel an hour before its program, rocprofiler#84), and must not set the start or the length of the
 * profile.
 * @returns whether a damaged time had set the start of the profile
 */
export function settleStrays(trace: Trace, { callOf }: LaunchJoin): boolean {
  const { start, end } = trace.activities;
  if (!isWider(start, FROM_HOST.ns)) return false;
  const host = spanOfHost(trace);
  const { ns, lengths } = host.first <= host.last ? FROM_HOST : FROM_DEVICE;
  const span = hull(host, middleHalf(start));
  const far = Math.max(ns, lengths * (span.last - span.first));
  // Work that waited for a long time starts late, but not before its launch.
  const mayWait = (time: number, row: number): boolean => {
    const call = elementAt(callOf, row);
    return call !== -1 && time >= trace.hostCalls.start.at(call);
  };
  const isStray = (time: number, row: number): boolean => outside(time, span) > far && !mayWait(time, row);
  let strays = 0;
  for (let row = 0; row < start.length; row++) strays += Number(isStray(start.at(row), row));
  const most = Math.max(Math.min(1, MOST_OF_FEW * start.length), MOST_FAR * start.length);
  if (strays === 0 || strays > most) return false;
  let movedStart = false;
  for (let row = 0; row < start.length; row++) {
    if (!isStray(start.at(row), row)) continue;
    movedStart ||= start.at(row) === 0;
    start.set(row, NaN);
    end.set(row, NaN);
  }
  trace.diagnostics.count('time-far-away', strays);
  return movedStart;
}

/** Whether the times span more than `ns`. In most profiles they do not. */
function isWider(times: NumberColumn, ns: number): boolean {
  let [first, last] = [Infinity, -Infinity];
  for (let row = 0; row < times.length; row++) {
    const time = times.at(row);
    if (time < first) first = time;
    if (time > last) last = time;
  }
  return last - first > ns;
}

/** How far a time is outside of a span, in ns: 0 or less inside it, Infinity when there is no span. */
const outside = (time: number, { first, last }: Span): number => Math.max(first - time, time - last);

const hull = (a: Span, b: Span): Span => ({ first: Math.min(a.first, b.first), last: Math.max(a.last, b.last) });

/** The span from the first to the third quartile of times. */
function middleHalf(times: NarrowColumn): Span {
  const sorted = Float64Array.from([...times].filter((time) => !Number.isNaN(time))).sort();
  const quarter = sorted.length >> 2;
  return { first: elementAt(sorted, quarter), last: elementAt(sorted, sorted.length - 1 - quarter) };
}

/** A time is far when it is this many ns, and this many lengths of the rest, away from it. */
const FAR = { ns: 600e9, lengths: 100 };

/** Maximum number of events of a profile that may be far away, and their maximum fraction of all events. */
const [MOST, SHARE] = [3, 0.1];

/** Number of first and last times that are checked for each kind of event. */
export const ENDS_NEEDED = MOST / SHARE;

/** Events of one kind by row; rows in `strays` do not become records. */
interface Events {
  readonly start: NumberColumn;
  readonly end: NumberColumn;
  readonly strays?: Set<number>;
}

/** The profile without the stray events. */
interface Rest {
  /** Span of all other events. */
  readonly span: Span;
  /** Whether a stray event had set the start of the profile. */
  readonly movedStart: boolean;
}

/**
 * Removes stray host events, sets stray ends of work to unknown, and counts both.
 * @returns null when there are none
 */
export function settleStrayEvents(trace: Trace, launches: LaunchJoin): Rest | null {
  const { hostCalls, ranges, overhead, activities } = trace;
  const samples = (trace.statementTimes?.() ?? []).map((start): Events => ({ start, end: start }));
  const host: readonly Events[] = [hostCalls, ranges, ...(overhead === undefined ? [] : [overhead]), ...samples];
  const middle = middleTime([...host, activities]);
  const total = host.reduce((sum, { start }) => sum + start.length, activities.length);
  const most = Math.min(MOST, Math.floor(SHARE * total));
  const far: { readonly events: Events; readonly row: number; readonly isWhole: boolean }[] = [];
  let [first, last] = [Infinity, -Infinity];
  for (const events of [...host, activities]) {
    const isFar = events === activities ? liesFarAlone(trace, launches, middle) : liesFar(events, middle);
    const isLate = events === activities ? endsFar(trace, middle) : (): boolean => false;
    for (let row = 0; row < events.start.length; row++) {
      const isWhole = isFar(row);
      const isOdd = isWhole || isLate(row);
      if (isOdd && far.push({ events, row, isWhole }) > most) return null;
      if (isWhole) continue;
      const [start, end] = [events.start.at(row), events.end.at(row)];
      if (start < first) first = start;
      if (start > last) last = start;
      if (end > last && end !== Infinity && !isOdd) last = end;
    }
  }
  const span = { first, last };
  const isStray = ({ events: { start, end }, row, isWhole }: (typeof far)[number]): boolean =>
    isWhole ? isAway(start.at(row), end.at(row), span) : isAway(end.at(row), end.at(row), span);
  if (far.length === 0 || !far.every(isStray)) return null;
  const movedStart = far.some(({ events, row, isWhole }) => isWhole && events.start.at(row) === 0);
  for (const { events, row, isWhole } of far) {
    if (events === activities) {
      activities.end.set(row, NaN);
      if (isWhole) activities.start.set(row, NaN);
    } else if (events.strays !== undefined) takeOut(events, events.strays, row, first);
  }
  forgetCalls(launches, hostCalls.strays);
  trace.diagnostics.count('time-far-away', far.length);
  return { span, movedStart };
}

/** Whether an event is so far from the rest that its time is damaged; false when there is nothing else. */
export function isAway(start: number, end: number, { first, last }: Span): boolean {
  return first <= last && Math.max(first - end, start - last) > Math.max(FAR.ns, FAR.lengths * (last - first));
}

/** Sets the times of a stray event so that no sweep over times finds anything inside it. */
function takeOut({ start, end }: Events, strays: Set<number>, row: number, at: number): void {
  start.set(row, at);
  end.set(row, at);
  strays.add(row);
}

/** Removes the launches that stray calls made: if the time of the call is unknown, so is that of the launch. */
function forgetCalls({ callOf, kernelCounts }: LaunchJoin, strays: ReadonlySet<number>): void {
  if (strays.size === 0) return;
  callOf.forEach((call, row) => {
    if (strays.has(call)) callOf[row] = -1;
  });
  for (const call of strays) kernelCounts[call] = 0;
}

const liesFar =
  ({ start, end }: Events, middle: number): ((row: number) => boolean) =>
  (row) =>
    start.at(row) - middle > FAR.ns || middle - end.at(row) > FAR.ns;

/** Whether work is far away and has no launch, although other work has one. */
function liesFarAlone({ activities }: Trace, { callOf }: LaunchJoin, middle: number): (row: number) => boolean {
  if (callOf.every((call) => call === -1)) return () => false;
  const isFar = liesFar(activities, middle);
  return (row) => callOf[row] === -1 && isFar(row);
}

/**
 * Whether only the end of work is far away. Communication may wait that long for other ranks, and a wait may take any
 * time, so both are accepted.
 */
function endsFar(trace: Trace, middle: number): (row: number) => boolean {
  const { start, end, kind } = trace.activities;
  return (row) =>
    end.at(row) - middle > FAR.ns &&
    start.at(row) - middle <= FAR.ns &&
    kind.at(row) !== KIND_CODE.sync &&
    kind.at(row) !== KIND_CODE.collective &&
    !communicates(trace, row);
}

/** The median of start times sampled evenly from all events; NaN when there are none. */
function middleTime(all: readonly Events[]): number {
  const total = all.reduce((sum, { start }) => sum + start.length, 0);
  const step = Math.max(1, Math.ceil(total / TIMES_READ));
  const times: number[] = [];
  let skip = 0;
  for (const { start } of all) {
    let row = skip;
    for (; row < start.length; row += step) times.push(start.at(row));
    skip = row - start.length;
  }
  return middleOf(times.filter((time) => !Number.isNaN(time))) ?? NaN;
}

/**
 * Whether a sample or value at a time is a stray.
 * @param span span of all events except strays; null when there are no strays
 */
export const strayTimes = (span: Span | null): IsStray =>
  span === null ? () => false : (time) => Math.max(span.first - time, time - span.last) > FAR.ns;

/** The samples and values without strays. A sample whose end is a stray gets an unknown duration. */
export function* believed(records: Iterable<StatementRecord>, isStray: IsStray): Generator<StatementRecord> {
  for (const record of records) {
    const at = 'start' in record ? (record.start ?? NaN) : NaN;
    if (isStray(at)) continue;
    const isHeld = record.type === 'sample' && isStray(at + (record.dur ?? 0));
    yield isHeld ? { ...record, dur: null } : record;
  }
}
