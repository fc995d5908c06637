/**
 * Turns the shapes that PyTorch prints after an op's name (`sizes = [[8, 64], [], [64, 32]]`) into the arguments of a call.
 *
 * There is one entry for each argument: a tensor's shape, or `[]` for a number, a list, None, or a tensor without
 * dimensions. A tensor list has one entry for each tensor (since PyTorch 1.11; before, one `[]` for the whole list).
 * Source: torch/csrc/profiler/util.cpp (inputSizes), torch/csrc/profiler/standalone/nvtx_observer.cpp.
 */
import type { Arg, OpCall } from '../../../record/record.js';
import { LruCache } from '../../../containers/map-entry.js';
import { readOpName, type OpMarker } from './markers.js';

/** An argument that is None. Profilers record the arguments of op calls in the order of the op's schema, without names. */
export const NOT_GIVEN: Arg = { name: '', type: 'NoneType', value: null };
/** An argument whose kind and value are not recorded. */
export const UNKNOWN: Arg = { name: '', type: 'unknown' };

/** PyTorch's type of an undefined tensor, such as an optional gradient. */
export const UNDEFINED_TENSOR = 'nullptr (uninitialized)';

/** @param dtype element type; an unknown one keeps the profile's name, '' means none */
export const tensorArg = (shape: readonly number[], dtype: string): Arg => ({
  name: '',
  type: 'tensor',
  shape,
  ...(dtype === '' ? undefined : { dtype }),
});

/**
 * Maximum number of entries that are read for one op. The limit is needed because the record of every kernel inside
 * repeats them.
 */
export const MAX_ENTRIES = 1024;

/**
 * The arguments of an op from their shapes, in order.
 * @param sizes the text between the outer brackets: `[8, 64], [], [64, 32]`
 * @returns null when the text is not a list of shapes, or has more than `MAX_ENTRIES` entries
 */
export function readSizes(sizes: string): Arg[] | null {
  const args: Arg[] = [];
  let at = 0;
  while (at < sizes.length) {
    const end = sizes.indexOf(']', at);
    if (sizes[at] !== '[' || end === -1 || args.length === MAX_ENTRIES) return null;
    const shape = readShape(sizes.slice(at + 1, end));
    if (shape === null) return null;
    args.push(shape.length === 0 ? UNKNOWN : tensorArg(shape, ''));
    at = end + 1;
    if (at === sizes.length) break;
    if (!sizes.startsWith(SEPARATOR, at)) return null;
    at += SEPARATOR.length;
    if (at === sizes.length) return null;
  }
  return args;
}

const SEPARATOR = ', ';

/** Extents of a shape such as `8, 64`; null when one of them is not a whole number up to 2^53. */
function readShape(text: string): number[] | null {
  if (text === '') return [];
  const shape: number[] = [];
  for (const word of text.split(SEPARATOR)) {
    const extent = Number(word);
    if (!/^\d+$/.test(word) || !Number.isSafeInteger(extent)) return null;
    shape.push(extent);
  }
  return shape;
}

/** Ops of PyTorch before 1.7 have no namespace. Ranges of the user's program never have sizes. */
const BARE = /^[a-z_]\w*$/;

/** Module and op of a marker's name; null for a function that is in no op table. */
function nameOf({ name, opId }: OpMarker): Pick<OpCall, 'mod' | 'op'> | null {
  return readOpName(name) ?? (opId === null && BARE.test(name) ? { mod: 'aten', op: name } : null);
}

/**
 * Number of calls in the cache, and maximum number of arguments of a cached call. Longer calls are parsed each time.
 */
const RECENT = 4096;
const MAX_CACHED_ARGS = 16;

/** Reads the calls of op markers, with a cache for repeated ones. */
export class OpSizesReader {
  readonly #recent = new LruCache<string, OpCall>(RECENT);

  /** The call of an op that records shapes, without arguments when these are malformed; null for any other range. */
  callOf(marker: OpMarker): OpCall | null {
    const { sizes, node } = marker;
    if (sizes === null || node) return null;
    const named = nameOf(marker);
    if (named === null) return null;
    const key = `${marker.name} ${sizes}`;
    const known = this.#recent.get(key);
    if (known !== undefined) return known;
    const call: OpCall = { ...named, args: readSizes(sizes) ?? [], from: 'sizes' };
    if (call.args.length <= MAX_CACHED_ARGS) this.#recent.set(key, call);
    return call;
  }
}
