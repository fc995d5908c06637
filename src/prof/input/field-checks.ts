/** What the fields of records may be: users cut, filter and edit records, so that any of them may be of another type. */
import type { Arg, Extent, Launch, OpCall } from '../../record/record.js';

/** An object of parsed JSON, of which nothing is known yet. */
export type RecordFields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is RecordFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a line states a value: what it leaves out, and null, is unknown. */
export const isStated = (value: unknown): boolean => value !== undefined && value !== null;

/** JSON has numbers that are read as infinite. */
export const isNumber = (value: unknown): value is number => Number.isFinite(value);
/** The number of a profile in its file. */
export const isOrdinal = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
/** ns, which a double holds exactly up to 2^53. */
export const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
export const timeOr = <T>(value: unknown, otherwise: T): number | T => (isTime(value) ? value : otherwise);
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
export const isString = (value: unknown): value is string => typeof value === 'string';
export const numberOr = <T>(value: unknown, otherwise: T): number | T => (isNumber(value) ? value : otherwise);
export const stringOr = <T>(value: unknown, otherwise: T): string | T => (isString(value) ? value : otherwise);

export const strings = (value: unknown): string[] => (Array.isArray(value) ? value.filter(isString) : []);
export const numbers = (value: unknown): number[] => (Array.isArray(value) ? value.filter(isNumber) : []);

export const areStrings = (value: unknown): boolean => Array.isArray(value) && value.every(isString);
export const areNumbers = (value: unknown): boolean => Array.isArray(value) && value.every(isNumber);
export const isNumberOrNull = (value: unknown): boolean => value === null || isNumber(value);
export const isTimeOrNull = (value: unknown): boolean => value === null || isTime(value);
export const isExtentOrNull = (value: unknown): boolean => value === null || extent(value) === value;

export function extent(value: unknown): Extent | null {
  return Array.isArray(value) && value.length === 3 && value.every(isNumber) ? (value as unknown as Extent) : null;
}

export const isAbsentOr =
  (check: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || check(value);

const isObjectOf =
  (check: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    isObject(value) && Object.values(value).every(check);
export const areCounters = isObjectOf(isNumber);

/** Picoseconds by which a start and a duration are longer than their nanoseconds. */
export const arePicoseconds = (value: unknown): boolean =>
  areNumbers(value) && (value as number[]).length === 2 && (value as number[]).every((ps) => Math.abs(ps) < 1000);

export const areLabels = isObjectOf((value) => isString(value) || isNumber(value));
export const isTextOrNull = (value: unknown): boolean => value === null || isString(value);

/** The host call; null when it is none. */
export function launch(value: unknown): Launch | null {
  if (!isObject(value) || !isTime(value['start']) || !isTime(value['dur'])) return null;
  const { api, domain } = value;
  const isNamed = (api === null || isString(api)) && (domain === undefined || isString(domain));
  return isNamed ? (value as unknown as Launch) : null;
}

export const isLaunchOrNull = (value: unknown): boolean => value === null || launch(value) === value;

export function isCall(value: unknown): value is OpCall {
  if (!isObject(value) || !isString(value['mod']) || !isString(value['op'])) return false;
  return Array.isArray(value['args']) && value['args'].every(isArg);
}

function isArg(value: unknown): value is Arg {
  if (!isObject(value) || !isString(value['name']) || !isString(value['type'])) return false;
  const { shape, strides, dtype } = value;
  const areExtents = (list: unknown): boolean => list === undefined || areNumbers(list);
  return areExtents(shape) && areExtents(strides) && (dtype === undefined || isString(dtype));
}
