import { expect } from 'chai';
import fc from 'fast-check';
import { mixed, mixedBytes, mixedNumber, HashIndex, NO_ROW } from '../../src/containers/hash-index.js';

/** An index of strings whose hashes are their lengths: most collide. */
function build(texts: readonly string[]): (text: string) => number {
  const stored: string[] = [];
  const index = new HashIndex((row) => stored[row]?.length ?? NaN);
  const find = (text: string): number => index.find(text.length, (row) => stored[row] === text);
  for (const text of texts) if (find(text) === NO_ROW) index.add(text.length, stored.push(text) - 1);
  return find;
}

describe('hash index', () => {
  it('finds what a Map finds, whatever the hashes', () => {
    const texts = fc.array(fc.string({ maxLength: 3 }), { maxLength: 300 });
    fc.assert(
      fc.property(texts, texts, (stored, others) => {
        const find = build(stored);
        const rows = new Map([...new Set(stored)].map((text, row) => [text, row]));
        for (const text of [...stored, ...others]) expect(find(text)).to.equal(rows.get(text) ?? NO_ROW);
      }),
    );
  });

  it('puts a row in the place of the one with the same contents', () => {
    const keys = [5, 6, 5];
    const index = new HashIndex((row) => keys[row] ?? NaN);
    const isKey = (key: number) => (row: number) => keys[row] === key;
    for (const [row, key] of keys.entries()) index.put(key, row, isKey(key));
    expect(index.find(5, isKey(5))).to.equal(2);
    expect(index.find(6, isKey(6))).to.equal(1);
  });

  it('finds every row after many growths', () => {
    const index = new HashIndex((row) => mixed(0, row));
    for (let row = 0; row < 20_000; row++) index.add(mixed(0, row), row);
    for (let row = 0; row < 20_000; row++) expect(index.find(mixed(0, row), (other) => other === row)).to.equal(row);
  });
});

describe('hashes', () => {
  it('differ by the order and by both halves of a number', () => {
    const hashes = [mixed(mixed(0, 1), 2), mixed(mixed(0, 2), 1), mixedNumber(0, 2 ** 40), mixedNumber(0, 2 ** 41)];
    expect(new Set(hashes).size).to.equal(4);
  });

  it('are of the bytes between begin and end', () => {
    const bytes = Buffer.from('abcabd');
    expect(mixedBytes(0, bytes, 0, 2)).to.equal(mixedBytes(0, bytes, 3, 5));
    expect(mixedBytes(0, bytes, 0, 3)).not.to.equal(mixedBytes(0, bytes, 3, 6));
  });
});
