/**
 * Converts times of a trace and its CSV files. They are microseconds with decimals since 1970, or since a base that the
 * trace states. A double cannot hold them exactly, so they become nanoseconds after one of the first times.
 */
import type { NumberColumn } from '../../../containers/numeric-column.js';
import { EVENT, TraceEvent } from '../../json/event-fields.js';
import { microsecondsAt, nanosecondsAt } from '../../json/json-bytes.js';
import { firstBytes } from '../../files.js';
import type { ProfileLine } from '../../../record/record.js';

/** The record with all its times moved earlier by `lead`. */
export function earlierBy(lead: number, record: ProfileLine): ProfileLine {
  if (!('start' in record) || record.start === null) return record;
  const launch = 'launch' in record ? (record.launch ?? null) : null;
  const forward = 'forward' in record ? (record.forward ?? null) : null;
  const event = 'event' in record ? (record.event ?? null) : null;
  return {
    ...record,
    start: record.start - lead,
    ...(launch === null ? undefined : { launch: { ...launch, start: launch.start - lead } }),
    ...(event === null ? undefined : { event: { ...event, recorded: event.recorded - lead } }),
    ...(forward === null ? undefined : { forward: { ...forward, start: forward.start - lead } }),
  };
}

/**
 * In ns. Times more than 52 days from a profile's start are damaged. Within that span, a double holds the difference of any
 * two times exactly.
 */
export const FARTHEST = 2 ** 52;

/** Whether a double holds this time or duration in ns exactly; false for NaN. */
export const isNear = (time: number): boolean => Math.abs(time) <= FARTHEST;

/** Number of times that are read to find where most times of a profile lie. */
export const TIMES_READ = 101;

/** The median of some times, because a damaged time hardly changes it. Undefined when there are no times. */
export function middleOf<T extends number | bigint>(times: readonly T[]): T | undefined {
  return [...times].sort((a, b) => (a < b ? -1 : Number(a > b)))[times.length >> 1];
}

/**
 * Shifts times so that the earliest start is 0.
 * @param others times that are shifted too, but are not starts
 * @returns amount by which the times were shifted; 0 when
 *   there is no start
 */
export function shiftToFirst(starts: readonly NumberColumn[], others: readonly NumberColumn[]): number {
  let first = Infinity;
  for (const column of starts)
    for (let row = 0; row < column.length; row++) if (column.at(row) < first) first = column.at(row);
  if (first === Infinity) return 0;
  for (const column of [...starts, ...others]) column.shift(first);
  return first;
}

/** Number of bytes of a trace that are searched for its first times. */
const SEARCHED = 256 * 1024;

/**
 * Minimum number of far times that show that a device has its own clock. A smaller number may come from damaged times.
 */
const FEWEST_OF_CLOCK = 16;

/** 2000-01-01: times before this are relative to a base that the trace does not state. */
const EARLIEST_UNIX_NS = 946_684_800_000_000_000n;

export class TraceClock {
  /**
   * Start and end of the event read last, in ns after the origin; NaN when it has no time, or when it is too far from the
   * origin.
   */
  start = NaN;
  end = NaN;
  /** The same for device work, without a limit on the distance, because a device may have its own clock. */
  deviceStart = NaN;
  deviceEnd = NaN;
  /** The origin in whole microseconds: a typical time of the file if one was found, otherwise the first time read. */
  #originUs = NaN;
  /** Start of the profile, in ns after the origin. */
  #first = 0;

  /** A clock whose origin comes from the events at the start of a trace. */
  static ofTrace(path: string): TraceClock {
    return TraceClock.near([...startsIn(firstBytes(path, SEARCHED))]);
  }

  /** A clock for a file with some known times. Its origin is their median, because the first time may be damaged. */
  static near(texts: readonly string[]): TraceClock {
    const clock = new TraceClock();
    const times = texts.slice(0, TIMES_READ).map((text) => microsecondsAt(Buffer.from(text, 'latin1'), 0, text.length));
    clock.#originUs = middleOf(times.filter((time) => !Number.isNaN(time))) ?? NaN;
    return clock;
  }

  /**
   * Reads the times of an event.
   * @returns whether the event has a start
   */
  read({ fields }: TraceEvent): boolean {
    const { from, to, bytes } = fields;
    this.deviceStart = fields.has(EVENT.ts) ? this.#at(bytes, from[EVENT.ts] as number, to[EVENT.ts] as number) : NaN;
    this.deviceEnd = fields.has(EVENT.dur)
      ? this.deviceStart + nanosecondsAt(bytes, from[EVENT.dur] as number, to[EVENT.dur] as number, 0)
      : NaN;
    if (this.deviceEnd === this.deviceStart && isZero(fields.latin1(EVENT.ts))) this.deviceStart = this.deviceEnd = NaN;
    this.start = nearOrNaN(this.deviceStart);
    this.end = nearOrNaN(this.start + (this.deviceEnd - this.deviceStart));
    return !Number.isNaN(this.start);
  }

  /** The time in a string, in ns after the origin; NaN when it is empty or invalid. */
  ofText(text: string): number {
    const bytes = Buffer.from(text, 'latin1');
    return bytes.length === 0 ? NaN : nearOrNaN(this.#at(bytes, 0, bytes.length));
  }

  /** Sets far times of devices to NaN, unless so many are far that a device has its own clock. */
  settleDevices(...columns: readonly NumberColumn[]): void {
    for (const column of columns) {
      let far = 0;
      for (let row = 0; row < column.length; row++) far += Number(isFar(column.at(row)));
      if (far === 0 || (far >= FEWEST_OF_CLOCK && far * 2 > column.length)) continue;
      for (let row = 0; row < column.length; row++) if (isFar(column.at(row))) column.set(row, NaN);
    }
  }

  /** Shifts times so that the earliest of `starts` is 0. */
  moveToFirst(starts: readonly NumberColumn[], others: readonly NumberColumn[]): void {
    this.#first += shiftToFirst(starts, others);
  }

  /** Start of the profile in ns since 1970, or since the trace's base; null when there is no time. */
  get startNs(): bigint | null {
    if (!Number.isFinite(this.#originUs)) return null;
    return BigInt(this.#originUs) * 1000n + BigInt(Math.round(this.#first));
  }

  /**
   * Unix time of the first event, in ns; null when unknown.
   * @param base the base that traces since 2024 state, in decimal ns; null for 1970
   */
  startUnixNs(base: string | null): string | null {
    const { startNs } = this;
    if (startNs === null) return null;
    const ns = base === null ? startNs : startNs + BigInt(base);
    return ns < EARLIEST_UNIX_NS ? null : String(ns);
  }

  /** The time in `bytes[from, to)`, in ns after the origin; NaN when it is invalid. */
  #at(bytes: Buffer, from: number, to: number): number {
    if (Number.isNaN(this.#originUs)) this.#originUs = microsecondsAt(bytes, from, to);
    return nanosecondsAt(bytes, from, to, this.#originUs);
  }
}

/**
 * Starts of the first events that have a duration, up to the first one that is cut off or malformed. Times of other
 * events are ignored, because writers give metadata the time 0, and `args` may contain another `ts`.
 */
function* startsIn(head: Buffer): Generator<string> {
  const event = new TraceEvent([]);
  let at = Math.max(0, head.indexOf('"traceEvents"'));
  for (let found = 0; found < TIMES_READ && (at = head.indexOf('{', at)) !== -1;) {
    at = event.read(head, at, head.length);
    if (at < 0) return;
    const start = event.fields.has(EVENT.dur) ? event.fields.latin1(EVENT.ts) : null;
    if (start === null) continue;
    found++;
    yield start;
  }
}

/** Profilers write time 0 with duration 0 for work whose times they have lost (kineto#109). */
const isZero = (text: string | null): boolean => Number(text) === 0;
const isFar = (time: number): boolean => Number.isFinite(time) && !isNear(time);
const nearOrNaN = (time: number): number => (isNear(time) ? time : NaN);

/** Valid times; a time of 0 was not recorded. */
const NANOSECONDS = /^0*[1-9]\d*$/;

/**
 * Converts the text of a time to ns after one of the profile's times. The result is exact and near 0 even if all times
 * are large; it is null for a string that is not a time.
 * @param times times of the profile; the first few are read, because one may be damaged
 */
export function textClock(times: Iterable<string>): (text: string) => number | null {
  const first: bigint[] = [];
  for (const text of times) if (NANOSECONDS.test(text) && first.push(BigInt(text)) === TIMES_READ) break;
  const base = middleOf(first) ?? 0n;
  return (text) => (NANOSECONDS.test(text) ? Number(BigInt(text) - base) : null);
}
