import { expect } from 'chai';
import fc from 'fast-check';
import { ByteTexts } from '../../../src/parse/json/json-bytes.js';

const put = (texts: ByteTexts, text: string): number => {
  const bytes = Buffer.from(`<${text}>`);
  return texts.numberOf(bytes, 1, bytes.length - 1);
};

describe('ByteTexts', () => {
  it('equal texts have equal numbers, in order of first appearance', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'a', 'b', 'a'.repeat(100)));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 60 }), (list) => {
        const texts = new ByteTexts();
        const unique = [...new Set(list.map((one) => Buffer.from(one).toString('latin1')))];
        for (const one of list) expect(put(texts, one)).to.equal(unique.indexOf(Buffer.from(one).toString('latin1')));
        expect(texts.count).to.equal(unique.length);
      }),
    );
  });

  it('stores many distinct texts while its tables grow', () => {
    const texts = new ByteTexts();
    const name = (n: number): string => `aten::op_${n}${'.'.repeat(n % 50)}`;
    const COUNT = 20_000;
    for (let n = 0; n < COUNT; n++) expect(put(texts, name(n))).to.equal(n);
    for (let n = 0; n < COUNT; n += 7) {
      expect(put(texts, name(n))).to.equal(n);
      expect(texts.text(n)).to.equal(name(n));
    }
    expect(texts.count).to.equal(COUNT);
  });

  it('long texts that differ in one byte have different numbers', () => {
    const texts = new ByteTexts();
    const base = 'x'.repeat(1000);
    expect(put(texts, base)).to.equal(0);
    for (let at = 0; at < 1000; at++) expect(put(texts, `${base.slice(0, at)}y${base.slice(at + 1)}`)).to.equal(at + 1);
    expect(put(texts, base)).to.equal(0);
  });

  it('a text larger than all before fits', () => {
    const texts = new ByteTexts();
    const large = 'l'.repeat(1_000_000);
    put(texts, 'small');
    expect(texts.text(put(texts, large))).to.equal(large);
    expect(texts.text(0)).to.equal('small');
  });

  it('decodes a text as text or as JSON', () => {
    const texts = new ByteTexts();
    expect(texts.text(put(texts, 'a\\"b'))).to.equal('a"b');
    expect(texts.value(put(texts, '[[2, 3], []]'))).to.deep.equal([[2, 3], []]);
    expect(texts.value(put(texts, '[N/A]'))).to.equal(undefined);
    expect(texts.text(99)).to.equal('');
  });

  it('counts texts with control characters only in quotes: lists may contain line ends', () => {
    const texts = new ByteTexts();
    const bytes = Buffer.from('"a\tb" [1,\n2]');
    texts.numberOf(bytes, 1, 4);
    texts.numberOf(bytes, 6, bytes.length);
    texts.numberOf(bytes, 1, 4);
    expect(texts.withControls).to.equal(1);
  });
});
