/**
 * The extents that PyTorch prints behind an op's name (`sizes = [[8, 64], [], [64, 32]]`) → the arguments of a call.
 *
 * One entry an argument: a tensor's extents, `[]` for anything else: a number, a list, None, a tensor without
 * dimensions. A list of tensors is one entry each (since PyTorch 1.11; before, one `[]` for the whole list).
 * Source: torch/csrc/profiler/util.cpp (inputSizes), torch/csrc/profiler/standalone/nvtx_observer.cpp.
 */
import type { Arg, OpCall } from '../../record/record.js';
import { Repeating } from '../../containers/lru-cache.js';
import type { OpMarker } from './markers.js';
import { readOpName } from '../names/op-name.js';

/** Entries of one op that are told; the record of every kernel inside repeats them. */
export const MAX_ENTRIES = 1024;

const UNTOLD: Arg = { name: '', type: 'unknown' };

/**
 * The arguments by their extents, in order.
 * @param sizes the text between the outer brackets: `[8, 64], [], [64, 32]`
 * @returns null when it is no list of extents, or holds more than `MAX_ENTRIES`
 */
export function readSizes(sizes: string): Arg[] | null {
  const args: Arg[] = [];
  let at = 0;
  while (at < sizes.length) {
    const end = sizes.indexOf(']', at);
    if (sizes[at] !== '[' || end === -1 || args.length === MAX_ENTRIES) return null;
    const shape = readShape(sizes.slice(at + 1, end));
    if (shape === null) return null;
    args.push(shape.length === 0 ? UNTOLD : { name: '', type: 'tensor', shape });
    at = end + 1;
    if (at === sizes.length) break;
    if (!sizes.startsWith(SEPARATOR, at)) return null;
    at += SEPARATOR.length;
    if (at === sizes.length) return null;
  }
  return args;
}

const SEPARATOR = ', ';

/** `8, 64` → extents; null when one of them is no whole number that JSON holds exactly. */
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

/** How PyTorch before 1.7 named its own ops; a name of the program's own has no extents. */
const BARE = /^[a-z_]\w*$/;

/** Module and op of a marker's name; null for a function that no op table has. */
function nameOf({ name, opId }: OpMarker): Pick<OpCall, 'mod' | 'op'> | null {
  return readOpName(name) ?? (opId === null && BARE.test(name) ? { mod: 'aten', op: name } : null);
}

/** Calls whose reading is kept at hand, and their arguments: longer ones are read anew. */
const RECENT = 4096;
const MOST_KEPT = 16;

/** Reads the calls that op markers tell, equal ones once each as long as they come back. */
export class SizesReader {
  readonly #recent = new Repeating<string, OpCall>(RECENT);

  /**
   * The call of an op that prints its extents; null for any other range. One whose extents cannot be read is a call of
   * which nothing but the op is told.
   */
  callOf(marker: OpMarker): OpCall | null {
    const { sizes, node } = marker;
    if (sizes === null || node) return null;
    const named = nameOf(marker);
    if (named === null) return null;
    const key = `${marker.name} ${sizes}`;
    const known = this.#recent.get(key);
    if (known !== undefined) return known;
    const call: OpCall = { ...named, args: readSizes(sizes) ?? [], from: 'sizes' };
    if (call.args.length <= MOST_KEPT) this.#recent.set(key, call);
    return call;
  }
}
