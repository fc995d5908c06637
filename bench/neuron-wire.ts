/**
 * Messages of protocol buffers as lists of fields, to be changed and written again: what is not changed keeps its bytes.
 * Source: protobuf.dev, "Encoding".
 */

/** A field as it stands: its value is a number, or bytes (of a message, a string, or a fixed width). */
export interface WireField {
  readonly field: number;
  readonly kind: number;
  readonly value: bigint | Buffer;
}

export const VARINT = 0;
export const RUN_OF_BYTES = 2;
/** Bytes of the kinds that have a fixed width. */
const WIDTHS: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

/** @returns the number at a place, and the place behind it; null when it is cut off */
export function readVarint(bytes: Buffer, from: number): { readonly value: bigint; readonly to: number } | null {
  let value = 0n;
  for (let at = from; at < bytes.length && at < from + 10; at++) {
    const byte = bytes[at] ?? 0;
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - from));
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), to: at + 1 };
  }
  return null;
}

export function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

/** Fields of a message, in order; null when the bytes are none. */
export function fieldsOf(bytes: Buffer): WireField[] | null {
  const fields: WireField[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = readVarint(bytes, at);
    if (tag === null) return null;
    const [field, kind] = [Number(tag.value >> 3n), Number(tag.value & 7n)];
    if (field === 0) return null;
    const number = kind === VARINT || kind === RUN_OF_BYTES ? readVarint(bytes, tag.to) : null;
    if (kind === VARINT && number !== null) {
      fields.push({ field, kind, value: number.value });
      at = number.to;
      continue;
    }
    const length = kind === RUN_OF_BYTES ? number?.value : BigInt(WIDTHS[kind] ?? -1);
    const from = number?.to ?? tag.to;
    if (length === undefined || length < 0n || length > BigInt(bytes.length - from)) return null;
    at = from + Number(length);
    fields.push({ field, kind, value: bytes.subarray(from, at) });
  }
  return fields;
}

export const message = (fields: readonly WireField[]): Buffer =>
  Buffer.concat(
    fields.flatMap(({ field, kind, value }) => {
      const tag = varint((BigInt(field) << 3n) | BigInt(kind));
      if (typeof value === 'bigint') return [tag, varint(value)];
      return kind === RUN_OF_BYTES ? [tag, varint(BigInt(value.length)), value] : [tag, value];
    }),
  );

/** The number in a field; 0 when there is none. */
export function numberIn(fields: readonly WireField[], field: number): bigint {
  const value = fields.findLast((each) => each.field === field)?.value;
  return typeof value === 'bigint' ? value : 0n;
}

/** The fields with one of them set. */
export const withNumber = (fields: readonly WireField[], field: number, value: bigint): WireField[] => {
  const at = fields.findIndex((each) => each.field === field);
  const set: WireField = { field, kind: VARINT, value };
  return at === -1 ? [...fields, set] : fields.with(at, set);
};
