/**
 * Record validation: users cut, filter and edit records, so that a field may be missing or have the wrong type. Such a
 * field becomes unknown, and the record stays.
 */
import { completeKernel } from '../../record/kernel-defaults.js';
import type {
  Arg,
  ArgValue,
  Extent,
  KernelLine,
  KernelRecord,
  Launch,
  OpCall,
  ProfileLine,
} from '../../record/record.js';

/** An object of parsed JSON, of which nothing is known yet. */
export type RecordFields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is RecordFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON.parse reads 1e999 as Infinity. */
const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isString = (value: unknown): value is string => typeof value === 'string';
const numberOr = <T>(value: unknown, otherwise: T): number | T => (isNumber(value) ? value : otherwise);
const stringOr = <T>(value: unknown, otherwise: T): string | T => (isString(value) ? value : otherwise);

export const strings = (value: unknown): string[] => (Array.isArray(value) ? value.filter(isString) : []);
const numbers = (value: unknown): number[] => (Array.isArray(value) ? value.filter(isNumber) : []);

const areStrings = (value: unknown): boolean => Array.isArray(value) && value.every(isString);
const areNumbers = (value: unknown): boolean => Array.isArray(value) && value.every(isNumber);
const isNumberOrNull = (value: unknown): boolean => value === null || isNumber(value);
const isExtentOrNull = (value: unknown): boolean => value === null || extent(value) === value;

function extent(value: unknown): Extent | null {
  return Array.isArray(value) && value.length === 3 && value.every(isNumber) ? (value as unknown as Extent) : null;
}

const isAbsentOr =
  (check: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || check(value);

/** Checks of a kernel's fields; other fields may be anything. */
const FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  profile: isNumber,
  id: isNumber,
  name: isString,
  short: isString,
  start: isNumber,
  dur: isNumberOrNull,
  device: isNumber,
  stream: isNumberOrNull,
  grid: isExtentOrNull,
  block: isExtentOrNull,
  pid: isNumberOrNull,
  tid: isNumberOrNull,
  corr: isNumberOrNull,
  launch: (value) => value === null || launch(value) === value,
  dir: (value) => value === null || value === 'fprop' || value === 'bprop',
  layer: areStrings,
  trace: areStrings,
  calls: (value) => Array.isArray(value) && value.every(isCall),
  mod: areStrings,
  op: areStrings,
  repr: areStrings,
  seqMarker: areStrings,
  seq: areNumbers,
  altSeq: areNumbers,
  sub: isNumber,
  ranges: areStrings,
  callerRanges: isAbsentOr(areStrings),
  step: isAbsentOr(isNumberOrNull),
  callIds: isAbsentOr(areNumbers),
  callKernels: isAbsentOr(areNumbers),
  engine: isAbsentOr(isString),
  operands: isAbsentOr(isString),
  counters: isAbsentOr(isObject),
  labels: isAbsentOr(isObject),
};
const CHECKS = Object.entries(FIELDS);

/**
 * The kernel: the same object when it is valid, else a copy in which invalid fields are unknown.
 * @param ordinal in place of a missing id: number of kernels before it, plus one
 */
export function validKernel(fields: RecordFields, ordinal: number): KernelRecord {
  // Instructions of engines have no launch and no ranges, and their lines omit these fields.
  const whole = isString(fields['engine']) ? { ...completeKernel(fields as unknown as KernelLine) } : fields;
  for (const [name, check] of CHECKS) if (!check(whole[name])) return repairedKernel(fields, ordinal);
  return whole as unknown as KernelRecord;
}

/** The kernel of fields that may be missing or of any type. */
export function repairedKernel(fields: RecordFields, ordinal: number): KernelRecord {
  const name = stringOr(fields['name'], stringOr(fields['short'], 'na'));
  const direction = fields['dir'];
  return {
    type: 'kernel',
    profile: numberOr(fields['profile'], 0),
    id: numberOr(fields['id'], ordinal),
    name,
    short: stringOr(fields['short'], name),
    start: numberOr(fields['start'], NaN),
    dur: numberOr(fields['dur'], null),
    device: numberOr(fields['device'], NaN),
    stream: numberOr(fields['stream'], null),
    grid: extent(fields['grid']),
    block: extent(fields['block']),
    pid: numberOr(fields['pid'], null),
    tid: numberOr(fields['tid'], null),
    corr: numberOr(fields['corr'], null),
    launch: launch(fields['launch']),
    dir: direction === 'fprop' || direction === 'bprop' ? direction : null,
    layer: strings(fields['layer']),
    trace: strings(fields['trace']),
    calls: Array.isArray(fields['calls']) ? fields['calls'].map(opCall).filter((call) => call !== null) : [],
    mod: strings(fields['mod']),
    op: strings(fields['op']),
    repr: strings(fields['repr']),
    seqMarker: strings(fields['seqMarker']),
    seq: numbers(fields['seq']),
    altSeq: numbers(fields['altSeq']),
    sub: numberOr(fields['sub'], 0),
    ranges: strings(fields['ranges']),
    ...(Array.isArray(fields['callerRanges']) ? { callerRanges: strings(fields['callerRanges']) } : {}),
    step: numberOr(fields['step'], null),
    ...(isString(fields['engine']) ? { engine: fields['engine'] } : {}),
  };
}

function launch(value: unknown): Launch | null {
  if (!isObject(value) || !isNumber(value['start']) || !isNumber(value['dur'])) return null;
  return value['api'] === null || isString(value['api']) ? (value as unknown as Launch) : null;
}

function isCall(value: unknown): value is OpCall {
  if (!isObject(value) || !isString(value['mod']) || !isString(value['op'])) return false;
  return Array.isArray(value['args']) && value['args'].every(isArg);
}

function isArg(value: unknown): value is Arg {
  if (!isObject(value) || !isString(value['name']) || !isString(value['type'])) return false;
  const { shape, strides, dtype } = value;
  const areExtents = (list: unknown): boolean => list === undefined || areNumbers(list);
  return areExtents(shape) && areExtents(strides) && (dtype === undefined || isString(dtype));
}

/** An op call, with invalid fields unknown; null without the name of an op. */
function opCall(value: unknown): OpCall | null {
  if (isCall(value)) return value;
  if (!isObject(value) || !isString(value['op'])) return null;
  const args = Array.isArray(value['args']) ? value['args'].filter(isObject) : [];
  return { mod: stringOr(value['mod'], 'na'), op: value['op'], args: args.map(argument) };
}

function argument(fields: RecordFields): Arg {
  const { shape, dtype } = fields;
  return {
    name: stringOr(fields['name'], ''),
    type: stringOr(fields['type'], 'na'),
    ...(areNumbers(shape) ? { shape: shape as readonly number[] } : {}),
    ...(isString(dtype) ? { dtype } : {}),
    ...('value' in fields ? { value: fields['value'] as ArgValue } : {}),
  };
}

/** The check of a field of a line that is no kernel, and the value in place of an invalid one. */
interface FieldRule {
  readonly check: (value: unknown) => boolean;
  readonly otherwise: unknown;
}

const NUMBER: FieldRule = { check: isNumber, otherwise: NaN };
const NUMBER_OR_NULL: FieldRule = { check: isNumberOrNull, otherwise: null };
const LIST_OF_OBJECTS: FieldRule = { check: (value) => Array.isArray(value) && value.every(isObject), otherwise: [] };
const TEXT: FieldRule = { check: isString, otherwise: 'na' };
const TEXT_OR_NULL: FieldRule = { check: (value) => value === null || isString(value), otherwise: null };
const KIND = { kind: TEXT_OR_NULL, bytes: NUMBER_OR_NULL };
const NUMBERED = { profile: { check: isNumber, otherwise: 0 } } satisfies Readonly<Record<string, FieldRule>>;
const TIMED = {
  ...NUMBERED,
  start: NUMBER,
  dur: NUMBER_OR_NULL,
  device: NUMBER,
  launch: { check: (value) => value === undefined || value === null || launch(value) === value, otherwise: null },
  step: { check: isAbsentOr(isNumberOrNull), otherwise: null },
} satisfies Readonly<Record<string, FieldRule>>;
const TIMED_AT_MOST = { ...NUMBERED, start: NUMBER_OR_NULL, device: NUMBER_OR_NULL };

/** Rules of lines that are no kernels; other fields may be anything. */
const LINES: Readonly<Record<string, Readonly<Record<string, FieldRule>>>> = {
  profile: { ...NUMBERED, file: TEXT, format: TEXT, rank: NUMBER_OR_NULL, devices: LIST_OF_OBJECTS },
  copy: { ...TIMED, ...KIND },
  set: { ...TIMED, bytes: NUMBER_OR_NULL },
  sync: { ...TIMED, kind: TEXT_OR_NULL },
  graph: TIMED,
  collective: { ...TIMED, ...KIND, name: TEXT, group: TEXT_OR_NULL },
  range: { ...NUMBERED, start: NUMBER, dur: NUMBER, text: TEXT },
  sample: { ...TIMED_AT_MOST, metric: TEXT, value: NUMBER_OR_NULL },
  layer: { ...TIMED_AT_MOST, name: TEXT },
  end: { ...NUMBERED, counts: { check: isObject, otherwise: {} }, diagnostics: { check: isObject, otherwise: {} } },
};

const RULES = new Map(Object.entries(LINES).map(([type, rules]) => [type, Object.entries(rules)]));

export function validLine(record: RecordFields): ProfileLine {
  const rules = RULES.get(String(record['type'])) ?? [];
  const wrong = rules.filter(([field, { check }]) => !check(record[field]));
  const mended = Object.fromEntries(wrong.map(([field, { otherwise }]) => [field, otherwise]));
  return (wrong.length === 0 ? record : { ...record, ...mended }) as unknown as ProfileLine;
}
