/** Records of host ranges, and of calls of the host: of the device's runtime (CUDA, HIP, CANN) and of the system. */
import { elementAt } from '../../containers/element.js';
import { SelfTimes } from '../../containers/nesting.js';
import { compareCells, orNull, type NarrowColumn } from '../../containers/numeric-column.js';
import { allRows, keepRows, mergeGroups, sortRows } from '../../containers/row-order.js';
import type { RangeRecord } from '../../record/record.js';
import type { Trace } from './trace.js';
import type { KernelContexts } from './launch-steps.js';
import type { LaunchJoin } from './launches.js';
import { compareTexts, hostRangeOrder, isRepeat, rangeKey, orderHostRanges } from './record-order.js';
import { entryOf } from '../../containers/map-entry.js';
import type { Ranges } from './trace-columns.js';

/** Records that start up to this time are skipped, because another thread makes them; -Infinity at first. */
export interface Skipped {
  until: number;
}

/**
 * Self times of host ranges by row, in ns: the time during which the range was the last one to begin on its thread.
 * Linear in ranges.
 * @param inOrder rows of all ranges, those of each thread in order of start time, the longer first
 * @param last end of ranges that are still open at the end of the profile, ns
 */
function selfTimes(
  { end, start, thread }: Pick<Ranges, 'end' | 'start' | 'thread'>,
  inOrder: Iterable<number>,
  last: number,
): NarrowColumn {
  const self = start.otherTimes();
  for (let row = 0; row < start.length; row++) self.push(0);
  const take = (row: number, time: number): void => self.set(row, time);
  const threads = new Map<number, SelfTimes<number>>();
  for (const row of inOrder) {
    const times = entryOf(threads, thread.at(row), () => new SelfTimes(take));
    times.begin(row, start.at(row), Math.min(end.at(row), last));
  }
  for (const times of threads.values()) times.countTo(Infinity);
  return self;
}

/**
 * All ranges in order of start time.
 * @param last end of the profile and of ranges that are still open then, in ns
 */
export function* hostRanges(
  trace: Trace,
  contexts: KernelContexts,
  profile: number,
  last: number,
  skipped: Skipped,
): Generator<RangeRecord> {
  const { ranges, threads, names } = trace;
  const [rows, byThread] = rowsOfRanges(trace, contexts);
  const self = selfTimes(ranges, byThread, last);
  // Nsight Systems ends open ranges when its session ends.
  const sessionEnd = trace.header.dur ?? Infinity;
  for (const row of rows) {
    if (ranges.start.at(row) <= skipped.until) continue;
    const text = names.rangeText(ranges.text.at(row)) ?? '';
    const [start, end, thread, domain] = [
      ranges.start.at(row),
      ranges.end.at(row),
      ranges.thread.at(row),
      ranges.domainOf(row),
    ];
    const stack = contexts.stackOf?.(row) ?? [];
    const named = names.rangeDomain?.(ranges.text.at(row)) ?? null;
    yield {
      type: 'range',
      profile,
      kind: contexts.rangeKindOf?.(row, text) ?? 'annotation',
      start,
      dur: (end === Infinity ? last : end) - start,
      self: self.at(row),
      pid: orNull(threads.pid(threads.processOf(thread))),
      tid: orNull(threads.tid(thread)),
      domain: domain === 0 ? named : (names.domainName(domain) ?? `domain#${domain}`),
      text: named === null ? text : text.slice(named.length + 1),
      ...(stack.length === 0 ? undefined : { stack }),
      ...(end >= sessionEnd ? { open: true } : undefined),
    };
  }
}

/**
 * Rows of the ranges to write, twice: in order of start time over all threads, and in order of start time within each
 * thread.
 */
function rowsOfRanges(trace: Trace, contexts: KernelContexts): readonly [Iterable<number>, Iterable<number>] {
  const { rangesByThread: groups } = contexts;
  const { strays } = trace.ranges;
  if (groups !== undefined) {
    const isKept = (row: number): boolean => !strays.has(row);
    return [filtered(mergeGroups(groups, hostRangeOrder(trace)), isKept), filtered(groups.rows, isKept)];
  }
  const isRepeated = (row: number, at: number, all: Uint32Array): boolean =>
    contexts.isRepeated?.(row) ?? (at > 0 && isSameRange(trace, elementAt(all, at - 1), row));
  const rows = keepRows(orderHostRanges(trace), (row, at, all) => !strays.has(row) && !isRepeated(row, at, all));
  return [rows, rows];
}

function* filtered(rows: Iterable<number>, isKept: (row: number) => boolean): Generator<number> {
  for (const row of rows) if (isKept(row)) yield row;
}

const isSameRange = (trace: Trace, a: number, b: number): boolean =>
  isRepeat(trace.ranges, a, b) &&
  trace.ranges.thread.at(a) === trace.ranges.thread.at(b) &&
  rangeKey(trace, a) === rangeKey(trace, b);

/** Ranges that the format records apart from those of the program, in order of start time. All have an end. */
export function* separateRanges(
  trace: Trace,
  ranges: Ranges | undefined,
  { kind, domain }: Pick<RangeRecord, 'domain'> & { readonly kind: 'overhead' | 'api' },
  profile: number,
  skipped: Skipped,
): Generator<RangeRecord> {
  const { threads, names } = trace;
  if (ranges === undefined) return;
  const rows = keepRows(orderHostRanges({ ranges, threads, names }), (row) => !ranges.strays.has(row));
  const self = selfTimes(ranges, rows, Infinity);
  for (const row of rows) {
    const [start, thread] = [ranges.start.at(row), ranges.thread.at(row)];
    if (start <= skipped.until) continue;
    yield {
      ...{ type: 'range', profile, kind, start, dur: ranges.end.at(row) - start },
      ...{ self: self.at(row), pid: orNull(threads.pid(threads.processOf(thread))) },
      ...{ tid: orNull(threads.tid(thread)), domain, text: names.rangeText(ranges.text.at(row)) ?? '' },
    };
  }
}

/** Unit: ns. Calls that launch work take a few µs; calls longer than this hold up the host. */
export const LONG_CALL = 500_000;

/**
 * A range of kind `api` for each host call, in order of start time.
 * @param last end of the profile, in ns
 * @param least shortest duration in ns; shorter calls are left out, and then also the `self` of the other calls,
 *   because it depends on all calls
 */
export function* apiRanges(
  trace: Trace,
  { callOf }: LaunchJoin,
  profile: number,
  last: number,
  least: number,
  skipped: Skipped,
): Generator<RangeRecord> {
  const { hostCalls: calls, threads, names } = trace;
  const launched = new Uint32Array(calls.length);
  for (const call of callOf) if (call !== -1) launched[call] = elementAt(launched, call) + 1;
  const [rows, repeats] = orderCalls(trace, least);
  for (const [call, original] of repeats)
    launched[original] = elementAt(launched, original) + elementAt(launched, call);
  const self = least > 0 ? null : selfTimes(calls, rows, last);
  for (const row of rows) {
    if (calls.strays.has(row) || calls.start.at(row) <= skipped.until) continue;
    const thread = calls.thread.at(row);
    const start = calls.start.at(row);
    yield {
      type: 'range',
      profile,
      kind: 'api',
      start,
      dur: calls.end.at(row) - start,
      ...(self === null ? undefined : { self: self.at(row) }),
      pid: orNull(threads.pid(threads.processOf(thread))),
      tid: orNull(threads.tid(thread)),
      domain: names.apiLayer?.(calls.precedence.at(row)) ?? null,
      text: names.apiName(calls.api.at(row)) ?? '',
      launched: elementAt(launched, row),
    };
  }
}

/**
 * Rows of the calls in order of start time, the longer first; other cells of the calls decide ties.
 * @returns the rows, and for each call that the profile repeats the call that is used instead
 */
function orderCalls({ hostCalls, threads, names }: Trace, least: number): [Uint32Array, Map<number, number>] {
  const { start, end, thread, precedence, corr, api } = hostCalls;
  const rows = keepRows(allRows(start.length), (row) => least === 0 || end.at(row) - start.at(row) >= least);
  const nameOf = (row: number): string => names.apiName(api.at(row)) ?? '';
  const compare = (a: number, b: number): number =>
    start.at(a) - start.at(b) ||
    compareCells(end.at(b), end.at(a)) ||
    threads.compare(thread.at(a), thread.at(b)) ||
    precedence.at(a) - precedence.at(b) ||
    compareCells(corr.at(a), corr.at(b)) ||
    compareTexts(nameOf(a), nameOf(b));
  sortRows(rows, compare);
  const repeats = new Map<number, number>();
  let taken = -1;
  for (const row of rows) {
    if (taken !== -1 && !Number.isNaN(corr.at(row)) && compare(taken, row) === 0) repeats.set(row, taken);
    else taken = row;
  }
  return [keepRows(rows, (row) => !repeats.has(row)), repeats];
}
