/** The texts of host events; `Input Dims` and the other texts on the arguments of ops are JSON. */
import type { Arg } from '../../../record/record.js';
import { LruCache } from '../../../containers/lru-cache.js';
import type { HostTexts } from '../../torch/host-events.js';
import { readArguments, readExtents } from './call-arguments.js';
import type { ByteTexts } from '../../json/byte-texts.js';

export class KinetoTexts implements HostTexts {
  readonly #values = new LruCache<number, unknown>(8192);

  constructor(private readonly texts: ByteTexts) {}

  text(number: number): string {
    return this.texts.text(number);
  }

  readArguments(dims: number, types: number, concrete: number): Arg[] | null {
    return readArguments(this.#value(dims), this.#value(types), this.#value(concrete));
  }

  readExtents(dims: number): number[][] | null {
    return readExtents(this.#value(dims));
  }

  /** A text parsed as JSON, by its number plus one; undefined for 0 and for malformed JSON. */
  #value(text: number): unknown {
    if (text === 0) return undefined;
    return this.#values.of(text, () => this.texts.value(text - 1));
  }
}
