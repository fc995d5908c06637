/** Searches the first part of a file. */
import { closeSync, openSync, readSync } from 'node:fs';

const PIECE = 1024 * 1024;

/** The first bytes of a file as text, without byte order mark and white space before it. */
export const textStart = (head: Buffer): string =>
  head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();

/**
 * The first part of a file in pieces, each valid until the next one is requested.
 * @param searched bytes of that part
 * @param overlap bytes of a piece that the next one repeats, since a text may cross their border
 */
export function* piecesOf(path: string, searched: number, overlap: number): Generator<Buffer> {
  const piece = Buffer.alloc(PIECE);
  const file = openSync(path, 'r');
  try {
    let kept = 0;
    for (let read = 0; read < searched;) {
      const n = readSync(file, piece, kept, piece.length - kept, null);
      if (n === 0) return;
      const end = kept + n;
      yield piece.subarray(0, end);
      read += n;
      kept = Math.min(end, overlap);
      piece.copy(piece, 0, end - kept, end);
    }
  } finally {
    closeSync(file);
  }
}

/** Whether the first part of a file, of some bytes, holds one of some texts. */
export function headContains(path: string, texts: readonly string[], searched: number): boolean {
  const longest = Math.max(...texts.map((text) => Buffer.byteLength(text)));
  for (const piece of piecesOf(path, searched, longest)) if (texts.some((text) => piece.includes(text))) return true;
  return false;
}
