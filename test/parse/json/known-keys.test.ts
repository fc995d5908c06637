import { expect } from 'chai';
import fc from 'fast-check';
import { ExactDecoder } from '../../../src/parse/json/exact-json.js';
import { KnownKeys } from '../../../src/parse/json/known-keys.js';

const KEYS = ['a', 'b', 'key', 'ключ', 'x"y', ''];

const exact = new ExactDecoder();
const keys = new KnownKeys(KEYS, exact);

/** Known keys that are there; they are copied, because the next object takes their place. */
function decode(text: string): Record<string, unknown> | undefined {
  const bytes = Buffer.from(`  ${text} ,`);
  const cells = keys.decode(bytes, 2, bytes.length - 2);
  return cells && Object.fromEntries(Object.entries(cells).filter(([, value]) => value !== undefined));
}

describe('KnownKeys', () => {
  it('decodes the same values as ExactDecoder', () => {
    const object = fc.dictionary(fc.oneof(fc.constantFrom(...KEYS), fc.string()), fc.jsonValue());
    fc.assert(
      fc.property(object, fc.constantFrom(0, 2), (value, indent) => {
        const bytes = Buffer.from(JSON.stringify(value, null, indent));
        const whole = exact.decode(bytes, 0, bytes.length) as Record<string, unknown>;
        const expected = KEYS.filter((key) => Object.hasOwn(whole, key)).map((key) => [key, whole[key]]);
        expect(decode(bytes.toString())).to.deep.equal(Object.fromEntries(expected));
      }),
    );
  });

  it('keeps nothing of the previous object', () => {
    expect(decode('{"a":1,"b":"text"}')).to.deep.equal({ a: 1, b: 'text' });
    expect(decode('{"b":2}')).to.deep.equal({ b: 2 });
    expect(decode('{}')).to.deep.equal({});
  });

  it('caches texts and lists, and never returns a similar one', () => {
    for (let i = 0; i < 3; i++) {
      expect(decode('{"a":"[1]","b":[1]}')).to.deep.equal({ a: '[1]', b: [1] });
      expect(decode('{"a":"","b":"\\u0041\\n"}')).to.deep.equal({ a: '', b: 'A\n' });
    }
    for (let i = 0; i < 20_000; i++) expect(decode(`{"a":"t${i}"}`)?.['a']).to.equal(`t${i}`);
  });

  it('returns large integers as text, and unknown words as null', () => {
    const before = exact.notJson;
    expect(decode('{"a":9007199254740993,"b":-9223372036854775808,"key":NaN}')).to.deep.equal({
      a: '9007199254740993',
      b: '-9223372036854775808',
      key: null,
    });
    expect(exact.notJson).to.equal(before + 1);
    expect(decode('{"a":-5,"b":1.5e3,"key":false}')).to.deep.equal({ a: -5, b: 1500, key: false });
    expect(decode('{"a":1234567890123456,"b":-0.5}')).to.deep.equal({ a: 1234567890123456, b: -0.5 });
  });

  it('the last of two counts, and an escaped key is the key', () => {
    expect(decode('{"a":1,"a":2,"\\u0062":3}')).to.deep.equal({ a: 2, b: 3 });
  });

  it('returns undefined for anything but an object', () => {
    expect(decode('[1]')).to.equal(undefined);
    expect(decode('{"a":"')).to.equal(undefined);
  });
});
