import { expect } from 'chai';
import fc from 'fast-check';
import { ExactDecoder } from '../../../src/parse/json/json-value.js';

function decode(text: string): [value: unknown, notJson: number] {
  const decoder = new ExactDecoder();
  const bytes = Buffer.from(`xx${text}yy`);
  return [decoder.decode(bytes, 2, bytes.length - 2), decoder.notJson];
}

describe('JSON decoded exactly', () => {
  it('is as JSON.parse has it, but for large integers', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const large = /(?<!\.\d*)\d{16,}/.test(text);
        if (!large) expect(decode(text)).to.deep.equal([JSON.parse(text), 0]);
      }),
    );
  });

  it('keeps integers beyond 2^53 as text, those below as numbers', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (value) => {
        const isSafe = Number.isSafeInteger(Number(value));
        expect(decode(`{"a":[${value}]}`)).to.deep.equal([{ a: [isSafe ? Number(value) : String(value)] }, 0]);
      }),
    );
    expect(decode('[9007199254740991,9007199254740992]')[0]).to.deep.equal([9007199254740991, '9007199254740992']);
  });

  it('leaves digits in texts and behind a point alone', () => {
    const text = '{"12345678901234567":"[98765432109876543]","b":0.12345678901234567,"c":1e300}';
    expect(decode(text)[0]).to.deep.equal(JSON.parse(text));
  });

  it('reads words that are not JSON as null, and counts them', () => {
    expect(decode('[NaN,-Infinity,None,nan,true,null]')).to.deep.equal([[null, null, null, null, true, null], 4]);
  });

  it('gives nothing for what is broken', () => {
    for (const text of ['{"a":', '{"a" 1}', '"abc', '', '{a:1}']) expect(decode(text)[0], text).to.equal(undefined);
  });

  it('takes bare control characters in texts', () => {
    expect(decode('["a\tb"]')[0]).to.deep.equal(['a b']);
  });
});
