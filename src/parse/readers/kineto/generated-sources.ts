/** The sources that torch.compile generated for kernels, as the ops that launch them state. Memory: two numbers such an op. */
import type { Labels } from '../../../record/record.js';
import type { ByteTexts } from '../../json/byte-texts.js';
import type { Fields } from '../../json/event-fields.js';
import { ARG } from './event-args.js';

export class GeneratedSources {
  /** Number of the text of the file, by op. */
  readonly #files = new Map<number, number>();
  /** By file: each has one kernel. */
  readonly #labels = new Map<number, Labels>();

  constructor(private readonly texts: ByteTexts) {}

  /** Takes an op whose args have been read. */
  take(op: number, args: Fields): void {
    if (!args.has(ARG.kernelFile)) return;
    const file = args.text(ARG.kernelFile, this.texts);
    if (file === null) return;
    this.#files.set(op, file);
    if (this.#labels.has(file)) return;
    const hash = args.text(ARG.kernelHash, this.texts);
    this.#labels.set(file, {
      kernel_file: this.texts.text(file),
      ...(hash === null ? undefined : { kernel_hash: this.texts.text(hash) }),
    });
  }

  /** What the op states; null for all others. */
  labelsOf(op: number): Labels | null {
    const file = this.#files.get(op);
    return file === undefined ? null : (this.#labels.get(file) ?? null);
  }
}
