/** Unpacks columns of a page into typed arrays: base64, raw deflate, little endian. Does not need a document. */
import { elementAt } from '../../../containers/element.js';
import type { PackedColumn } from '../../../prof/html/timeline/timeline-data.js';

/** Typed arrays have the byte order of the machine, which is little endian wherever browsers run. */
const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array } as const;

/** Larger than any page's data, so that a damaged length does not allocate all memory. */
const MOST_NUMBERS = 20_000_000;

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Decompresses into a buffer of the expected size; throws when the data is shorter or longer. */
async function inflate(bytes: Uint8Array<ArrayBuffer>, size: number): Promise<ArrayBuffer> {
  const stream = new DecompressionStream('deflate-raw');
  const writer = stream.writable.getWriter();
  // The reading end throws errors of the data.
  const written = writer.write(bytes).then(() => writer.close());
  written.catch(() => undefined);
  const reader = (stream.readable as ReadableStream<Uint8Array>).getReader();
  const all = new Uint8Array(size);
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > size) {
      void reader.cancel();
      throw new Error(`more than ${size} bytes`);
    }
    all.set(value, at);
    at += value.length;
  }
  if (at !== size) throw new Error(`${at} bytes instead of ${size}`);
  return all.buffer;
}

export type UnpackedColumn = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** Decodes numbers from the first one and the differences between neighbours. */
function risen(steps: UnpackedColumn, first: number): Float64Array {
  const numbers = new Float64Array(steps.length);
  let last = first;
  for (let i = 0; i < steps.length; i++) numbers[i] = last += elementAt(steps, i);
  return numbers;
}

/**
 * @param name name of the column, for messages
 * @param packed `length` numbers of one type
 * @returns the numbers, in an array of their type
 * @throws Error with one line that names the column, when the bytes do not match `type` and `length`
 */
export async function unpackColumn(name: string, packed: PackedColumn): Promise<UnpackedColumn> {
  const { type, length, data, rising } = packed;
  if (!Object.hasOwn(ARRAYS, type)) throw new Error(`${name}: unknown type of numbers`);
  const Numbers = ARRAYS[type];
  if (!Number.isInteger(length) || length < 0 || length > MOST_NUMBERS) throw new Error(`${name}: no usable length`);
  try {
    const numbers = new Numbers(await inflate(bytesOf(data), length * Numbers.BYTES_PER_ELEMENT));
    return rising === undefined ? numbers : risen(numbers, rising);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : 'damaged'}`, { cause: error });
  }
}
