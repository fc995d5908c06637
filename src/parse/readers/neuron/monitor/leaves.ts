/**
 * Reads the values of a report, each with the metric, unit and labels that follow from its path, and the times of
 * reports.
 */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import type { Labels } from '../../../../record/record.js';
import { REPORT, type PathNode } from './value-paths.js';
import { isNear } from '../../../trace/clocks/trace-clock.js';
import { NS_PER_S } from '../../../../record/units.js';

/** Names under which collectors add a time. */
const TIME_KEYS = ['timestamp', '@timestamp', 'time', 'ts', 'datetime', 'report_time', 'collected_at'];

/** Unit of a Unix time by its magnitude, which is unambiguous from 2001 on. */
const SCALES: readonly (readonly [below: number, nanoseconds: number])[] = [
  [1e11, 1e9],
  [1e14, 1e6],
  [1e17, 1e3],
  [1e20, 1],
];

/** Smaller numbers would be times before 2001, and are not treated as Unix times. */
const EARLIEST = 1e9;

/** Unix time, in ns, that a collector added to a report; null when there is none. Strings without a time zone are UTC. */
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
  // The whole part is converted separately, so that the fraction keeps its digits.
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

/** Whether a value can be the length of a report in seconds: above 0, and not beyond the longest supported time. */
export const isPeriod = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && isNear(value * NS_PER_S);

/**
 * Times of reports. neuron-monitor writes none, but some collectors do. Without a time, a report begins where the last one
 * ended.
 */
export class ReportTimes {
  /** Unix time in ns of the stream's start; null when no report has a time. */
  origin: bigint | null = null;
  #start = 0;
  /** End of the last report with a period. */
  #end = 0;

  /**
   * Start of the next report.
   * @param period number of seconds that the report covers, or null
   * @param time Unix time in ns at which the report was made, or null
   * @returns start in ns since the first report began; null when unknown
   */
  next(period: number | null, time: bigint | null): number | null {
    const dur = period === null ? null : Math.round(period * NS_PER_S);
    const start = this.#byClock(dur, time) ?? (dur === null || !isNear(this.#end) ? null : this.#end);
    if (start !== null) this.#start = start;
    this.#end = start === null || dur === null ? this.#end : start + dur;
    return start;
  }

  /** Start of a report from its own time; null when it has none, or when it would be before the previous report. */
  #byClock(dur: number | null, time: bigint | null): number | null {
    if (time === null) return null;
    const begin = time - BigInt(dur ?? 0);
    this.origin ??= begin - BigInt(this.#end);
    const start = Number(begin - this.origin);
    return start >= this.#start && Number.isSafeInteger(start) ? start : null;
  }
}

export interface Leaf {
  readonly metric: string;
  readonly unit: string | null;
  /** Null for strings and nulls; 1 for true and 0 for false. */
  readonly value: number | null;
  readonly text?: string;
  readonly labels: Labels;
  /** Number of seconds that its metric group covers; null when the group has no period. */
  readonly period: number | null;
}

/** The context at a point of the traversal. */
interface LeafContext {
  /** Keys from the root, joined by dots. */
  readonly path: string;
  readonly labels: Labels;
  /** Key of the nearest named member: the metric group of a `period` or an `error`. */
  readonly group: string;
  readonly period: number | null;
  /** Whether the monitor reports an error here. If so, the numbers are unknown, although the monitor writes zeros. */
  readonly failed: boolean;
}

/** Deeper values are not read: reports are about eight levels deep. */
const DEEPEST = 64;

/** Keys of environment variables and command lines, which must never be written, with or without `allFields`. */
const WITHHELD =
  /^(?:env|environ|environment|env_vars|environment_variables|cmd|cmdline|command|command_line|args|argv)$/i;

/** Whether a value is an object or a list. */
const isNested = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** A key as a label: indices become numbers, names stay unchanged. */
const labelOf = (key: string): string | number => (/^(?:0|[1-9]\d{0,14})$/.test(key) ? Number(key) : key);

/**
 * The values of the documented fields, whose paths are known. Other fields are counted, because they may contain a password
 * or a folder name.
 * @param allFields whether to write the other fields too
 */
export function leavesOf(
  report: Readonly<Record<string, unknown>>,
  diagnostics: Diagnostics,
  allFields: boolean,
): Leaf[] {
  const leaves: Leaf[] = [];
  visit(report, REPORT, { path: '', labels: {}, group: '', period: null, failed: false }, 0);
  return leaves;

  function visit(value: unknown, place: PathNode | null, context: LeafContext, depth: number): void {
    if (!isNested(value)) known(value, place, context);
    else if (depth === DEEPEST) diagnostics.count('too-deep');
    else members(value, place, context, depth);
  }

  function known(value: unknown, place: PathNode | null, context: LeafContext): void {
    if (allFields || (place !== null && place.metric !== null)) leaf(value, place, context);
    else if (value !== null) diagnostics.count('unknown-field');
  }

  function members(
    nested: Readonly<Record<string, unknown>>,
    place: PathNode | null,
    outer: LeafContext,
    depth: number,
  ): void {
    const context = contextWithin(nested, place, outer);
    const inGroup = (): LeafContext => ({ ...context, labels: { ...context.labels, group: context.group } });
    const isList = Array.isArray(nested);
    for (const [key, value] of Object.entries(nested)) {
      if (WITHHELD.test(key)) diagnostics.count('withheld-value');
      else if (key === 'period' && typeof value === 'number') {
        leaf(value, { metric: 'period', unit: 's' }, { ...inGroup(), failed: false });
      } else if (key === 'error' && typeof value === 'string') {
        if (value === '') continue;
        if (place !== null || allFields) leaf(value, { metric: 'error', unit: null }, inGroup());
        else diagnostics.count('unknown-field');
      } else {
        const next = place?.member(key) ?? null;
        const path = next?.any === true ? context.path : `${context.path}${context.path === '' ? '' : '.'}${key}`;
        const label = next?.label ?? null;
        const labels = label === null ? context.labels : { ...context.labels, [label]: labelOf(key) };
        const group = isList || next?.any === true ? context.group : key;
        const failed = context.failed && !isIdentity(place, key);
        visit(value, next?.place ?? null, { ...context, path, labels, group, failed }, depth + 1);
      }
    }
  }

  function leaf(value: unknown, place: Pick<PathNode, 'metric' | 'unit'> | null, context: LeafContext): void {
    // A null instead of a group or a list is not a value.
    if (value === null && place !== null && place.metric === null) return;
    const number = typeof value === 'boolean' ? Number(value) : typeof value === 'number' ? value : null;
    leaves.push({
      metric: place?.metric ?? context.path,
      unit: place?.unit ?? null,
      // JSON.parse reads 1e999 as Infinity.
      value: Number.isFinite(number) && !context.failed ? number : null,
      ...(typeof value === 'string' ? { text: value } : undefined),
      labels: context.labels,
      period: context.period,
    });
  }
}

/** The context inside an object, with the labels that identify the object, and its period. */
function contextWithin(
  nested: Readonly<Record<string, unknown>>,
  place: PathNode | null,
  context: LeafContext,
): LeafContext {
  const { period, error } = nested;
  const identities = place?.identities ?? [];
  const failed = context.failed || (typeof error === 'string' && error !== '');
  if (identities.length === 0 && period === undefined && failed === context.failed) return context;
  const labels: Record<string, string | number> = { ...context.labels };
  for (const [key, label] of identities) {
    const value = nested[key];
    if (typeof value === 'string' || typeof value === 'number') labels[label] = value;
  }
  return { ...context, labels, period: isPeriod(period) ? period : context.period, failed };
}

/** Whether a member identifies its object, such as a process id. */
const isIdentity = (place: PathNode | null, key: string): boolean =>
  place?.identities.some(([name]) => name === key) === true;
