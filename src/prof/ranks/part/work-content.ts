/** What tells the work of one device from that of any other: a hash of 64 bits over the times and names of all of its activities. */
import { mixedNumber } from '../../../containers/hash.js';
import { LruCache } from '../../../containers/lru-cache.js';
import type { StepActivity } from '../../steps/step-work.js';

/** Hashes that begin with different numbers differ for all that follows. */
const SEEDS = [0, 0x5bd1e995] as const;
const HEX = 16;
const DIGITS = 8;

export class WorkContent {
  #first: number = SEEDS[0];
  #second: number = SEEDS[1];

  readonly #names = new LruCache<string, number>(4096);

  add(record: StepActivity): void {
    const { start, dur, stream, pid = null, corr = null } = record;
    const name = this.#names.of(nameOf(record), hashOf);
    for (const value of [start, dur ?? -1, stream ?? -1, pid ?? -1, corr ?? -1, name]) {
      this.#first = mixedNumber(this.#first, value);
      this.#second = mixedNumber(this.#second, value);
    }
  }

  get text(): string {
    return [this.#first, this.#second].map((half) => (half >>> 0).toString(HEX).padStart(DIGITS, '0')).join('');
  }
}

const nameOf = (record: StepActivity): string => ('name' in record ? record.name : record.type);

const hashOf = (text: string): number => {
  let hash = text.length;
  for (let at = 0; at < text.length; at++) hash = mixedNumber(hash, text.charCodeAt(at));
  return hash;
};
