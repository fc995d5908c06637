/** Parses strings of PyProf's ranges: Python data that describes a call, or its place in the program. */
import type { OpCall, Arg, ArgValue } from '../record.js';
import { isDict, literalOrNull, type PythonValue } from './python-literal.js';

/**
 * Converts a PyProf marker to a call; null when the value is not a call marker or one of its arguments is malformed. Never
 * throws.
 *
 * `{'mod': 'torch', 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', 'shape': (2, 3), 'dtype': 'float16'}, …]}`; an
 * argument that is not a tensor has `value` instead of `shape` and `dtype`. Other keys (`callid`, `input_callids` of
 * DLProf's markers) are dropped.
 */
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
 * Converts to a value that JSON can hold: infinities and NaN by PyProf's names ('inf', '-inf', 'nan'), integers beyond 2^53
 * as decimal strings; undefined (unknown) for anything that contains a dict.
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

/**
 * PyProf wraps it like an op, and newer PyTorch calls it for every attribute; real profiles nest hundreds of these calls.
 */
const LOOKUP = '__getattr__';

/** Whether a call only looks up an attribute of a module, and computes nothing. */
export const isLookup = ({ op }: Pick<OpCall, 'op'>): boolean => op === LOOKUP;

/**
 * Stack frames of PyTorch and of profilers' wrappers, not of the program: PyProf's list, and newer files with the same
 * roles.
 */
const FOREIGN_FRAMES: readonly string[] = [
  '/torch/nn/modules/',
  '/torch/nn/functional.py',
  '/torch/tensor.py',
  '/torch/_tensor.py',
  '/torch/autograd/__init__.py',
  '/torch/_jit_internal.py',
  '/pyprof/nvtx/nvmarker.py',
  '/pyprof2/nvtx/nvmarker.py',
  '/apex/optimizers/',
  '/torch/_utils.py',
  '/torch/optim/',
];

/** The frames of a call stack that belong to the program, in the same order. */
export const programFrames = (stack: readonly string[]): string[] =>
  stack.filter((frame) => !FOREIGN_FRAMES.some((part) => frame.includes(part)));

/** The contents of a string; both are null for other strings. */
interface MarkerText {
  readonly call: OpCall | null;
  /** The call stack, `file:line`, outermost first. */
  readonly stack: readonly string[] | null;
}

const NEITHER: MarkerText = { call: null, stack: null };

/** Never throws, because strings come from the profiled program and may contain anything. */
export function readMarkerText(text: string): MarkerText {
  const value = literalOrNull(text);
  if (!isDict(value)) return NEITHER;
  const { traceMarker } = value;
  const isStack = Array.isArray(traceMarker) && traceMarker.every((frame) => typeof frame === 'string');
  return { call: toOpCall(value), stack: isStack ? traceMarker : null };
}
