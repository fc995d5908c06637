/**
 * Semaphore and throttling records → rows.
 *
 * | bytes | semaphore                          | throttling                                          |
 * |-------|------------------------------------|-----------------------------------------------------|
 * | 0     | semaphore                          |                                                     |
 * | 1     | 1 for a value; others are ignored  |                                                     |
 * | 2     |                                    | n: the tensor engine may use k of n cycles          |
 * | 4     | value (bytes 4–7)                  | k                                                   |
 * | 5     |                                    | cause of the limit                                  |
 * | 8–15  | time, ps                           | time, ps; it lasts until the core's next record     |
 */
import { KIND, rankOf, rankWithin, SAMPLE } from '../rows/rows.js';
import { SectionRows, type SectionOutput } from './section-rows.js';
import { RECORD_WORDS, type RecordBlock } from '../file/ntff-file.js';

const VALUE = 1;

export class SemaphoreRecords extends SectionRows {
  /** Records of the execution, of semaphores and of anything else. */
  events = 0;

  constructor(device: number, output: SectionOutput) {
    super(rankOf(KIND.sample, device) | rankWithin(SAMPLE.semaphore, 0), output);
  }

  read({ words, count }: RecordBlock): void {
    const { clock } = this;
    for (let at = 0; at < count * RECORD_WORDS; at += RECORD_WORDS) {
      const head = words[at] as number;
      const time = clock.since(words[at + 2] as number, words[at + 3] as number);
      if (time >= 0 && time <= clock.length) this.events++;
      if (((head >>> 8) & 0xff) !== VALUE) this.diagnostics.count('unknown-record');
      else if (!this.isOutside(time, time)) this.rows.add(time, 0, this.rank, head & 0xff, words[at + 1] as number, 0);
    }
  }
}

export class ThrottleRecords extends SectionRows {
  /** Start and limit of the last record, which lasts until the next one. */
  #start: number | null = null;
  #limit = 0;

  constructor(device: number, output: SectionOutput) {
    super(rankOf(KIND.sample, device) | rankWithin(SAMPLE.throttle, 0), output);
  }

  read({ words, count }: RecordBlock): void {
    for (let at = 0; at < count * RECORD_WORDS; at += RECORD_WORDS) {
      const time = this.clock.since(words[at + 2] as number, words[at + 3] as number);
      const values = words[at + 1] as number;
      this.#endAt(time);
      this.#start = time;
      this.#limit = packLimit(values & 0xff, ((words[at] as number) >>> 16) & 0xff, (values >>> 8) & 0xff);
    }
  }

  /** Ends the last record at the core's last instruction. */
  end(lastEnd: number): void {
    this.#endAt(lastEnd);
    this.#start = null;
  }

  /** Adds the last record, clipped to the execution. */
  #endAt(time: number): void {
    if (this.#start === null) return;
    const start = Math.max(0, this.#start);
    const end = Math.min(time, this.clock.length);
    if (end < start) this.diagnostics.count('outside-execution');
    else this.rows.add(start, end - start, this.rank, 0, 0, this.#limit);
  }
}

const packLimit = (k: number, n: number, kind: number): number => k | (n << 8) | (kind << 16);

/** k of n cycles, and the code of the limit's cause. */
export const limitOf = (rest: number): { readonly k: number; readonly n: number; readonly kind: number } => ({
  k: rest & 0xff,
  n: (rest >>> 8) & 0xff,
  kind: (rest >>> 16) & 0xff,
});
