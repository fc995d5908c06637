import { expect } from 'chai';
import fc from 'fast-check';
import { TextPool } from '../../src/containers/text-pool.js';

describe('text pool', () => {
  it('numbers different texts in the order in which they come, and gives them back', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { maxLength: 200 });
    fc.assert(
      fc.property(texts, (all) => {
        const pool = new TextPool();
        const different = [...new Set(all)];
        expect(all.map((text) => pool.numberOf(text))).to.deep.equal(all.map((text) => different.indexOf(text)));
        expect(different.map((_, number) => pool.at(number))).to.deep.equal(different);
        expect(pool.length).to.equal(different.length);
        expect(pool.bytes).to.equal(different.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
      }),
    );
  });

  it('keeps texts longer than a chunk among short ones', () => {
    const pool = new TextPool();
    const long = 'ä'.repeat(1_000_000);
    for (const text of ['a', long, 'b']) pool.numberOf(text);
    expect([0, 1, 2].map((number) => pool.at(number))).to.deep.equal(['a', long, 'b']);
    expect(pool.numberOf(long)).to.equal(1);
  });

  it('has no text of another number', () => {
    expect(() => new TextPool().at(0)).to.throw(RangeError);
  });
});
