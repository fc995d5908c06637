import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ByteWindow } from '../../../src/parse/input/byte-window.js';
import { END, JsonCursor } from '../../../src/parse/json/json-cursor.js';
import { endOfValue } from '../../../src/parse/json/json-bytes.js';

/** Runs on a file of this text, read by so many bytes at a time. */
function onText<T>(text: string, step: number, body: (cursor: JsonCursor) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'dparse-test-'));
  const path = join(folder, 'file');
  writeFileSync(path, text);
  const window = new ByteWindow(path, step);
  try {
    return body(new JsonCursor(window));
  } finally {
    window.close();
    rmSync(folder, { recursive: true });
  }
}

describe('JsonCursor', () => {
  const text = '\ufeff  {"a": [1, {"b": "]}\\""}]}  "next value" 12 ';
  const utf8 = Buffer.from(text);

  it('counts its offset in the file, for any step', () => {
    for (let step = 1; step < 60; step++) {
      onText(text, step, (cursor) => {
        const found: unknown[] = [];
        for (let byte = cursor.next(); byte !== END; byte = cursor.next()) {
          const { offset } = cursor;
          const span = cursor.whole(endOfValue);
          if (span === null) break;
          const value = span.bytes.toString('utf8', span.from, span.to);
          expect(utf8.toString('utf8', offset, offset + span.to - span.from)).to.equal(value);
          found.push(value);
          cursor.pass(span.to - span.from);
        }
        expect(found, `step ${step}`).to.deep.equal(['{"a": [1, {"b": "]}\\""}]}', '"next value"', '12']);
      });
    }
  });

  it('skips nested values without holding them', () => {
    for (let step = 1; step < 40; step++) {
      onText(text, step, (cursor) => {
        cursor.next();
        expect(cursor.passNested(), `step ${step}`).to.equal(true);
        expect(cursor.next()).to.equal(0x22);
        expect(cursor.offset).to.equal(utf8.indexOf('"next'));
      });
    }
  });

  it('returns null for a value that is cut', () => {
    onText('{"a": [1, 2', 4, (cursor) => {
      cursor.next();
      expect(cursor.whole(endOfValue)).to.equal(null);
      expect(cursor.passNested()).to.equal(false);
      expect(cursor.next()).to.equal(END);
    });
  });
});
