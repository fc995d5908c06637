/** What gzip holds, piece by piece. */
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, type Gunzip } from 'node:zlib';

/** By its first two bytes. */
export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

/** The end of the last byte that is not zero; 0 where all are. */
export function endOfSet(bytes: Uint8Array): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return end;
}

/**
 * Inflates pieces of a gzip. It ends before zeros that pad it to the end of a block of a tape. Node's stream alone takes
 * whatever stands behind a zero for padding within a piece, also members whose first byte is damaged, and inflates it in
 * pieces that come later.
 * @param pieces closed at the end, and when nobody reads any more
 * @param chunkSize bytes inflated at a time
 * @throws what `pieces` throw, or an error with a code of zlib for data that are damaged or cut off
 */
export async function* gunzipOf(pieces: AsyncIterable<Buffer>, chunkSize: number): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize });
  const fed = feed(gunzip, pieces);
  yield* gunzip as AsyncIterable<Buffer>;
  refuseMore(await fed);
}

/** The same into a function, which gets all that precedes an error: readers of a stream lose what waits for them. */
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

/** What is inflated ends before the padding that is still to come. */
function refuseMore(isMore: boolean): void {
  if (isMore) throw Object.assign(new Error('bytes behind its end'), { code: 'Z_DATA_ERROR' });
}

/** @returns whether anything but zeros is behind the end */
async function feed(gunzip: Gunzip, pieces: AsyncIterable<Buffer>): Promise<boolean> {
  // The bytes given, and those of them up to the last that is not zero.
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

/** Settles when all of a piece is inflated, or will not be. */
function taken(gunzip: Gunzip, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    gunzip.once('close', resolve);
    gunzip.write(piece, () => {
      gunzip.off('close', resolve);
      resolve();
    });
  });
}
