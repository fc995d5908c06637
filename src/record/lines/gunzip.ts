/** Decompresses gzip data piece by piece. */
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, type Gunzip } from 'node:zlib';

/** Checks the first two bytes. */
export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

/** Offset after the last nonzero byte; 0 when all bytes are zero. */
export function endOfSet(bytes: Uint8Array): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return end;
}

/**
 * Decompresses pieces of gzip data. It stops before zero padding, such as that of tape blocks. Node's stream alone treats
 * anything after a zero within a piece as padding, even members whose first byte is damaged, and decompresses it when it
 * comes in a later piece.
 * @param pieces the compressed data; closed at the end, and when the consumer stops reading
 * @param chunkSize number of bytes to decompress at a time
 * @throws the errors of `pieces`, or an error with a zlib code for data that are damaged or cut off
 */
export async function* gunzipOf(pieces: AsyncIterable<Buffer>, chunkSize: number): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize });
  const fed = feed(gunzip, pieces);
  yield* gunzip as AsyncIterable<Buffer>;
  refuseMore(await fed);
}

/**
 * The same, passed to a function, which gets everything that precedes an error; readers of a stream would lose buffered
 * data.
 */
export async function gunzipInto(
  pieces: AsyncIterable<Buffer>,
  chunkSize: number,
  take: (bytes: Buffer) => void,
): Promise<void> {
  const gunzip = createGunzip({ chunkSize });
  const fed = feed(gunzip, pieces);
  const write = (bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void => {
    try {
      take(bytes);
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  };
  await pipeline(gunzip, new Writable({ write }));
  refuseMore(await fed);
}

/** The decompressed data end before the padding. */
function refuseMore(isMore: boolean): void {
  if (isMore) throw Object.assign(new Error('bytes behind its end'), { code: 'Z_DATA_ERROR' });
}

/** @returns whether anything but zeros follows the end */
async function feed(gunzip: Gunzip, pieces: AsyncIterable<Buffer>): Promise<boolean> {
  // Bytes given so far, and the number of them up to the last nonzero byte.
  let [given, set] = [0, 0];
  let isOver = false;
  try {
    for await (const piece of pieces) {
      const end = endOfSet(piece);
      if (end > 0) set = given + end;
      given += piece.length;
      if (isOver) continue;
      await taken(gunzip, piece);
      if (gunzip.destroyed) return false;
      isOver = gunzip.bytesWritten < given;
    }
    gunzip.end();
  } catch (error) {
    gunzip.destroy(error instanceof Error ? error : new Error(String(error)));
  }
  return set > gunzip.bytesWritten;
}

/** Settles when a whole piece is decompressed, or never will be. */
function taken(gunzip: Gunzip, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    gunzip.once('close', resolve);
    gunzip.write(piece, () => {
      gunzip.off('close', resolve);
      resolve();
    });
  });
}
