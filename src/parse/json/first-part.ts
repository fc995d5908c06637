/** Searches the first part of a file for texts. */
import { closeSync, openSync, readSync } from 'node:fs';

const PIECE = 1024 * 1024;

/**
 * Whether the first part of a file holds one of some texts.
 * @param searched bytes of that part
 */
export function headContains(path: string, texts: readonly string[], searched: number): boolean {
  const longest = Math.max(...texts.map((text) => Buffer.byteLength(text)));
  const piece = Buffer.alloc(PIECE);
  const file = openSync(path, 'r');
  try {
    let kept = 0;
    for (let read = 0; read < searched;) {
      const n = readSync(file, piece, kept, piece.length - kept, null);
      if (n === 0) return false;
      const end = kept + n;
      const filled = piece.subarray(0, end);
      if (texts.some((text) => filled.includes(text))) return true;
      read += n;
      // A text may cross the border of two pieces.
      kept = Math.min(end, longest);
      piece.copy(piece, 0, end - kept, end);
    }
    return false;
  } finally {
    closeSync(file);
  }
}
