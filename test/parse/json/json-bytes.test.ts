import { expect } from 'chai';
import fc from 'fast-check';
import {
  CUT,
  decodeText,
  decodeValue,
  endOfNested,
  endOfText,
  endOfValue,
  endOfWord,
  isJson,
  skipSpace,
} from '../../../src/parse/json/json-bytes.js';

const endOf = (text: string, end = text.length): number => endOfValue(Buffer.from(text), 0, end);

describe('JSON scanned as bytes', () => {
  it('ends a value where JSON does, whatever follows it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(',', '}', ']', ' ', '\n'), (value, behind) => {
        const text = JSON.stringify(value);
        expect(endOfValue(Buffer.from(text + behind), 0, Buffer.byteLength(text) + 1)).to.equal(
          Buffer.byteLength(text),
        );
      }),
    );
  });

  it('returns CUT for a value that is cut anywhere', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, at) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const end = at % bytes.length;
        expect(endOfValue(bytes, 0, end)).to.equal(CUT);
      }),
    );
  });

  const ends: [text: string, end: number][] = [
    ['"a\\"b"', 6],
    ['"a\\\\", "b"', 5],
    ['"}]"x', 4],
    ['{"a": "}"}]', 10],
    ['[[1, {"b": []}], 2], 3', 19],
    ['N/A, 5', 3],
    ['-nan}', 4],
    ['1e5]', 3],
    [', 5', 0],
    ['"\u0001\n"', 4],
  ];
  for (const [text, end] of ends) {
    it(`${JSON.stringify(text)} ends at ${end}`, () => {
      expect(endOf(text)).to.equal(end);
    });
  }

  it('an escape at the border does not end a text', () => {
    expect(endOf('"a\\"', 3)).to.equal(CUT);
    expect(endOf('"a\\"', 4)).to.equal(CUT);
    expect(endOf('"a\\\\"', 5)).to.equal(5);
  });

  it('a deep value needs no stack', () => {
    const deep = Buffer.from('['.repeat(1_000_000) + ']'.repeat(1_000_000));
    expect(endOfNested(deep, 0, deep.length)).to.equal(2_000_000);
  });

  it('each scan keeps to its end', () => {
    const bytes = Buffer.from('   "abc"');
    expect(skipSpace(bytes, 0, 8)).to.equal(3);
    expect(skipSpace(bytes, 0, 2)).to.equal(2);
    expect(endOfText(bytes, 4, 7)).to.equal(CUT);
    expect(endOfText(bytes, 4, 8)).to.equal(7);
    expect(endOfWord(Buffer.from('12'), 0, 2)).to.equal(CUT);
  });

  it('recognises words that are not JSON', () => {
    for (const text of ['1', '-1', '0.5e3', '"x"', '{}', '[]', 'true', 'false', 'null'])
      expect(isJson(Buffer.from(text), 0, text.length), text).to.equal(true);
    for (const text of ['N/A', 'NaN', 'nan', '-nan', 'Infinity', '-Infinity', 'None', 'tru', '-', ''])
      expect(isJson(Buffer.from(text), 0, text.length), text).to.equal(false);
  });
});

describe('JSON texts and values decoded', () => {
  const decode = (text: string): string => decodeText(Buffer.from(text), 0, Buffer.byteLength(text));

  it('undoes escapes as JSON does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // JSON text has escapes for what UTF-8 cannot encode.
        expect(decode(JSON.stringify(text).slice(1, -1))).to.equal(text);
      }),
    );
  });

  it('keeps what is not JSON', () => {
    expect(decode('o\\x64d')).to.equal('o\\x64d');
    expect(decode('C:\\users')).to.equal('C:\\users');
    expect(decode('a\\')).to.equal('a\\');
  });

  it('bare control characters do not keep escapes from being undone', () => {
    expect(decode('a\u0001\\"b')).to.equal('a "b');
  });

  it('a value that cannot be read is not there', () => {
    const value = (text: string): unknown => decodeValue(Buffer.from(text), 0, Buffer.byteLength(text));
    expect(value('[[1, 2], []]')).to.deep.equal([[1, 2], []]);
    expect(value('["a\nb"]')).to.deep.equal(['a b']);
    expect(value('[1, N/A]')).to.equal(undefined);
    expect(value('')).to.equal(undefined);
  });
});
