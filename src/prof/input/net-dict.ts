/**
 * `net.dict` of PyProf and PyProf2: one Python dict a line and kernel. It has no start, process or launch; its calls are
 * marker texts, which are Python literals again.
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
/** A longer marker text is rare enough not to be kept. */
const LONGEST_KEPT = 20_000;

/** Messages of the database that failed scripts left in the file in place of kernels. */
const DATABASE_MESSAGES = ['no such table', 'no such column', 'file is not a database', 'unable to open database'];

export const isDatabaseMessage = (line: string): boolean =>
  DATABASE_MESSAGES.some((message) => line.toLowerCase().includes(message));

/** A bar of progress, which a script writes without a line feed, in the middle of a kernel too. */
const PROGRESS = /\r? {0,2}\d{1,3}%\|[^|]{0,400}\| \d{1,9}\/\d{1,9} \[[^\]]{0,100}\]/g;

/** A line without the progress that was printed into it. */
export const withoutProgress = (line: string): string => (line.includes('%|') ? line.replace(PROGRESS, '') : line);

/** What the scripts print as they begin, and Python of its warnings: no kernel is missing for it. */
const HARMLESS = /^Found \d+ kernels|Warning: |^\s/;
/** A kernel has such keys, also where its line is damaged. */
const KEY = "'k";
/** Most such lines before the first kernel: in more there will be none. */
const MOST_BEFORE = 100;
/** Of a failure, its last line says what it was. */
const TRACEBACK = 'Traceback (most recent call last):';

/** Lines of a `net.dict` other than kernels: what the script that wrote it printed, to stdout or to a stderr that went there. */
export class PrintedLines {
  #first: UserError | null = null;
  #count = 0;
  #harmful: UserError | null = null;
  #said: string | null = null;

  /**
   * @param error for the line, where it may not stand
   * @param kernels that stand before it
   * @throws UserError for the first line where there are too many to be in front of kernels
   */
  take(error: UserError, text: string, kernels: number): void {
    this.#first ??= error;
    if (++this.#count > MOST_BEFORE && kernels === 0) throw this.#first;
    if (HARMLESS.test(text) && !text.includes(KEY)) return;
    this.#harmful ??= error;
    if (!text.startsWith('{') && !text.startsWith(TRACEBACK)) this.#said ??= text.trim().slice(0, 80);
  }

  /** To be called where it turns out that there are no kernels. @throws UserError for the first line */
  refuse(): void {
    if (this.#first !== null) throw this.#first;
  }

  /** What is said of them when the kernels are read: an error where the script may have failed. */
  tellTo({ notes, troubles }: Pick<StreamStatus, 'notes' | 'troubles'>): void {
    if (this.#count === 0) return;
    const lines = `${counted(this.#count, 'line')} of text among the kernels`;
    if (this.#harmful === null) {
      notes.push(`${lines} passed over: messages of the script, or warnings`);
      return;
    }
    const said = this.#said === null ? '' : `: "${this.#said}"`;
    const hint = 'those there were read; run dparse on the profile itself';
    troubles.push(new UserError(`${lines}${said}; some kernels may be missing`, { ...this.#harmful.detail, hint }));
  }
}

export class NetDictReader {
  readonly #markers = new LruCache<string, readonly OpCall[]>(MARKERS_KEPT);

  /**
   * @param line one dict
   * @param id ordinal of the kernel, from 1
   * @returns null when the line is a literal but no kernel
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

  /** Equal markers give the same object: see `RepeatedFieldParser`. */
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
