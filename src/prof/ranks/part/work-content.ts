/** What tells the work of one device from that of any other: a hash of 64 bits over the times of all of its activities. */
import { mixedNumber } from '../../../containers/hash.js';
import type { StepActivity } from '../../steps/step-work.js';

/** Hashes that begin with different numbers differ for all that follows. */
const SEEDS = [0, 0x5bd1e995] as const;
const HEX = 16;
const DIGITS = 8;

export class WorkContent {
  #first: number = SEEDS[0];
  #second: number = SEEDS[1];

  add({ start, dur, stream, pid = null, corr = null }: StepActivity): void {
    for (const value of [start, dur ?? -1, stream ?? -1, pid ?? -1, corr ?? -1]) {
      this.#first = mixedNumber(this.#first, value);
      this.#second = mixedNumber(this.#second, value);
    }
  }

  get text(): string {
    return [this.#first, this.#second].map((half) => (half >>> 0).toString(HEX).padStart(DIGITS, '0')).join('');
  }
}
