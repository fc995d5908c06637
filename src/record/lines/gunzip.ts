/** What gzip holds, as a stream. */
import { createGunzip, type Gunzip } from 'node:zlib';

/** By its first two bytes. */
export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

/**
 * Inflates pieces of a gzip. It ends before zeros that pad it, and all behind them is read and left out, as gzip and
 * `gunzipSync` do. Node's stream alone goes on to inflate what comes in later pieces.
 * @param pieces closed at the end, and when nobody reads the stream any more
 * @param chunkSize bytes inflated at a time
 * @returns a stream that fails with the error of `pieces`, or that of zlib for data that are damaged or cut off
 */
export function gunzipOf(pieces: AsyncIterable<Buffer>, chunkSize: number): Gunzip {
  const gunzip = createGunzip({ chunkSize });
  // For whoever reads the stream: nobody may do so yet, or any more.
  gunzip.on('error', () => undefined);
  void feed(gunzip, pieces);
  return gunzip;
}

async function feed(gunzip: Gunzip, pieces: AsyncIterable<Buffer>): Promise<void> {
  let [given, isOver] = [0, false];
  try {
    for await (const piece of pieces) {
      if (isOver) continue;
      await taken(gunzip, piece);
      if (gunzip.destroyed) return;
      given += piece.length;
      isOver = gunzip.bytesWritten < given;
    }
    gunzip.end();
  } catch (error) {
    gunzip.destroy(error instanceof Error ? error : new Error(String(error)));
  }
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
