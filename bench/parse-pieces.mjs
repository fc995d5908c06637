/**
 * The least that reading a trace can cost: JSON.parse of all its bytes, and nothing made of them.
 *
 *   node bench/parse-pieces.mjs TRACE.json
 *
 * The list of events is cut where one event ends and the next begins, into pieces small enough for a string, and each
 * piece is parsed and dropped. A cut is found without parsing: a line break cannot be inside a string, and the white
 * space before the first event is that before all others, and before nothing else between two braces. So this takes
 * only traces whose events stand on lines of their own, as PyTorch writes them.
 */
import { Buffer } from 'node:buffer';
import { closeSync, openSync, readSync } from 'node:fs';

const PIECE = 8 << 20;

/** @returns how many events the piece has */
const parse = (events) => JSON.parse(`[${events.toString('utf8')}]`).length;

/** Pieces of a file, then an empty one. */
function* pieces(path) {
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE);
      const length = readSync(file, piece, 0, PIECE, null);
      yield piece.subarray(0, length);
      if (length === 0) return;
    }
  } finally {
    closeSync(file);
  }
}

const START = /"traceEvents"\s*:\s*\[(\s*)\{/;

/** What stands before the events, what stands between two of them, and where the first begins. */
function opening(head) {
  const text = head.toString('latin1');
  const match = START.exec(text);
  if (match === null || !match[1].includes('\n'))
    throw new Error('no list of events on lines of their own in the first piece');
  const first = match.index + match[0].length - 1;
  return { head: text.slice(0, first), between: Buffer.from(`},${match[1]}{`, 'latin1'), first };
}

/** Where the list of events ends: at the first bracket on a line of its own that stands no deeper than an event. */
function closing(rest, between) {
  const lineAndIndent = between.length - '},{'.length;
  for (let at = rest.indexOf('\n'); at !== -1; at = rest.indexOf('\n', at + 1)) {
    let end = at + 1;
    while (rest[end] === 0x20) end++;
    if (rest[end] === 0x5d && end - at <= lineAndIndent) return end;
  }
  throw new Error('the list of events does not end');
}

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: node bench/parse-pieces.mjs TRACE.json');
let start = null;
let rest = Buffer.alloc(0);
let count = 0;
for (const piece of pieces(path)) {
  rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
  if (start === null) {
    start = opening(rest);
    rest = rest.subarray(start.first);
  }
  const cut = rest.lastIndexOf(start.between);
  if (piece.length > 0 && cut !== -1) {
    count += parse(rest.subarray(0, cut + 1));
    rest = rest.subarray(cut + 2);
  }
}
const end = closing(rest, start.between);
count += parse(rest.subarray(0, end));
JSON.parse(start.head + rest.toString('utf8', end));
process.stdout.write(`${count} events\n`);
