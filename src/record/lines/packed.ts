/**
 * Decompresses gzip, Zstandard, xz and bzip2 streams piece by piece. They are recognised by their first bytes, and one
 * may be inside another.
 */
import type * as Fzstd from 'fzstd';
import type unbzip2Stream from 'unbzip2-stream';
import type * as XzDecompress from 'xz-decompress';
import { createRequire } from 'node:module';
import { ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web';
import { createGunzip, type Gunzip } from 'node:zlib';

/** The decoders are loaded for the inputs that need them. */
const load = createRequire(import.meta.url);
const fzstd = (): typeof Fzstd => load('fzstd') as typeof Fzstd;
const bzip2 = (): typeof unbzip2Stream => load('unbzip2-stream') as typeof unbzip2Stream;
/** The module is loaded anew for each stream, because the decoders of one module wait for each other. */
function xz(): typeof XzDecompress {
  Reflect.deleteProperty(load.cache, load.resolve('xz-decompress'));
  return load('xz-decompress') as typeof XzDecompress;
}

type Pieces = AsyncIterable<Buffer>;

interface Packing {
  /** Name of the packing in messages. */
  readonly name: string;
  /** Matches the end of its file names. */
  readonly ending: RegExp;
  readonly is: (head: Uint8Array) => boolean;
  /** Yields everything before a fault, and then throws it. */
  readonly unpack: (pieces: Pieces, growth: Growth) => AsyncGenerator<Buffer>;
}

/** Checks the first two bytes. */
export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

const startsWith =
  (...bytes: readonly number[]) =>
  (head: Uint8Array): boolean =>
    bytes.every((byte, i) => head[i] === byte);

/** `BZh` and the size of blocks; then the first block, or the end of an empty stream. */
const BZIP2_STARTS = [
  [0x31, 0x41, 0x59, 0x26, 0x53, 0x59],
  [0x17, 0x72, 0x45, 0x38, 0x50, 0x90],
];
const isBzip2 = (head: Uint8Array): boolean =>
  startsWith(0x42, 0x5a, 0x68)(head) && BZIP2_STARTS.some((start) => startsWith(...start)(head.subarray(4)));

const PACKINGS: readonly Packing[] = [
  { name: 'gzip', ending: /\.gz$/i, is: isGzip, unpack: gunzipped },
  { name: 'zstd', ending: /\.zst$/i, is: startsWith(0x28, 0xb5, 0x2f, 0xfd), unpack: unzstd },
  { name: 'xz', ending: /\.xz$/i, is: startsWith(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0), unpack: unxz },
  { name: 'bzip2', ending: /\.bz2$/i, is: isBzip2, unpack: unbzip2 },
];

/** Number of bytes needed to recognise a compression. */
export const MAGIC_BYTES = 10;
/** Maximum number of compressions inside one another. */
const DEEPEST = 4;

const packingOf = (head: Uint8Array): Packing | undefined => PACKINGS.find(({ is }) => is(head));

/** Whether bytes begin like a compressed stream. */
export const isPacked = (head: Uint8Array): boolean => packingOf(head) !== undefined;

/** A file name without the endings of compressions: `net.json` for `net.json.zst`. */
export function unpackedName(file: string): string {
  const ending = PACKINGS.find((packing) => packing.ending.test(file))?.ending;
  return ending === undefined ? file : unpackedName(file.replace(ending, ''));
}

/** The error for a compressed stream that cannot be read to its end. */
export class PackedFault extends Error {
  constructor(
    readonly fault: 'cut' | 'damaged' | 'bomb',
    message: string,
  ) {
    super(message);
    this.name = 'PackedFault';
  }
}

/**
 * Rejects data whose decompressed size is out of all proportion. Deflate compresses at most 1032 to 1, and profiles 5
 * to 60 to 1, so only content made to fill a disk reaches the limit.
 */
export class Growth {
  /** Maximum number of unpacked bytes per packed byte. */
  static readonly RATIO = 1000;
  /** Number of unpacked bytes that any input may have. */
  static readonly FREE = 64 * 1024 * 1024;

  /** @param packed number of packed bytes so far */
  constructor(public packed = 0) {}

  /**
   * @param unpacked number of bytes that were unpacked from them
   * @throws PackedFault
   */
  check(unpacked: number): void {
    if (unpacked > Growth.FREE && unpacked > this.packed * Growth.RATIO)
      throw new PackedFault('bomb', `unpacks to more than ${Growth.RATIO} times its size, which is not a profile`);
  }
}

/**
 * Decompresses a stream, also when one compression is within another; yields the bytes of any other stream unchanged.
 * @param pieces the stream; closed at the end, and when the consumer stops reading
 * @throws PackedFault for data that are cut off, damaged, or too large, after yielding all bytes before the fault; and
 *   the errors of `pieces`
 */
export async function* unpackedOf(pieces: Pieces): AsyncGenerator<Buffer> {
  const growth = new Growth();
  let held = withSize(pieces, growth);
  for (let depth = 0; ; depth++) {
    const { head, all } = await peeked(held, MAGIC_BYTES);
    const packing = packingOf(head);
    if (packing === undefined) {
      yield* all;
      return;
    }
    if (depth === DEEPEST) throw new PackedFault('bomb', `is compressed more than ${DEEPEST} times`);
    held = packing.unpack(all, growth);
  }
}

async function* withSize(pieces: Pieces, growth: Growth): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    growth.packed += piece.length;
    yield piece;
  }
}

/** The first bytes of a stream, and the whole stream. */
export async function peeked(
  pieces: Pieces,
  bytes: number,
): Promise<{ readonly head: Buffer; readonly all: AsyncGenerator<Buffer> }> {
  const rest = pieces[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < bytes) {
    const piece = await rest.next();
    if (piece.done === true) break;
    head = Buffer.concat([head, piece.value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head;
      for (let piece; (piece = await rest.next()).done !== true;) yield piece.value;
    } finally {
      await rest.return?.();
    }
  }
  return { head, all: all() };
}

/**
 * Number of compressed bytes that are decompressed in one step, because a step may produce a thousand times as many.
 */
const STEP = 8 * 1024;

function* stepsOf(piece: Buffer): Generator<Buffer> {
  for (let at = 0; at < piece.length; at += STEP) yield piece.subarray(at, at + STEP);
}

/** Compressions whose decoders report errors in words that a user understands. */
const IS_READABLE = new Set(['gzip', 'zstd']);

/** Collects the output of a decoder. */
class Made {
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(
    readonly packing: string,
    readonly growth: Growth,
  ) {}

  readonly take = (bytes: Uint8Array): void => {
    this.growth.check((this.#bytes += bytes.length));
    if (bytes.length > 0) this.#pieces.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  };

  /** The output since the last call. */
  taken(): Buffer[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  /** An error of the decoder, as a fault. */
  fault(error: unknown, isCut: boolean): PackedFault {
    if (error instanceof PackedFault) return error;
    const reason = isCut
      ? 'unexpected end of file'
      : IS_READABLE.has(this.packing) && error instanceof Error
        ? error.message
        : 'its data is damaged';
    return new PackedFault(isCut ? 'cut' : 'damaged', `${this.packing} is damaged: ${reason}`);
  }
}

/** Maximum size of the header of a Zstandard frame, in bytes. */
const LONGEST_HEADER = 18;

/** Offset after the last nonzero byte; 0 when all bytes are zero. */
export function endOfSet(bytes: Uint8Array): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return end;
}

/**
 * Decompresses gzip. Stops before zero padding, such as that of tape blocks. Node's stream would treat everything after
 * a zero within a piece as padding, even members whose first byte is damaged, but decompress it when it comes in a
 * later piece.
 */
async function* gunzipped(pieces: Pieces, growth: Growth): AsyncGenerator<Buffer> {
  const made = new Made('gzip', growth);
  const gunzip = createGunzip({ chunkSize: 128 * 1024 });
  const failures: Error[] = [];
  gunzip.on('error', (error) => failures.push(error));
  gunzip.on('data', (bytes: Buffer) => {
    try {
      made.take(bytes);
    } catch (error) {
      gunzip.destroy(error as Error);
    }
  });
  // Bytes given so far, and the number of them up to the last nonzero byte.
  let [given, set] = [0, 0];
  let isOver = false;
  try {
    for await (const piece of pieces) {
      for (const step of stepsOf(piece)) {
        const end = endOfSet(step);
        if (end > 0) set = given + end;
        given += step.length;
        if (isOver) continue;
        await fed(gunzip, step);
        yield* made.taken();
        throwFirst(failures, made);
        isOver = gunzip.bytesWritten < given;
      }
    }
    await ended(gunzip);
    yield* made.taken();
    throwFirst(failures, made);
  } finally {
    gunzip.destroy();
  }
  if (set > gunzip.bytesWritten) throw made.fault(new Error('bytes after its end'), false);
}

function throwFirst([error]: readonly Error[], made: Made): void {
  if (error !== undefined) throw made.fault(error, 'code' in error && error.code === 'Z_BUF_ERROR');
}

/** Settles when a step is decompressed, or cannot be. */
function fed(gunzip: Gunzip, step: Buffer): Promise<void> {
  return new Promise((resolve) => {
    gunzip.once('close', resolve);
    gunzip.write(step, () => {
      gunzip.off('close', resolve);
      resolve();
    });
  });
}

const ended = (gunzip: Gunzip): Promise<void> =>
  new Promise((resolve) => {
    gunzip.once('close', resolve);
    gunzip.end();
  });

/** A decoder that decompresses its input at once. */
interface Decoder {
  /** @throws an error of any kind for damaged data */
  readonly push: (step: Buffer) => void;
  /** @throws an error of any kind for data that are cut off */
  readonly end: () => void;
}

async function* decoded(pieces: Pieces, made: Made, decoder: Decoder): AsyncGenerator<Buffer> {
  const run = (step: () => void, isEnd: boolean): PackedFault | null => {
    try {
      step();
      return null;
    } catch (error) {
      return made.fault(error, isEnd);
    }
  };
  for await (const piece of pieces) {
    for (const step of stepsOf(piece)) {
      const fault = run(() => decoder.push(step), false);
      yield* made.taken();
      if (fault !== null) throw fault;
    }
  }
  const fault = run(() => decoder.end(), true);
  yield* made.taken();
  if (fault !== null) throw fault;
}

/**
 * Maximum size of the window, which a decoder holds in memory, in bytes. It is the limit of the program zstd without
 * options.
 */
const LARGEST_WINDOW = 128 * 1024 * 1024;

/** Size in bytes of the window that the header of a frame requests. Source: RFC 8878, section 3.1.1.1. */
function zstdWindow(head: Buffer): number {
  const flags = head[4] ?? 0;
  const isSingleSegment = (flags & 0x20) !== 0;
  if (!isSingleSegment) {
    const base = 2 ** (10 + ((head[5] ?? 0) >> 3));
    return base + (base / 8) * ((head[5] ?? 0) & 7);
  }
  const at = 5 + ([0, 1, 2, 4][flags & 3] ?? 0);
  const width = 2 ** (flags >> 6);
  if (head.length < at + width) return 0;
  return width === 8 ? Number(head.readBigUInt64LE(at)) : head.readUIntLE(at, width);
}

async function* unzstd(pieces: Pieces, growth: Growth): AsyncGenerator<Buffer> {
  const made = new Made('zstd', growth);
  const decompress = new (fzstd().Decompress)(made.take);
  const { head, all } = await peeked(pieces, LONGEST_HEADER);
  const window = zstdWindow(head);
  if (window > LARGEST_WINDOW)
    throw new PackedFault('bomb', `is zstd with a window of ${Math.ceil(window / 2 ** 20)} MB (at most 128)`);
  yield* decoded(all, made, {
    push: (step) => void decompress.push(step),
    end: () => void decompress.push(new Uint8Array(0), true),
  });
}

async function* unbzip2(pieces: Pieces, growth: Growth): AsyncGenerator<Buffer> {
  const made = new Made('bzip2', growth);
  const decompress = bzip2()() as NodeJS.ReadWriteStream;
  const failures: Error[] = [];
  decompress.on('error', (error: Error) => failures.push(error));
  decompress.on('data', made.take);
  const refused = (): void => {
    const [error] = failures;
    if (error !== undefined) throw error;
  };
  yield* decoded(pieces, made, {
    push: (step) => {
      decompress.write(step);
      refused();
    },
    end: () => {
      decompress.end();
      refused();
    },
  });
}

/** Number of empty pieces in a row after which the decoder is waiting for bytes that do not come. */
const LONGEST_SILENCE = 16;

async function* unxz(pieces: Pieces, growth: Growth): AsyncGenerator<Buffer> {
  const made = new Made('xz', growth);
  const source = pieces[Symbol.asyncIterator]();
  /** How the source ended. */
  const ends: (Error | null)[] = [];
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      const piece = await source.next();
      if (piece.done !== true) controller.enqueue(piece.value);
      else {
        ends.push(null);
        controller.close();
      }
    } catch (error) {
      ends.push(error as Error);
      controller.error(error);
    }
  };
  const reader = new (xz().XzReadableStream)(new ReadableStream({ pull }, { highWaterMark: 0 })).getReader();
  try {
    for (let silence = 0; silence < LONGEST_SILENCE;) {
      const { done, value } = await reader.read();
      if (done) return;
      silence = ends.length > 0 && value.length === 0 ? silence + 1 : 0;
      // The decoder reuses its memory.
      made.take(Buffer.from(value));
      yield* made.taken();
    }
    throw made.fault(null, true);
  } catch (error) {
    throw ends[0] ?? made.fault(error, ends.length > 0);
  } finally {
    await reader.cancel().catch(() => undefined);
    await source.return?.();
  }
}
