/** Packed columns of a page → typed arrays: base64, raw deflate, little endian. Needs no document. */
import type { PackedColumn } from '../../../prof/html/page-data.js';

const WIDTHS: Readonly<Record<PackedColumn['type'], number>> = { u8: 1, u16: 2, u32: 4, f64: 8 };

/** More than any page holds: a damaged length must not allocate all memory. */
const MOST_NUMBERS = 20_000_000;

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Inflates into a buffer of the expected size; throws where the data is shorter or longer. */
async function inflate(bytes: Uint8Array<ArrayBuffer>, size: number): Promise<ArrayBuffer> {
  const stream = new DecompressionStream('deflate-raw');
  const writer = stream.writable.getWriter();
  // Errors of the data are thrown by the reading end.
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
  if (at !== size) throw new Error(`${at} bytes in place of ${size}`);
  return all.buffer;
}

/** Functions that read one number, little endian. */
const READERS: Readonly<Record<PackedColumn['type'], (view: DataView, at: number) => number>> = {
  u8: (view, at) => view.getUint8(at),
  u16: (view, at) => view.getUint16(at, true),
  u32: (view, at) => view.getUint32(at, true),
  f64: (view, at) => view.getFloat64(at, true),
};

export type UnpackedColumn = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/**
 * @param name of the column, for messages
 * @param packed `length` numbers of one type
 * @returns the numbers, in an array of their type
 * @throws Error with one line that names the column, where the bytes do not match `type` and `length`
 */
export async function unpackColumn(name: string, packed: PackedColumn): Promise<UnpackedColumn> {
  const { type, length, data } = packed;
  const width = (WIDTHS as Readonly<Record<string, number | undefined>>)[type];
  if (width === undefined) throw new Error(`${name}: unknown type of numbers`);
  if (!Number.isInteger(length) || length < 0 || length > MOST_NUMBERS) throw new Error(`${name}: no usable length`);
  try {
    const buffer = await inflate(bytesOf(data), length * width);
    return inOrderOf(buffer, type, length);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : 'damaged'}`, { cause: error });
  }
}

function inOrderOf(buffer: ArrayBuffer, type: PackedColumn['type'], length: number): UnpackedColumn {
  const isLittle = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
  if (type === 'u8') return new Uint8Array(buffer);
  if (isLittle) {
    if (type === 'u16') return new Uint16Array(buffer);
    return type === 'u32' ? new Uint32Array(buffer) : new Float64Array(buffer);
  }
  const view = new DataView(buffer);
  const read = READERS[type];
  const width = WIDTHS[type];
  return Float64Array.from({ length }, (_, i) => read(view, i * width));
}
