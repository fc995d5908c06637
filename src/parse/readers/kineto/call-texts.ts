/** The texts of host events and, of ops, what they say of the arguments: `Input Dims` and its like are JSON. */
import type { Arg } from '../../../record/record.js';
import { LruCache } from '../../../containers/lru-cache.js';
import type { HostTexts } from '../../torch/host-events.js';
import { readArguments, readExtents } from './call-arguments.js';
import type { ByteTexts } from '../../json/byte-texts.js';

export class OpTexts implements HostTexts {
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

  /** A text as JSON; undefined when there is none, or it is none. */
  #value(text: number): unknown {
    if (text === 0) return undefined;
    return this.#values.of(text, () => this.texts.value(text - 1));
  }
}
