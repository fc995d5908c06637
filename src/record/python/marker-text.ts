/** Texts of PyProf's ranges: Python data that describes the call, or where in the program it is. */
import type { OpCall } from '../record.js';
import { toOpCall } from './op-call.js';
import { isDict, LiteralError, parseLiteral, type PythonValue } from './python-literal.js';

/** PyProf wraps it like an op, and newer PyTorch calls it for every attribute: real profiles nest hundreds of them. */
const LOOKUP = '__getattr__';

/** Whether a call looks up an attribute of a module, which computes nothing. */
export const isLookup = ({ op }: Pick<OpCall, 'op'>): boolean => op === LOOKUP;

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
