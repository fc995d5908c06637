/**
 * Iterates over the fields of protobuf messages, for files that are too large to decode as a whole. A message may be in
 * a file, from which contents are read on request, or in memory. Lengths are checked before use. Source: protobuf.dev,
 * "Encoding".
 */
import type { BlockFile } from './byte-window.js';
import { WireError } from './protobuf.js';

/** Wire types, from the low three bits of a field's tag. */
const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

/** Maximum number of bytes of a tag (five) and of a number (ten). */
const LONGEST_HEADER = 15;

/** The exact value of a field: a bigint from 2^53 on. */
export type WireNumber = number | bigint;

/** The number as int64, rounded to the nearest double from 2^53 on. */
export const signed = (value: WireNumber): number =>
  typeof value === 'number' ? value : Number(BigInt.asIntN(64, value));

/** Fields of a message in memory, or of the part of it between two indices. */
export class WireFields {
  field = 0;
  type = 0;
  /** The number of a varint; 0 for other types. */
  value: WireNumber = 0;
  /** Where the contents of fields that are not varints begin and end. */
  from = 0;
  to = 0;

  constructor(
    public bytes: Buffer,
    public position = 0,
    public end = bytes.length,
  ) {}

  /** Turns to another message: where there are millions, an object for each takes longer than to read them. */
  turnTo(bytes: Buffer, from: number, to: number): this {
    this.bytes = bytes;
    this.position = from;
    this.end = to;
    return this;
  }

  /**
   * Moves to the next field; false at the end of the message.
   * @throws WireError when the field is invalid, or reaches beyond the message
   */
  next(): boolean {
    if (!this.header()) return false;
    if (this.to > this.end) throw new WireError('a field is cut off');
    this.position = this.to;
    return true;
  }

  /** Like `next`, but the contents may lie beyond the end of the bytes, and the position stays before the contents. */
  header(): boolean {
    if (this.position >= this.end) return false;
    const tag = Number(this.varint());
    this.field = Math.floor(tag / 8);
    this.type = tag % 8;
    if (this.field === 0) throw new WireError('field without a number');
    this.value = this.type === VARINT ? this.varint() : 0;
    const length = this.type === LENGTH_DELIMITED ? Number(this.varint()) : this.#fixed();
    this.from = this.position;
    this.to = this.from + length;
    return true;
  }

  /** Number and wire type of the field. */
  get tag(): number {
    return this.field * 8 + this.type;
  }

  get isMessage(): boolean {
    return this.type === LENGTH_DELIMITED;
  }

  /** The contents as a message. */
  inside(): WireFields {
    return new WireFields(this.bytes, this.from, this.to);
  }

  /** A second reader of this message that starts at the current position. */
  again(): WireFields {
    return new WireFields(this.bytes, this.position, this.end);
  }

  text(): string {
    return this.bytes.toString('utf8', this.from, this.to);
  }

  double(): number {
    return this.type === FIXED_64 ? this.bytes.readDoubleLE(this.from) : NaN;
  }

  /** An unsigned number of eight bytes. */
  fixed64(): WireNumber {
    const value = this.bytes.readBigUInt64LE(this.from);
    return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  }

  /** The numbers of a repeated field: packed, or a single one. */
  *numbers(): Generator<number> {
    if (this.type === VARINT) yield signed(this.value);
    else if (this.isMessage) {
      const inside = this.inside();
      while (inside.position < this.to) yield signed(inside.varint());
    }
  }

  /** Unsigned LEB128: seven bits for each byte, lowest first; at most 64 bits. */
  varint(): WireNumber {
    const { bytes, position } = this;
    const first = bytes[position] ?? 0;
    if (first < 0x80 && position < this.end) {
      this.position = position + 1;
      return first;
    }
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 7; i++) {
      if (position + i >= this.end) throw new WireError('a number is cut off');
      const byte = bytes[position + i] ?? 0;
      value += (byte & 0x7f) * scale;
      scale *= 128;
      if (byte < 0x80) {
        this.position = position + i + 1;
        return value;
      }
    }
    return this.#long(value);
  }

  /** The rest of a number of more than 49 bits. */
  #long(low: number): WireNumber {
    let value = BigInt(low);
    for (let i = 7; i < 10; i++) {
      if (this.position + i >= this.end) throw new WireError('a number is cut off');
      const byte = this.bytes[this.position + i] ?? 0;
      value |= BigInt(byte & 0x7f) << BigInt(7 * i);
      if (byte >= 0x80) continue;
      this.position += i + 1;
      const exact = BigInt.asUintN(64, value);
      return exact <= Number.MAX_SAFE_INTEGER ? Number(exact) : exact;
    }
    throw new WireError('a number of more than 64 bits');
  }

  #fixed(): number {
    if (this.type === VARINT) return 0;
    if (this.type === FIXED_64) return 8;
    if (this.type === FIXED_32) return 4;
    throw new WireError(`field of unknown kind ${this.type}`);
  }
}

/** Fields of a message in a file, between two offsets. */
export class FileFields {
  field = 0;
  value: WireNumber = 0;
  isMessage = false;
  /** Offsets of the contents. */
  from = 0;
  to = 0;
  /** Whether the last field reaches beyond the message: the file is cut off, or a length is wrong. */
  isCut = false;
  #position: number;

  constructor(
    private readonly file: BlockFile,
    from: number,
    private readonly end: number,
  ) {
    this.#position = from;
  }

  /**
   * Moves to the next field; false at the end of the message, and at a field that is cut off.
   * @throws WireError when it is not a valid field
   */
  next(): boolean {
    if (this.#position >= this.end) return false;
    const bytes = this.file.read(this.#position, Math.min(LONGEST_HEADER, this.end - this.#position));
    const fields = new WireFields(bytes);
    fields.header();
    this.field = fields.field;
    this.value = fields.value;
    this.isMessage = fields.isMessage;
    this.from = this.#position + fields.from;
    this.to = this.#position + fields.to;
    this.#position = this.to;
    this.isCut = this.to > this.end;
    return !this.isCut;
  }

  /** The contents as a message of the file. */
  inside(): FileFields {
    return new FileFields(this.file, this.from, Math.min(this.to, this.end));
  }

  /** The contents, valid until the next read of the file; empty for those longer than `most` bytes. */
  bytes(most: number): Buffer {
    return this.to - this.from > most ? Buffer.alloc(0) : this.file.read(this.from, this.to - this.from);
  }
}

/** Bytes of a message that are in memory at a time. */
const STRETCH = 256 * 1024;

/**
 * Fields of a long message in a file, such as millions of small messages: the contents of the current one are in memory,
 * in `fields`, which is one object for all of them.
 */
export class FieldStream {
  readonly fields = new WireFields(Buffer.alloc(0));
  /** Offset in the file of the first byte in memory. */
  #offset: number;
  #bytes: Buffer;

  /** @param longest most bytes of a field; the contents of longer ones are not read: they seem to be empty */
  constructor(
    private readonly file: BlockFile,
    from: number,
    private readonly end: number,
    private readonly longest: number,
  ) {
    this.#offset = from;
    this.#bytes = Buffer.allocUnsafe(Math.min(STRETCH, Math.max(0, end - from)));
  }

  /**
   * Moves to the next field; false at the end of the message, and at a field that is cut off.
   * @throws WireError when it is not a valid field
   */
  next(): boolean {
    const { fields } = this;
    const at = this.#offset + fields.position;
    if (at >= this.end) return false;
    const left = fields.bytes.length - fields.position;
    if (left < LONGEST_HEADER && left < this.end - at) this.#load(at, 0);
    const from = fields.position;
    fields.header();
    if (fields.to > fields.bytes.length) {
      const to = this.#offset + fields.to;
      if (to > this.end) return false;
      if (fields.to - from > this.longest) {
        this.#load(to, 0);
        fields.from = fields.to = 0;
        return true;
      }
      this.#load(this.#offset + from, fields.to - from);
      fields.header();
    }
    fields.position = fields.to;
    return true;
  }

  #load(offset: number, least: number): void {
    if (this.#bytes.length < least) this.#bytes = Buffer.allocUnsafe(least);
    const bytes = this.#bytes.subarray(0, Math.min(this.#bytes.length, this.end - offset));
    const filled = this.file.fill(bytes, offset);
    this.#offset = offset;
    this.fields.turnTo(filled === bytes.length ? bytes : bytes.subarray(0, filled), 0, filled);
  }
}
