/**
 * Pickles of plain data: dictionaries, lists, tuples, strings, bytes, numbers, booleans and None. A file with an opcode
 * that could name, build or call anything is rejected. Source: Python's pickletools, protocols 2 to 5.
 */
import type { JsonObject } from '../../json/json-value.js';

/** The file is not a pickle of plain data. */
export class PickleError extends Error {
  constructor(
    message: string,
    /** Whether the file ends too early. */
    readonly isCut = false,
  ) {
    super(message);
  }
}

/** Rejected opcodes, by their names in pickletools. Unknown opcodes are rejected too. */
const REFUSED: ReadonlyMap<number, string> = new Map(
  Object.entries({
    ...{
      c: 'GLOBAL',
      '\x93': 'STACK_GLOBAL',
      R: 'REDUCE',
      b: 'BUILD',
      i: 'INST',
      o: 'OBJ',
      P: 'PERSID',
      Q: 'BINPERSID',
    },
    ...{ '\x81': 'NEWOBJ', '\x92': 'NEWOBJ_EX', '\x82': 'EXT1', '\x83': 'EXT2', '\x84': 'EXT4', '\x97': 'NEXT_BUFFER' },
  }).map(([code, name]) => [code.charCodeAt(0), name]),
);

/** The mark on the stack before the elements of a list, a tuple or a dictionary. */
const MARK = Symbol('mark');

class PlainPickle {
  #at = 0;
  readonly #stack: unknown[] = [];
  readonly #memo = new Map<number, unknown>();

  constructor(private readonly bytes: Buffer) {}

  read(): unknown {
    for (;;) {
      const code = this.#byte();
      if (code === 0x2e) return this.#pop();
      this.#step(code);
    }
  }

  #step(code: number): void {
    switch (code) {
      case 0x80: // PROTO
        this.#skip(1);
        return;
      case 0x95: // FRAME
        this.#skip(8);
        return;
      case 0x28: // MARK
        this.#push(MARK);
        return;
      case 0x7d: // EMPTY_DICT
        this.#push({});
        return;
      case 0x5d: // EMPTY_LIST
      case 0x29: // EMPTY_TUPLE
        this.#push([]);
        return;
      case 0x61: // APPEND
        this.#append([this.#pop()]);
        return;
      case 0x65: // APPENDS
        this.#append(this.#marked());
        return;
      case 0x73: // SETITEM
        this.#set([this.#pop(), this.#pop()].reverse());
        return;
      case 0x75: // SETITEMS
        this.#set(this.#marked());
        return;
      case 0x74: // TUPLE
        this.#push(this.#marked());
        return;
      case 0x85: // TUPLE1 to TUPLE3
      case 0x86:
      case 0x87:
        this.#push(Array.from({ length: code - 0x84 }, () => this.#pop()).reverse());
        return;
      case 0x71: // BINPUT
        this.#memo.set(this.#byte(), this.#top());
        return;
      case 0x72: // LONG_BINPUT
        this.#memo.set(this.#uint(4), this.#top());
        return;
      case 0x94: // MEMOIZE
        this.#memo.set(this.#memo.size, this.#top());
        return;
      case 0x68: // BINGET
        this.#recall(this.#byte());
        return;
      case 0x6a: // LONG_BINGET
        this.#recall(this.#uint(4));
        return;
      default:
        this.#push(this.#scalar(code));
    }
  }

  #scalar(code: number): unknown {
    switch (code) {
      case 0x4e: // NONE
        return null;
      case 0x88: // NEWTRUE, NEWFALSE
      case 0x89:
        return code === 0x88;
      case 0x4b: // BININT1
        return this.#byte();
      case 0x4d: // BININT2
        return this.#uint(2);
      case 0x4a: // BININT
        return this.#uint(4) | 0;
      case 0x8a: // LONG1
        return this.#long(this.#byte());
      case 0x47: // BINFLOAT
        return this.#take(8).readDoubleBE(0);
      case 0x8c: // SHORT_BINUNICODE, BINUNICODE, BINUNICODE8
        return this.#take(this.#byte()).toString('utf8');
      case 0x58:
        return this.#take(this.#uint(4)).toString('utf8');
      case 0x8d:
        return this.#take(this.#size()).toString('utf8');
      case 0x43: // SHORT_BINBYTES, BINBYTES, BINBYTES8
        return this.#take(this.#byte());
      case 0x42:
        return this.#take(this.#uint(4));
      case 0x8e:
        return this.#take(this.#size());
      default:
        throw new PickleError(`opcode ${REFUSED.get(code) ?? `0x${code.toString(16)}`} is not allowed in plain data`);
    }
  }

  #push(value: unknown): void {
    this.#stack.push(value);
  }

  /** @throws PickleError for an empty stack, and for a mark, which is not a value */
  #pop(): unknown {
    const value = this.#top();
    this.#stack.pop();
    return value;
  }

  #top(): unknown {
    const value = this.#stack.at(-1);
    if (this.#stack.length === 0 || value === MARK) throw new PickleError('a value is missing');
    return value;
  }

  /** The values after the last mark. */
  #marked(): unknown[] {
    const mark = this.#stack.lastIndexOf(MARK);
    if (mark === -1) throw new PickleError('a mark is missing');
    const values = this.#stack.splice(mark);
    values.shift();
    return values;
  }

  #append(values: readonly unknown[]): void {
    const list = this.#top();
    if (!Array.isArray(list)) throw new PickleError('elements without a list');
    for (const value of values) list.push(value);
  }

  /** @param pairs alternating keys and values */
  #set(pairs: readonly unknown[]): void {
    const object = this.#top();
    if (typeof object !== 'object' || object === null || Array.isArray(object) || Buffer.isBuffer(object))
      throw new PickleError('items without a dictionary');
    if (pairs.length % 2 !== 0) throw new PickleError('a key without a value');
    for (let at = 0; at < pairs.length; at += 2) {
      const key = pairs[at];
      if (key === '__proto__' || (typeof key !== 'string' && typeof key !== 'number'))
        throw new PickleError('a key is not a string or a number');
      (object as Record<string, unknown>)[key] = pairs[at + 1];
    }
  }

  #recall(number: number): void {
    if (!this.#memo.has(number)) throw new PickleError('a value is used before it is known');
    this.#push(this.#memo.get(number));
  }

  #skip(size: number): void {
    this.#take(size);
  }

  /** @throws PickleError when the file is shorter */
  #take(size: number): Buffer {
    if (size > this.bytes.length - this.#at) throw new PickleError('cut off', true);
    this.#at += size;
    return this.bytes.subarray(this.#at - size, this.#at);
  }

  #byte(): number {
    return this.#uint(1);
  }

  #uint(size: 1 | 2 | 4): number {
    return this.#take(size).readUIntLE(0, size);
  }

  /** Reads a size of eight bytes. If it is larger than any file, the input counts as cut off. */
  #size(): number {
    return Number(this.#take(8).readBigUInt64LE(0));
  }

  /** A number in two's complement, lowest byte first; beyond 2^53 it is rounded. */
  #long(size: number): number {
    if (size > 16) throw new PickleError('a number of more than 16 bytes');
    const digits = [...this.#take(size)].reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
    return Number(BigInt.asIntN(8 * size, digits));
  }
}

/**
 * The value of a pickle.
 * @throws PickleError when the file is cut off, or contains more than plain data
 */
export const plainPickle = (bytes: Buffer): unknown => new PlainPickle(bytes).read();

/** Whether a value is a dictionary. */
export const isDictionary = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);
