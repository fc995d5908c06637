/**
 * PyProf's call marker, read as Python data → OpCall.
 *
 * `{'mod': 'torch', 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', 'shape': (2, 3), 'dtype': 'float16'}, …]}`;
 * an argument that is no tensor has `value` instead of `shape` and `dtype`. Other keys (`callid`, `input_callids` of
 * DLProf's markers) are dropped.
 */
import { isDict, type PythonValue } from './python-literal.js';
import type { Arg, ArgValue, OpCall } from '../record.js';

/** The call; null when the value is no call marker or one of its arguments is malformed. Never throws. */
export function toOpCall(value: PythonValue): OpCall | null {
  if (!isDict(value)) return null;
  const { mod, op, args } = value;
  if (typeof mod !== 'string' || typeof op !== 'string' || !isList(args)) return null;
  const read: Arg[] = [];
  for (const item of args) {
    const arg = toArg(item);
    if (arg === null) return null;
    read.push(arg);
  }
  return { mod, op, args: read };
}

const isList = (value: PythonValue | undefined): value is readonly PythonValue[] => Array.isArray(value);

function toArg(item: PythonValue): Arg | null {
  if (!isDict(item)) return null;
  const { name = '', type, shape, dtype, value } = item;
  if (typeof name !== 'string' || typeof type !== 'string') return null;
  if (dtype !== undefined && typeof dtype !== 'string') return null;
  const extents = shape === undefined ? undefined : toShape(shape);
  if (extents === null) return null;
  const plain = value === undefined ? undefined : toArgValue(value);
  return {
    name,
    type,
    ...(extents === undefined ? {} : { shape: extents }),
    ...(dtype === undefined ? {} : { dtype }),
    ...(plain === undefined ? {} : { value: plain }),
  };
}

const isExtent = (value: PythonValue): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

function toShape(shape: PythonValue): number[] | null {
  if (!isList(shape)) return null;
  const extents = shape.filter(isExtent);
  return extents.length === shape.length ? extents : null;
}

/**
 * A value that JSON can hold: infinities and NaN by the names PyProf gives them ('inf', '-inf', 'nan'), integers
 * beyond 2^53 as decimal strings; undefined (unknown) for anything that holds a dict.
 */
function toArgValue(value: PythonValue): ArgValue | undefined {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value))
    return String(value)
      .toLowerCase()
      .slice(0, value < 0 ? 4 : 3);
  if (typeof value !== 'object' || value === null) return value;
  if (isDict(value)) return undefined;
  const items: ArgValue[] = [];
  for (const item of value) {
    const plain = toArgValue(item);
    if (plain === undefined) return undefined;
    items.push(plain);
  }
  return items;
}
