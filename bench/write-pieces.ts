/** Files too large for memory, written piece by piece. */
import { closeSync, openSync, writeSync } from 'node:fs';

/** Writes what `produce` hands over into a file, in place of one that may be there. */
export function writePieces(path: string, produce: (write: (piece: Uint8Array) => void) => void): void {
  const file = openSync(path, 'w');
  try {
    produce((piece) => {
      for (let at = 0; at < piece.length;) at += writeSync(file, piece, at);
    });
  } finally {
    closeSync(file);
  }
}
