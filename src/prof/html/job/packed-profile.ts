/** What a page has made of a profile, compressed while others are read: only in the end it is known which of them it holds. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { BuiltProfile } from '../page-sums.js';

/** Nine tenths of the best level's, in a third of its time. */
const LEVEL = 1;

export class PackedProfile {
  readonly #bytes: Buffer;

  constructor(
    built: BuiltProfile,
    /** Steps of its timeline, and whether it has what was asked for. */
    readonly steps: readonly number[],
    readonly isMet: boolean,
    readonly outOfOrder: number,
  ) {
    this.#bytes = deflateRawSync(JSON.stringify(built), { level: LEVEL });
  }

  get built(): BuiltProfile {
    return JSON.parse(inflateRawSync(this.#bytes).toString('utf8')) as BuiltProfile;
  }
}
