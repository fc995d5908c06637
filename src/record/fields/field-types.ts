/**
 * Types of record fields. Users cut, filter and edit records, so any field may be missing or of the wrong type: each type
 * defines what is valid, and what replaces an invalid value.
 */
import type { Arg, ArgValue, OpCall } from '../record.js';

/** An object of parsed JSON that is not checked yet. */
export type RecordFields = Readonly<Record<string, unknown>>;

/** How tables store a value. `digits` is a whole number that may exceed 2^53, which a record writes as decimal text. */
export type FieldKind = 'int' | 'real' | 'text' | 'flag' | 'digits' | 'ints' | 'texts' | 'json';

export interface FieldType {
  /** How tables store it, or the fields of the object. */
  readonly kind: FieldKind | readonly RecordField[];
  readonly isValid: (value: unknown) => boolean;
  /** The value that replaces an unknown one. */
  readonly unknown: unknown;
  /** Returns the valid part of an invalid list; without this function, the whole list is invalid. */
  readonly validOf?: (list: readonly unknown[]) => readonly unknown[];
}

export interface RecordField extends FieldType {
  readonly name: string;
  /** Whether a record may omit the field. */
  readonly optional: boolean;
  /** Whether a line may omit the field when its format cannot have it. A complete kernel then has the unknown value. */
  readonly implied: boolean;
}

export const isObject = (value: unknown): value is RecordFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a line states a value: a missing field and null are unknown. */
export const isStated = (value: unknown): boolean => value !== undefined && value !== null;

/** Checks that a number is finite, because JSON can have numbers that are read as infinite. */
export const isNumber = (value: unknown): value is number => Number.isFinite(value);
export const isString = (value: unknown): value is string => typeof value === 'string';
/** Checks the number of a profile in its file. */
const isOrdinal = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
/** Checks a time in ns, which a double holds exactly up to 2^53. */
const isTime = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;

type Check = (value: unknown) => boolean;

const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const orAbsent =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const objectOf =
  (check: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(check);

const isNumberOrNull: Check = (value) => value === null || isNumber(value);
const isTextOrNull: Check = (value) => value === null || typeof value === 'string';
const areNumbers = listOf(isNumber);

/** The strings in a list. */
export const strings = (value: unknown): string[] => (Array.isArray(value) ? value.filter(isString) : []);

export const ORDINAL: FieldType = { kind: 'int', isValid: isOrdinal, unknown: 0 };
export const NUMBER: FieldType = { kind: 'int', isValid: isNumber, unknown: NaN };
export const NUMBER_OR_NULL: FieldType = { kind: 'int', isValid: isNumberOrNull, unknown: null };
export const REAL_OR_NULL: FieldType = { kind: 'real', isValid: isNumberOrNull, unknown: null };
/** A count; 0 when unknown. */
export const COUNT: FieldType = { kind: 'int', isValid: isNumber, unknown: 0 };
/** A time in ns. */
export const TIME: FieldType = { kind: 'int', isValid: isTime, unknown: NaN };
export const TIME_OR_NULL: FieldType = { kind: 'int', isValid: orNull(isTime), unknown: null };
/** Unix time in ns, as decimal text. */
export const UNIX_TIME: FieldType = {
  kind: 'digits',
  isValid: orNull((value) => isString(value) && /^\d{1,19}$/.test(value)),
  unknown: null,
};
/** Additional picoseconds of a start and a duration, beyond their whole nanoseconds. */
export const PICOSECONDS: FieldType = {
  kind: 'ints',
  isValid: (value) =>
    areNumbers(value) && (value as number[]).length === 2 && (value as number[]).every((ps) => Math.abs(ps) < 1000),
  unknown: undefined,
};
export const TEXT: FieldType = { kind: 'text', isValid: isString, unknown: 'na' };
export const TEXT_OR_NULL: FieldType = { kind: 'text', isValid: isTextOrNull, unknown: null };
export const DIRECTION: FieldType = {
  kind: 'text',
  isValid: (value) => value === null || value === 'fprop' || value === 'bprop',
  unknown: null,
};
export const FLAG: FieldType = { kind: 'flag', isValid: (value) => typeof value === 'boolean', unknown: undefined };
/** A field that is `true` or absent. */
export const MARK: FieldType = { kind: 'flag', isValid: (value) => value === true, unknown: undefined };
export const EXTENT: FieldType = {
  kind: 'ints',
  isValid: orNull((value) => areNumbers(value) && (value as number[]).length === 3),
  unknown: null,
};

/** Shared by all records, which never modify their lists. */
const NONE: readonly never[] = Object.freeze([]);

/** A list whose valid elements are kept when others are invalid. */
const elements = (kind: FieldKind, check: Check): FieldType => ({
  ...{ kind, isValid: listOf(check), unknown: NONE },
  validOf: (list) => list.filter(check),
});

export const TEXTS = elements('texts', isString);
export const NUMBERS = elements('ints', isNumber);
/** A list in which positions matter: with one invalid element, the whole list is unknown. */
export const PLACED_NUMBERS: FieldType = { kind: 'ints', isValid: areNumbers, unknown: undefined };
export const NUMBERS_OR_NULL: FieldType = { kind: 'ints', isValid: orNull(areNumbers), unknown: null };

const NOTHING = Object.freeze({});
export const COUNTERS: FieldType = { kind: 'json', isValid: objectOf(isNumber), unknown: NOTHING };
export const LABELS: FieldType = {
  kind: 'json',
  isValid: objectOf((value) => isString(value) || isNumber(value)),
  unknown: NOTHING,
};
/** Counts by name, which are validated by the code that uses them. */
export const COUNTS: FieldType = { kind: 'json', isValid: isObject, unknown: NOTHING };

export const DEVICES = elements(
  'json',
  (value) =>
    isObject(value) &&
    isNumber(value['id']) &&
    [value['vendor'], value['name'], value['arch']].every(orAbsent(isTextOrNull)) &&
    [value['units'], value['clockHz'], value['memBytesPerS'], value['memBytes']].every(orAbsent(isNumberOrNull)),
);
export const GROUPS = elements(
  'json',
  (value) =>
    isObject(value) &&
    isString(value['name']) &&
    isTextOrNull(value['description']) &&
    isNumberOrNull(value['size']) &&
    NUMBERS_OR_NULL.isValid(value['ranks']),
);
export const TRANSFERS = elements(
  'json',
  (value) =>
    isObject(value) &&
    isString(value['link']) &&
    [value['bytes'], value['count']].every(isNumber) &&
    [value['src'], value['dst'], value['dur']].every(isNumberOrNull),
);
export const DEPENDENCIES: FieldType = {
  kind: 'json',
  isValid: listOf((value) => isObject(value) && isString(value['id']) && isString(value['kind'])),
  unknown: undefined,
};
export const CALLS: FieldType = {
  ...{ kind: 'json', isValid: listOf(isCall), unknown: NONE },
  validOf: (list) => list.map(validCall).filter((call) => call !== null),
};

function isCall(value: unknown): value is OpCall {
  if (!isObject(value) || !isString(value['mod']) || !isString(value['op'])) return false;
  return Array.isArray(value['args']) && value['args'].every(isArg);
}

function isArg(value: unknown): value is Arg {
  if (!isObject(value) || !isString(value['name']) || !isString(value['type'])) return false;
  const { shape, strides, dtype } = value;
  return orAbsent(areNumbers)(shape) && orAbsent(areNumbers)(strides) && orAbsent(isString)(dtype);
}

/** An op call with invalid fields set to unknown; null when the op has no name. */
function validCall(value: unknown): OpCall | null {
  if (isCall(value)) return value;
  if (!isObject(value) || !isString(value['op'])) return null;
  const { mod, op, args } = value;
  return { mod: isString(mod) ? mod : 'na', op, args: Array.isArray(args) ? args.filter(isObject).map(validArg) : [] };
}

function validArg(fields: RecordFields): Arg {
  const { name, type, shape, dtype } = fields;
  return {
    name: isString(name) ? name : '',
    type: isString(type) ? type : 'na',
    ...(areNumbers(shape) ? { shape: shape as readonly number[] } : {}),
    ...(isString(dtype) ? { dtype } : {}),
    ...('value' in fields ? { value: fields['value'] as ArgValue } : {}),
  };
}

/** An object whose fields must all be valid; otherwise it is null, if `unknown` is null. */
export function objectWith(
  fields: readonly RecordField[],
  unknown: null | undefined,
  isNullable = unknown === null,
): FieldType {
  const checks = checksOf(fields);
  const isValid = (value: unknown): boolean =>
    value === null ? isNullable : isObject(value) && areValid(value, checks);
  return { kind: fields, isValid, unknown };
}

/**
 * How a field of an object is checked. All checks have the same shape, because they are read for each field of each record.
 */
export interface FieldCheck {
  readonly name: string;
  readonly isValid: (value: unknown) => boolean;
  readonly mayLack: boolean;
}

/** @param isWhole whether fields that a line may omit are required */
export const checksOf = (fields: readonly RecordField[], isWhole = false): FieldCheck[] =>
  fields.map(({ name, isValid, optional, implied }) => ({
    ...{ name, isValid },
    mayLack: isWhole ? optional && !implied : optional || implied,
  }));

/** Whether all fields of an object are valid or may be absent. */
export function areValid(object: RecordFields, checks: readonly FieldCheck[]): boolean {
  for (const check of checks) if (!isValidIn(object, check)) return false;
  return true;
}

export function isValidIn(object: RecordFields, { name, isValid, mayLack }: FieldCheck): boolean {
  const value = object[name];
  return value === undefined ? mayLack : isValid(value);
}

/** Replaces an invalid value. An optional field that cannot be null is removed. */
export function mended(value: unknown, { unknown, validOf, optional, implied }: RecordField): unknown {
  if (validOf !== undefined && Array.isArray(value)) return validOf(value);
  return optional && !implied && unknown !== null ? undefined : unknown;
}
