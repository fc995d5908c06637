/**
 * `net.dict` of PyProf and PyProf2: one Python dict per line and kernel. A kernel has no start, process or launch. Its
 * calls are marker strings, which are also Python literals.
 */
import type { KernelRecord, OpCall } from '../../record/record.js';
import { readMarkerText } from '../../record/python/marker-text.js';
import { isDict, parseLiteral } from '../../record/python/python-literal.js';
import { UserError } from '../../record/errors.js';
import { counted } from '../../record/plural.js';
import { LruCache } from '../../containers/map-entry.js';
import { copyOf, kernelOf } from './record-validation.js';
import { strings } from '../../record/fields/field-types.js';
import type { StreamStatus } from './stream-status.js';

const MARKERS_KEPT = 2000;
/** Longer marker strings are too rare to cache. */
const LONGEST_KEPT = 20_000;

/** Database error messages that failed scripts left in the file in place of kernels. */
const DATABASE_MESSAGES = ['no such table', 'no such column', 'file is not a database', 'unable to open database'];

export const isDatabaseMessage = (line: string): boolean =>
  DATABASE_MESSAGES.some((message) => line.toLowerCase().includes(message));

/** A progress bar, which a script writes without a line feed, possibly in the middle of a kernel. */
const PROGRESS = /\r? {0,2}\d{1,3}%\|[^|]{0,400}\| \d{1,9}\/\d{1,9} \[[^\]]{0,100}\]/g;

/** A line without the progress bars that were printed into it. */
export const withoutProgress = (line: string): string => (line.includes('%|') ? line.replace(PROGRESS, '') : line);

/** Lines that the scripts print at their start, and Python warnings. They do not mean that a kernel is missing. */
const HARMLESS = /^Found \d+ kernels|Warning: |^\s/;
/** Kernels have keys with this prefix, even when their line is damaged. */
const KEY = "'k";
/** Maximum number of such lines before the first kernel; a file with more contains no kernels. */
const MOST_BEFORE = 100;
/** The last line of a traceback describes the failure. */
const TRACEBACK = 'Traceback (most recent call last):';

/**
 * Lines of a `net.dict` other than kernels: output of the script that wrote it, to stdout or to a stderr that was
 * redirected there.
 */
export class PrintedLines {
  #first: UserError | null = null;
  #count = 0;
  #harmful: UserError | null = null;
  #said: string | null = null;

  /**
   * @param error the error for the line, when it is not allowed here
   * @param kernels number of kernels before the line
   * @throws UserError for the first line when there are too many before the first kernel
   */
  take(error: UserError, text: string, kernels: number): void {
    this.#first ??= error;
    if (++this.#count > MOST_BEFORE && kernels === 0) throw this.#first;
    if (HARMLESS.test(text) && !text.includes(KEY)) return;
    this.#harmful ??= error;
    if (!text.startsWith('{') && !text.startsWith(TRACEBACK)) this.#said ??= text.trim().slice(0, 80);
  }

  /**
   * Must be called when the input has no kernels.
   * @throws UserError for the first line
   */
  refuse(): void {
    if (this.#first !== null) throw this.#first;
  }

  /** Reports these lines after the kernels were read, as an error if the script may have failed. */
  tellTo({ name, notes, troubles }: Pick<StreamStatus, 'name' | 'notes' | 'troubles'>): void {
    if (this.#count === 0) return;
    const lines = `${counted(this.#count, 'line')} of text between the kernels`;
    if (this.#harmful === null) {
      notes.push(new UserError(`${lines} skipped: script output or warnings`, { where: name, about: lines }));
      return;
    }
    const said = this.#said === null ? '' : `: "${this.#said}"`;
    const hint = 'all kernels in the file were read; run dparse on the profile itself';
    troubles.push(new UserError(`${lines}${said}; some kernels may be missing`, { ...this.#harmful.detail, hint }));
  }
}

export class NetDictReader {
  readonly #markers = new LruCache<string, readonly OpCall[]>(MARKERS_KEPT);

  /**
   * @param line one dict
   * @param id number of the kernel, from 1
   * @returns null when the line is a literal but not a kernel
   * @throws LiteralError when it is not a literal
   */
  kernel(line: string, id: number): KernelRecord | null {
    const dict = parseLiteral(line);
    if (!isDict(dict) || typeof dict['kShortName'] !== 'string') return null;
    const kernel = kernelOf(
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

  /** Equal markers give the same object; see `RepeatedFieldParser`. */
  #calls(texts: readonly string[]): readonly OpCall[] {
    const [only] = texts;
    const key = texts.length === 1 && only !== undefined ? only : JSON.stringify(texts);
    if (key.length > LONGEST_KEPT) return callsOf(texts);
    const known = this.#markers.get(key);
    if (known !== undefined) return known;
    // Parsed from a copy, so that slices of it do not keep the line's chunk in memory.
    const calls = callsOf(texts.map(copyOf));
    this.#markers.set(copyOf(key), calls);
    return calls;
  }
}

/** Strings that are not calls are left out, and the kernel is kept. */
function callsOf(texts: readonly string[]): OpCall[] {
  return texts.map((text) => readMarkerText(text).call).filter((call) => call !== null);
}
