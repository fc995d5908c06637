/**
 * `net.dict` of PyProf and PyProf2: one Python dict a line and kernel. It has no start, process or launch; its calls are
 * marker texts, which are Python literals again.
 */
import type { KernelRecord, OpCall } from '../../record/record.js';
import { readMarkerText } from '../../record/python/marker-text.js';
import { isDict, parseLiteral } from '../../record/python/python-literal.js';
import { LruCache } from '../../containers/lru-cache.js';
import { copyOf } from './repeated-fields.js';
import { strings } from './field-checks.js';
import { repairedKernel } from './record-validation.js';

const MARKERS_KEPT = 2000;
/** A longer marker text is rare enough not to be kept. */
const LONGEST_KEPT = 20_000;

/** Messages of the database that failed scripts left in the file in place of kernels. */
const DATABASE_MESSAGES = ['no such table', 'no such column', 'file is not a database', 'unable to open database'];

export const isDatabaseMessage = (line: string): boolean =>
  DATABASE_MESSAGES.some((message) => line.toLowerCase().includes(message));

export class NetDictReader {
  readonly #markers = new LruCache<string, readonly OpCall[]>(MARKERS_KEPT);

  /**
   * @param line one dict
   * @param id ordinal of the kernel, from 1
   * @returns null when the line is a literal but no kernel
   * @throws LiteralError when it is no literal
   */
  kernel(line: string, id: number): KernelRecord | null {
    const dict = parseLiteral(line);
    if (!isDict(dict) || typeof dict['kShortName'] !== 'string') return null;
    const kernel = repairedKernel(
      {
        ...dict,
        name: dict['kLongName'],
        short: dict['kShortName'],
        dur: dict['kDuration'],
        repr: dict['reprMarkers'],
        seq: dict['seqId'],
        altSeq: dict['altSeqId'],
        sub: dict['subSeqId'],
      },
      id,
    );
    return { ...kernel, calls: this.#calls(strings(dict['marker'])) };
  }

  /** Equal markers give the same object: see `repeated-fields.ts`. */
  #calls(texts: readonly string[]): readonly OpCall[] {
    const [only] = texts;
    const key = texts.length === 1 && only !== undefined ? only : JSON.stringify(texts);
    if (key.length > LONGEST_KEPT) return callsOf(texts);
    const known = this.#markers.get(key);
    if (known !== undefined) return known;
    // Parsed from a copy, whose slices do not keep the line's chunk alive.
    const calls = callsOf(texts.map(copyOf));
    this.#markers.set(copyOf(key), calls);
    return calls;
  }
}

/** Texts that are no calls are left out, and the kernel stays. */
function callsOf(texts: readonly string[]): OpCall[] {
  return texts.map((text) => readMarkerText(text).call).filter((call) => call !== null);
}
