import { expect } from 'chai';
import fc from 'fast-check';
import { bytesOf, LineBytes, Pieces } from '../../../src/record/lines/line-bytes.js';

/** What a function writes, as text. */
function written(write: (out: LineBytes) => void, capacity = 64): string {
  const out = new LineBytes(capacity);
  write(out);
  return out.takeText();
}

describe('lines as bytes', () => {
  it('have numbers as JSON has them', () => {
    const edges = [
      0,
      -0,
      9,
      10,
      99,
      100,
      999,
      1000,
      1001,
      1e6 - 1,
      1e6,
      1e9 - 1,
      1e9,
      2 ** 32 - 1,
      2 ** 32,
      1e12,
      1e15 - 1,
    ];
    const others = [Number.MAX_SAFE_INTEGER, 2 ** 53, 1e21, -1, 0.5, -1e-7, NaN, Infinity, Number.MIN_VALUE];
    for (const number of [...edges, ...others]) {
      expect(written((out) => { out.number(number); })).to.equal(JSON.stringify(number)); // prettier-ignore
    }
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeInteger(), fc.double(), fc.nat()), (number) => {
        expect(written((out) => { out.number(number); })).to.equal(JSON.stringify(number)); // prettier-ignore
      }),
    );
  });

  it('make room for what comes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
        const text = written((out) => {
          texts.forEach((each, i) => { i % 2 === 0 ? out.text(each) : out.put(bytesOf(each)); }); // prettier-ignore
        }, 1);
        expect(text).to.equal(texts.join(''));
      }),
    );
  });

  it('are given away with their memory: what comes next does not change them', () => {
    const out = new LineBytes(16);
    out.text('one\n');
    const taken = out.take();
    out.text('two\n');
    expect([taken.toString(), out.length, out.takeText(), out.length]).to.deep.equal(['one\n', 4, 'two\n', 0]);
    expect(taken.buffer).not.to.equal(out.take().buffer);
  });

  it('keep pieces that come again', () => {
    let made = 0;
    const pieces = new Pieces((name: string) => `${++made}${name}`);
    const [first, other, again] = [pieces.of('a'), pieces.of('b'), pieces.of('a')];
    expect([first, other].map((piece) => Buffer.from(piece).toString())).to.deep.equal(['1a', '2b']);
    expect(again).to.equal(first);
  });
});
