/**
 * Columns of numbers as a page stores them: in the smallest type that fits, compressed, as text; and distinct strings by
 * number.
 */
import { deflateRawSync } from 'node:zlib';
import { elementAt } from '../../../containers/element.js';
import type { PackedColumn } from './timeline-data.js';

/** Numbers distinct strings in order of appearance; number 0, the empty string, stands for unknown. */
export class TextTable {
  readonly #numbers = new Map<string, number>([['', 0]]);
  readonly #texts: string[] = [''];
  /** Number of characters of all strings. */
  size = 0;

  /** @param text anything but a string is unknown, because lines may have been edited */
  numberOf(text: string | null | undefined): number {
    if (typeof text !== 'string') return 0;
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#texts.push(text) - 1;
      this.#numbers.set(text, number);
      this.size += text.length;
    }
    return number;
  }

  /** @param number from `numberOf` */
  at(number: number): string {
    return elementAt(this.#texts, number);
  }

  get all(): readonly string[] {
    return this.#texts;
  }
}

const INTEGER_TYPES = [
  { type: 'u8', most: 0xff, of: Uint8Array },
  { type: 'u16', most: 0xffff, of: Uint16Array },
  { type: 'u32', most: 0xffff_ffff, of: Uint32Array },
] as const;

/** Packed bytes are little endian, like the machines on which browsers run. */
const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/**
 * Packs whole numbers from 0 in 8, 16 or 32 bits if they fit, and all others as 64-bit floats. If numbers
 * ascend in small steps, as times do, their differences are packed, because they compress better.
 */
export function packColumn(numbers: ArrayLike<number>): PackedColumn {
  const steps = risingBy(numbers);
  return steps === null ? packed(numbers) : { ...packed(steps), rising: elementAt(numbers, 0) };
}

/** Minimum length of a column to store differences. */
const LEAST_RISING = 4;

/** Differences of whole numbers in ascending order, the first 0; null for all others. */
function risingBy(numbers: ArrayLike<number>): Uint32Array | null {
  if (numbers.length < LEAST_RISING || elementAt(numbers, 0) === elementAt(numbers, numbers.length - 1)) return null;
  const steps = new Uint32Array(numbers.length);
  let last = elementAt(numbers, 0);
  if (!Number.isSafeInteger(last)) return null;
  for (let i = 1; i < numbers.length; i++) {
    const number = elementAt(numbers, i);
    const step = number - last;
    if (!Number.isSafeInteger(number) || step < 0 || step > 0xffff_ffff) return null;
    steps[i] = step;
    last = number;
  }
  return steps;
}

function packed(numbers: ArrayLike<number>): PackedColumn {
  let most = 0;
  let isWhole = true;
  for (let i = 0; i < numbers.length && isWhole; i++) {
    const number = elementAt(numbers, i);
    isWhole = Number.isInteger(number) && number >= 0;
    if (number > most) most = number;
  }
  const fitting = isWhole ? INTEGER_TYPES.find((type) => most <= type.most) : undefined;
  const array = new (fitting?.of ?? Float64Array)(numbers);
  const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  const data = deflateRawSync(IS_LITTLE_ENDIAN ? bytes : swapped(bytes, array.BYTES_PER_ELEMENT)).toString('base64');
  return { type: fitting?.type ?? 'f64', length: numbers.length, data };
}

function swapped(bytes: Buffer, size: number): Buffer {
  if (size === 2) return bytes.swap16();
  if (size === 4) return bytes.swap32();
  return size === 8 ? bytes.swap64() : bytes;
}
