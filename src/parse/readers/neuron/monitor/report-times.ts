/** Times of reports: neuron-monitor writes none, some collectors do. Without, a report begins where the last ended. */
import { isNear } from '../../../trace/clocks/exact-times.js';
import { NS_PER_S } from '../../../../record/units.js';

/** Names under which collectors add a time. */
const TIME_KEYS = ['timestamp', '@timestamp', 'time', 'ts', 'datetime', 'report_time', 'collected_at'];

/** Units of Unix times by magnitude, unambiguous from 2001 on. */
const SCALES: readonly (readonly [below: number, nanoseconds: number])[] = [
  [1e11, 1e9],
  [1e14, 1e6],
  [1e17, 1e3],
  [1e20, 1],
];

/** Smaller numbers, times before 2001, are no Unix times. */
const EARLIEST = 1e9;

/** Unix time in ns that a collector added to a report, or null. Texts without a zone are UTC. */
export function timeOf(report: Readonly<Record<string, unknown>>): bigint | null {
  for (const key of TIME_KEYS) {
    const value = report[key];
    const time = typeof value === 'string' ? timeOfText(value) : typeof value === 'number' ? timeOfNumber(value) : null;
    if (time !== null) return time;
  }
  return null;
}

function timeOfNumber(value: number): bigint | null {
  const scale = value < EARLIEST ? undefined : SCALES.find(([below]) => value < below)?.[1];
  if (scale === undefined) return null;
  // The whole part separately, so that the fraction keeps its digits.
  const whole = Math.floor(value);
  return BigInt(whole) * BigInt(scale) + BigInt(Math.round((value - whole) * scale));
}

function timeOfText(text: string): bigint | null {
  if (/^\d{9,20}(?:\.\d+)?$/.test(text)) return timeOfNumber(Number(text));
  const iso = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9})\d*)?(Z|[+-]\d\d:?\d\d)?$/i.exec(text);
  if (iso === null) return null;
  const [, day = '', clock = '', fraction = '', zone = 'Z'] = iso;
  const ms = Date.parse(`${day}T${clock}${zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2').toUpperCase()}`);
  return Number.isNaN(ms) ? null : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/** Whether a value is the length of a report in seconds: some time, and no longer than times may be apart. */
export const isPeriod = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && isNear(value * NS_PER_S);

export class ReportTimes {
  /** Unix time in ns of the stream's start; null when no report has a time. */
  origin: bigint | null = null;
  #start = 0;
  /** End of the last report with a period. */
  #end = 0;

  /**
   * @param period seconds that the report covers, or null
   * @param time Unix time in ns at which it was made, or null
   * @returns its start in ns since the first report began; null when unknown
   */
  next(period: number | null, time: bigint | null): number | null {
    const dur = period === null ? null : Math.round(period * NS_PER_S);
    const start = this.#byClock(dur, time) ?? (dur === null || !isNear(this.#end) ? null : this.#end);
    if (start !== null) this.#start = start;
    this.#end = start === null || dur === null ? this.#end : start + dur;
    return start;
  }

  /** Start by the report's own time; null without one, or when it precedes the report before. */
  #byClock(dur: number | null, time: bigint | null): number | null {
    if (time === null) return null;
    const begin = time - BigInt(dur ?? 0);
    this.origin ??= begin - BigInt(this.#end);
    const start = Number(begin - this.origin);
    return start >= this.#start && Number.isSafeInteger(start) ? start : null;
  }
}
