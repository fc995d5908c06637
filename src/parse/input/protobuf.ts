/**
 * Decoder of the protobuf wire format: a message is a list of numbered fields, each a varint or length-delimited bytes.
 * All lengths are checked. Source: protobuf.dev, "Encoding".
 */
import { entryOf } from '../../containers/map-entry.js';

/** The bytes are not a valid message. This module throws no other error. */
export class WireError extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'WireError';
  }
}

const MAX_DEPTH = 16;
/** Maximum number of fields in a message, including the messages inside it. */
const MAX_FIELDS = 1 << 18;
const MAX_TEXT = 1024;

/** Wire types, from the low three bits of a field's tag. */
const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

export class ProtobufMessage {
  readonly #fields = new Map<number, (bigint | Buffer)[]>();

  /** @throws WireError when the bytes are not a message */
  static read(bytes: Buffer): ProtobufMessage {
    return new ProtobufMessage(bytes, 0, { fields: MAX_FIELDS });
  }

  /** @param budget remaining number of fields, shared by a message and all messages inside it */
  private constructor(
    bytes: Buffer,
    private readonly depth: number,
    private readonly budget: { fields: number },
  ) {
    const input = new WireReader(bytes);
    while (!input.isAtEnd) {
      if (--budget.fields < 0) throw new WireError('too many fields');
      const tag = input.varint();
      const field = Number(tag >> 3n);
      if (field === 0) throw new WireError('field without a number');
      const value = input.value(Number(tag & 7n));
      if (value !== null) entryOf(this.#fields, field, () => []).push(value);
    }
  }

  /** The last unsigned number of a field; null when the field is absent. */
  integer(field: number): bigint | null {
    return this.#fields.get(field)?.findLast((value) => typeof value === 'bigint') ?? null;
  }

  /** The number of a field; 0 when it is absent, because writers omit zeros. Above 2^53 rounded to the nearest double. */
  number(field: number): number {
    return Number(this.integer(field) ?? 0n);
  }

  bytes(field: number): Buffer | null {
    return this.#runs(field).at(-1) ?? null;
  }

  /** The text of a field, cut to `MAX_TEXT` characters; null when the field is absent. */
  text(field: number): string | null {
    return this.bytes(field)?.toString('utf8').slice(0, MAX_TEXT) ?? null;
  }

  /** @throws WireError when the field is not a valid message, or messages nest too deeply */
  message(field: number): ProtobufMessage | null {
    const bytes = this.bytes(field);
    return bytes === null ? null : this.#inside(bytes);
  }

  /** @throws WireError when a field is not a valid message, or messages nest too deeply */
  messages(field: number): ProtobufMessage[] {
    return this.#runs(field).map((bytes) => this.#inside(bytes));
  }

  #inside(bytes: Buffer): ProtobufMessage {
    if (this.depth === MAX_DEPTH) throw new WireError('messages are nested too deeply');
    return new ProtobufMessage(bytes, this.depth + 1, this.budget);
  }

  #runs(field: number): Buffer[] {
    return (this.#fields.get(field) ?? []).filter((value) => typeof value !== 'bigint');
  }
}

class WireReader {
  #at = 0;

  constructor(private readonly bytes: Buffer) {}

  get isAtEnd(): boolean {
    return this.#at >= this.bytes.length;
  }

  /**
   * Unsigned LEB128, at most 64 bits: each byte has seven bits, lowest first, and its eighth bit says whether another
   * byte follows.
   */
  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.bytes[this.#at++];
      if (byte === undefined) throw new WireError('a number is cut off');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new WireError('a number with more than 64 bits');
  }

  /** The value of a field by its wire type; null for fixed-size ones, which are ignored. */
  value(kind: number): bigint | Buffer | null {
    switch (kind) {
      case VARINT:
        return this.varint();
      case LENGTH_DELIMITED:
        return this.#take(this.varint());
      case FIXED_64:
        this.#take(8n);
        return null;
      case FIXED_32:
        this.#take(4n);
        return null;
      default:
        throw new WireError(`field of unknown kind ${kind}`);
    }
  }

  #take(length: bigint): Buffer {
    if (length > BigInt(this.bytes.length - this.#at)) throw new WireError('a field is cut off');
    const from = this.#at;
    this.#at += Number(length);
    return this.bytes.subarray(from, this.#at);
  }
}
