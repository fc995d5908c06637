/** Texts of the host events of a trace, and arguments in this profiler's notation. */
import type { Arg } from '../../../../record/record.js';
import type { HostTexts } from '../../../torch/host-events.js';
import type { ByteTexts } from '../../../json/byte-texts.js';
import { readFrameworkArguments, readFrameworkExtents } from '../framework-arguments.js';

export class AscendTexts implements HostTexts {
  constructor(private readonly texts: ByteTexts) {}

  text(number: number): string {
    return this.texts.text(number);
  }

  readArguments(dims: number, types: number): Arg[] | null {
    if (dims === 0 && types === 0) return null;
    return readFrameworkArguments(this.#textOrNone(dims), this.#textOrNone(types));
  }

  readExtents(dims: number): number[][] | null {
    return readFrameworkExtents(this.#textOrNone(dims));
  }

  /** The text of a number plus one. */
  #textOrNone(number: number): string {
    return number === 0 ? '' : this.texts.text(number - 1);
  }
}
