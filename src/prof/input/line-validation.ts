/** Validation of lines that are no kernels: a field of the wrong type becomes unknown. */
import type { ProfileLine } from '../../record/record.js';
import {
  areCounters,
  areLabels,
  areNumbers,
  arePicoseconds,
  isAbsentOr,
  isCall,
  isLaunchOrNull,
  isNumber,
  isNumberOrNull,
  isObject,
  isOrdinal,
  isStated,
  isString,
  isTextOrNull,
  isTime,
  isTimeOrNull,
  type RecordFields,
} from './field-checks.js';

const isDevice = (value: unknown): boolean =>
  isObject(value) &&
  isNumber(value['id']) &&
  [value['vendor'], value['name'], value['arch']].every(isAbsentOr(isTextOrNull)) &&
  [value['units'], value['clockHz'], value['memBytesPerS'], value['memBytes']].every(isAbsentOr(isNumberOrNull));

const isTransfer = (value: unknown): boolean =>
  isObject(value) &&
  isString(value['link']) &&
  [value['bytes'], value['count']].every(isNumber) &&
  [value['src'], value['dst'], value['dur']].every(isNumberOrNull);

const isGroup = (value: unknown): boolean =>
  isObject(value) &&
  isString(value['name']) &&
  isTextOrNull(value['description']) &&
  isNumberOrNull(value['size']) &&
  (value['ranks'] === null || areNumbers(value['ranks']));

const isUnixNs = (value: unknown): boolean => typeof value === 'string' && /^\d{1,19}$/.test(value);

/** The check of a field, and what an invalid one becomes: unknown, or what is valid of a list. */
interface FieldRule {
  readonly check: (value: unknown) => boolean;
  readonly otherwise: unknown;
  readonly validOf?: (list: readonly unknown[]) => readonly unknown[];
}

const NUMBER: FieldRule = { check: isNumber, otherwise: NaN };
const NUMBER_OR_NULL: FieldRule = { check: isNumberOrNull, otherwise: null };
const TIME: FieldRule = { check: isTime, otherwise: NaN };
const TIME_OR_NULL: FieldRule = { check: isTimeOrNull, otherwise: null };
const TEXT: FieldRule = { check: isString, otherwise: 'na' };
const TEXT_OR_NULL: FieldRule = { check: isTextOrNull, otherwise: null };
/** Unix time in ns, as decimal text. */
const UNIX_NS: FieldRule = { check: isAbsentOr((value) => value === null || isUnixNs(value)), otherwise: null };
const KIND = { kind: TEXT_OR_NULL, bytes: NUMBER_OR_NULL };
/** A field that a line may lack. */
const optional = (check: FieldRule['check']): FieldRule => ({ check: isAbsentOr(check), otherwise: undefined });
/** A list that a line may lack. */
const listOf = (check: FieldRule['check']): FieldRule => ({
  ...optional((value) => Array.isArray(value) && value.every(check)),
  validOf: (list) => list.filter(check),
});
const NUMBERED = { profile: { check: isOrdinal, otherwise: 0 } } satisfies Readonly<Record<string, FieldRule>>;
const TIMED = {
  ...NUMBERED,
  start: TIME,
  dur: TIME_OR_NULL,
  device: NUMBER,
  launch: { check: isAbsentOr(isLaunchOrNull), otherwise: null },
  step: { check: isAbsentOr(isNumberOrNull), otherwise: null },
  engine: optional(isString),
  ps: optional(arePicoseconds),
  cut: optional((value) => value === true),
  counters: optional(areCounters),
  labels: optional(areLabels),
} satisfies Readonly<Record<string, FieldRule>>;
const TIMED_AT_MOST = { ...NUMBERED, start: TIME_OR_NULL, device: NUMBER_OR_NULL };

/** Rules of lines that are no kernels; other fields may be anything. */
const LINES: Readonly<Record<string, Readonly<Record<string, FieldRule>>>> = {
  profile: {
    ...NUMBERED,
    file: TEXT,
    format: TEXT,
    rank: NUMBER_OR_NULL,
    startUnixNs: UNIX_NS,
    worldSize: optional(isNumber),
    host: optional(isString),
    groups: listOf(isGroup),
    devices: { ...listOf(isDevice), check: (value) => Array.isArray(value) && value.every(isDevice), otherwise: [] },
    facts: optional(areLabels),
  },
  copy: { ...TIMED, ...KIND, queueType: optional(isString), hostMemory: optional(isString) },
  set: { ...TIMED, bytes: NUMBER_OR_NULL },
  sync: { ...TIMED, kind: TEXT_OR_NULL },
  graph: TIMED,
  collective: {
    ...TIMED,
    ...KIND,
    name: TEXT,
    dtype: TEXT_OR_NULL,
    group: TEXT_OR_NULL,
    groupSize: NUMBER_OR_NULL,
    ordinal: optional(isNumber),
    peer: optional(isNumber),
    algorithm: TEXT_OR_NULL,
    link: TEXT_OR_NULL,
    ranks: { check: (value) => value === null || areNumbers(value), otherwise: null },
    calls: listOf(isCall),
    transfers: listOf(isTransfer),
    ...Object.fromEntries(
      ['layer', 'trace', 'mod', 'op', 'repr', 'seqMarker', 'ranges'].map((name) => [name, listOf(isString)]),
    ),
  },
  range: {
    ...{ ...NUMBERED, start: TIME, dur: TIME, self: optional(isTime), domain: TEXT_OR_NULL, text: TEXT },
    ...{ pid: NUMBER_OR_NULL, tid: NUMBER_OR_NULL, stack: listOf(isString), launched: optional(isNumber) },
  },
  sample: {
    ...TIMED_AT_MOST,
    dur: { check: isAbsentOr(isTimeOrNull), otherwise: null },
    metric: TEXT,
    value: NUMBER_OR_NULL,
    text: optional(isString),
    unit: { check: isAbsentOr(isTextOrNull), otherwise: null },
    labels: optional(areLabels),
  },
  layer: {
    ...TIMED_AT_MOST,
    dur: TIME_OR_NULL,
    name: TEXT,
    counters: { check: areCounters, otherwise: {} },
  },
  tensor: {
    ...NUMBERED,
    name: TEXT,
    role: TEXT_OR_NULL,
    dtype: TEXT_OR_NULL,
    bytes: NUMBER_OR_NULL,
    shape: { check: (value) => value === null || areNumbers(value), otherwise: null },
  },
  notice: { ...NUMBERED, category: TEXT_OR_NULL, text: TEXT },
  end: { ...NUMBERED, counts: { check: isObject, otherwise: {} }, diagnostics: { check: isObject, otherwise: {} } },
};

const RULES = new Map(Object.entries(LINES).map(([type, rules]) => [type, Object.entries(rules)]));

/**
 * The record: the same object when it is valid, else a copy in which invalid fields are unknown.
 * @param onWrong called where a field has another type, rather than none
 */
export function validLine(record: RecordFields, onWrong?: () => void): ProfileLine {
  const rules = RULES.get(String(record['type'])) ?? [];
  const wrong = rules.filter(([field, { check }]) => !check(record[field]));
  if (wrong.some(([field]) => isStated(record[field]))) onWrong?.();
  const mended = Object.fromEntries(wrong.map(([field, rule]) => [field, mendedField(record[field], rule)]));
  return (wrong.length === 0 ? record : { ...record, ...mended }) as unknown as ProfileLine;
}

const mendedField = (value: unknown, { otherwise, validOf }: FieldRule): unknown =>
  validOf !== undefined && Array.isArray(value) ? validOf(value) : otherwise;
