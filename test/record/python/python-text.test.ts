import { expect } from 'chai';
import fc from 'fast-check';
import { parseLiteral } from '../../../src/record/python/python-literal.js';
import { pythonFloat, pythonString, pythonTuple } from '../../../src/record/python/net-dict.js';

describe('values as Python writes them', () => {
  // As `repr` of Python 3 prints them.
  const strings = [
    ['plain', "'plain'"],
    ["it's", `"it's"`],
    [`"a" isn't`, `'"a" isn\\'t'`],
    ['a\\b\n\r\t\0\x7f\x9b', "'a\\\\b\\n\\r\\t\\x00\\x7f\\x9b'"],
    ['é µ\u00a0\u2028\u202e\ufeff', "'é µ\\xa0\\u2028\\u202e\\ufeff'"],
    ['\u{1f600}\u{e0001}', "'\u{1f600}\\U000e0001'"],
  ] as const;
  for (const [text, literal] of strings) {
    it(`a string: ${literal}`, () => {
      expect(pythonString(text)).to.equal(literal);
    });
  }

  const floats = [
    [0, '0.0'],
    [-0, '-0.0'],
    [2, '2.0'],
    [-2.5, '-2.5'],
    [1e15, '1000000000000000.0'],
    [1e16, '1e+16'],
    [1.5e22, '1.5e+22'],
    [0.0001, '0.0001'],
    [0.00012345, '0.00012345'],
    [0.00001, '1e-05'],
    [1.25e-7, '1.25e-07'],
    [5e-324, '5e-324'],
  ] as const;
  for (const [value, literal] of floats) {
    it(`a float: ${literal}`, () => {
      expect(pythonFloat(value)).to.equal(literal);
    });
  }

  it('a tuple of one has a comma', () => {
    expect([[], ['1'], ['1', '2']].map(pythonTuple)).to.deep.equal(['()', '(1,)', '(1, 2)']);
  });

  it('come back when they are read', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => parseLiteral(pythonString(text)) === text));
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) =>
        Object.is(parseLiteral(pythonFloat(value)), value),
      ),
    );
  });
});
