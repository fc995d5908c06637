/** Values of keys by number, each different one stored once, as its JSON. */
import type { CellValue } from '../../table/column.js';
import { LruCache } from '../../containers/lru-cache.js';
import { TextPool } from '../../containers/text-pool.js';

/** JSON has no number that is not finite: such a one is written as JavaScript does, which is no JSON. */
const textOf = (value: CellValue): string =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : JSON.stringify(value);

const valueOf = (text: string): CellValue =>
  /^(?:NaN|-?Infinity)$/.test(text) ? Number(text) : (JSON.parse(text) as CellValue);

export class KeyValues {
  readonly #texts = new TextPool();
  /** Of most kernels the value is one of few. */
  readonly #recent = new LruCache<number | string, number>(4096);

  get bytes(): number {
    return this.#texts.bytes;
  }

  /** The number of a value, from 0; the same for equal ones. */
  numberOf(value: CellValue): number {
    return typeof value === 'object' ? this.#find(value) : this.#recent.of(value, () => this.#find(value));
  }

  at(number: number): CellValue {
    return valueOf(this.#texts.at(number));
  }

  #find(value: CellValue): number {
    return this.#texts.numberOf(textOf(value));
  }
}
