/** Messages of protobuf, field by field. */

/** A double, which takes eight bytes. */
export class Double {
  constructor(readonly value: number) {}

  get bytes(): Buffer {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(this.value);
    return bytes;
  }
}

/** A field's value: a number, a double, a string, bytes, or a message. */
type Value = number | bigint | Double | string | Buffer | readonly Field[];
export type Field = readonly [field: number, value: Value];

export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

export const message = (fields: readonly Field[]): Buffer =>
  Buffer.concat(
    fields.map(([field, value]) => {
      if (typeof value === 'number' || typeof value === 'bigint')
        return Buffer.concat([varint(field * 8), varint(value)]);
      if (value instanceof Double) return Buffer.concat([varint(field * 8 + 1), value.bytes]);
      const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.isBuffer(value) ? value : message(value);
      return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
    }),
  );

/** A list of numbers as one field's value. */
export const packed = (numbers: readonly number[]): Buffer => Buffer.concat(numbers.map(varint));
