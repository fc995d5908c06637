/**
 * Repeats a PyTorch trace, so that a short one stands for a long run:
 *
 *   tsx bench/repeat-trace.ts INPUT.json[.gz] N OUT.json
 *
 * Copy k has all times moved by k × (length of the trace + a gap), ids by k × (largest + 1), steps numbered on; every
 * other byte is the input's, and what stands before and behind the events is written once. The memory needed is that
 * of the input, whatever N is. N = 1 gives the input back.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Move, TraceTemplate } from './trace-template.js';
import { MOVES, traceTemplate } from './trace-template.js';
import { writePieces } from './write-pieces.js';

/** Between two copies. Whole microseconds, as the whole move is: so the digits behind the point never change. */
const GAP_US = 1000;

const CHUNK = 1 << 22;
const ZERO = 0x30;

/** Bytes to write, gathered into large pieces. */
class Output {
  readonly #chunk = Buffer.allocUnsafe(CHUNK);
  #at = 0;

  /** @param write must be done with the piece when it returns */
  constructor(readonly write: (piece: Buffer) => void) {}

  bytes(source: Buffer, from: number, to: number): void {
    if (this.#at + to - from > CHUNK) this.flush();
    if (to - from > CHUNK) this.write(source.subarray(from, to));
    else this.#at += source.copy(this.#chunk, this.#at, from, to);
  }

  /** A whole number of at most 2^53. */
  number(value: number): void {
    if (this.#at + 16 > CHUNK) this.flush();
    const high = Math.floor(value / 1e9);
    if (high > 0) this.#digits(high, width(high));
    const low = value - high * 1e9;
    this.#digits(low, high > 0 ? 9 : width(low));
  }

  flush(): void {
    if (this.#at > 0) this.write(this.#chunk.subarray(0, this.#at));
    this.#at = 0;
  }

  /** Digits of a number below 2^31, from the last to the first. */
  #digits(value: number, count: number): void {
    let rest = value;
    for (let at = this.#at + count - 1; at >= this.#at; at--) {
      const tenth = (rest / 10) | 0;
      this.#chunk[at] = ZERO + rest - tenth * 10;
      rest = tenth;
    }
    this.#at += count;
  }
}

function width(value: number): number {
  let count = 1;
  for (let limit = 10; value >= limit; limit *= 10) count++;
  return count;
}

/** By how much the numbers of each kind differ between two copies that follow each other; by index into MOVES. */
function strides({ values, kinds, first, last }: TraceTemplate): number[] {
  const [least, most] = [MOVES.map(() => Infinity), MOVES.map(() => -1)];
  values.forEach((value, i) => {
    const kind = kinds[i] ?? 0;
    least[kind] = Math.min(least[kind] ?? value, value);
    most[kind] = Math.max(most[kind] ?? value, value);
  });
  const stride: Readonly<Partial<Record<Move, (kind: number) => number>>> = {
    time: () => (Number.isFinite(first) ? Math.ceil(last - first) : 0) + GAP_US,
    step: (kind) => (most[kind] ?? 0) - (least[kind] ?? 0) + 1,
  };
  return MOVES.map((move, kind) => stride[move]?.(kind) ?? (most[kind] ?? 0) + 1);
}

/**
 * Writes `times` copies of the trace as one.
 * @param write gets the bytes in order; a piece is valid only until it returns
 * @throws RangeError when a number would exceed 2^53
 */
export function repeatTrace(template: TraceTemplate, times: number, write: (piece: Buffer) => void): void {
  const { text, from, to, starts, ends, values, kinds } = template;
  const stride = strides(template);
  const separator = Buffer.from(`,${text.toString('latin1', lineStart(text, from), from)}`, 'latin1');
  const output = new Output(write);
  output.bytes(text, 0, from);
  for (let copy = 0; copy < times; copy++) {
    if (copy > 0) output.bytes(separator, 0, separator.length);
    let done = from;
    for (let i = 0; i < starts.length; i++) {
      const value = (values[i] ?? 0) + copy * (stride[kinds[i] ?? 0] ?? 0);
      if (!Number.isSafeInteger(value)) throw new RangeError(`copy ${copy}: a number exceeds 2^53`);
      output.bytes(text, done, starts[i] ?? 0);
      output.number(value);
      done = ends[i] ?? 0;
    }
    output.bytes(text, done, to);
  }
  output.bytes(text, to, text.length);
  output.flush();
}

/** Where the white space in front of an event begins. */
function lineStart(text: Buffer, from: number): number {
  let at = from;
  while (at > 0 && (text[at - 1] ?? 0) <= 0x20) at--;
  return at;
}

/** A trace's bytes; unpacks gzip. */
export function readTrace(path: string): Buffer {
  const bytes = readFileSync(path);
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
}

/** Writes the copies into a file, in place of one that may be there. */
export function writeRepeated(template: TraceTemplate, times: number, path: string): void {
  writePieces(path, (write) => repeatTrace(template, times, write));
}

function main(): void {
  const [input, count, out, ...rest] = process.argv.slice(2);
  const times = Number(count);
  if (input === undefined || out === undefined || rest.length > 0 || !Number.isInteger(times) || times < 1) {
    process.stderr.write('usage: tsx bench/repeat-trace.ts INPUT.json[.gz] N OUT.json\n');
    process.exitCode = 2;
    return;
  }
  const template = traceTemplate(readTrace(input));
  writeRepeated(template, times, out);
  process.stderr.write(`${times} × ${template.events} events\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
