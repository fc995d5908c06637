/** Texts of PyProf's ranges: Python data that describes the call, or where in the program it is. */
import type { OpCall } from '../record.js';
import { toOpCall } from './op-call.js';
import { isDict, LiteralError, parseLiteral, type PythonValue } from './python-literal.js';

/** PyProf wraps it like an op, and newer PyTorch calls it for every attribute: real profiles nest hundreds of them. */
const LOOKUP = '__getattr__';

/** Whether a call looks up an attribute of a module, which computes nothing. */
export const isLookup = ({ op }: Pick<OpCall, 'op'>): boolean => op === LOOKUP;

/** Frames of PyTorch and profilers' wrappers, not of the program: PyProf's list, and files with these roles since. */
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

/** Of a call stack the frames of the program, in their order. */
export const programFrames = (stack: readonly string[]): string[] =>
  stack.filter((frame) => !FOREIGN_FRAMES.some((part) => frame.includes(part)));

/** What a text describes; both null for one of neither form. */
export interface MarkerText {
  readonly call: OpCall | null;
  /** The call stack, `file:line`, outermost first. */
  readonly stack: readonly string[] | null;
}

const NEITHER: MarkerText = { call: null, stack: null };

/** Never throws: texts come from the profiled program, and may hold anything. */
export function readMarkerText(text: string): MarkerText {
  const value = literalOf(text);
  if (!isDict(value)) return NEITHER;
  const { traceMarker } = value;
  const isStack = Array.isArray(traceMarker) && traceMarker.every((frame) => typeof frame === 'string');
  return { call: toOpCall(value), stack: isStack ? traceMarker : null };
}

function literalOf(text: string): PythonValue {
  try {
    return parseLiteral(text);
  } catch (error) {
    if (error instanceof LiteralError) return null;
    throw error;
  }
}
