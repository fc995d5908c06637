import { expect } from 'chai';
import { argumentValue, pythonComment, pythonValue } from '../../../src/prof/repro/python-value.js';

describe('values in Python source', () => {
  it('are literals', () => {
    expect(pythonValue(null)).to.equal('None');
    expect(pythonValue(true)).to.equal('True');
    expect(pythonValue(-3)).to.equal('-3');
    expect(pythonValue(1, 'float')).to.equal('1.0');
    expect(pythonValue(1e-12)).to.equal('1e-12');
    expect(pythonValue([1, [2.5, false], 'a'])).to.equal("[1, [2.5, False], 'a']");
  });

  it('are integers of 64 bits', () => {
    // JavaScript reads 2^63 - 1, the greatest integer of PyTorch, as 2^63.
    expect(pythonValue(2 ** 63)).to.equal('9223372036854775807');
    expect(pythonValue(-(2 ** 63))).to.equal('-9223372036854775808');
    expect(pythonValue(1e21)).to.equal('9223372036854775807');
  });

  it('have no infinity without a call', () => {
    expect(pythonValue(-Infinity)).to.equal("float('-inf')");
    expect(argumentValue('-inf', 'str')).to.equal("float('-inf')");
    expect(argumentValue('info', 'str')).to.equal("'info'");
  });

  it('escape what ends or hides a string', () => {
    expect(pythonValue(`'"""\\`)).to.equal(String.raw`'\'"""\\'`);
    expect(pythonValue('a\nb\rc\u2028d\u202ee\u0000')).to.equal(String.raw`'a\nb\rc\u2028d\u202ee\x00'`);
    expect(pythonValue('half \ud83d pair')).to.equal("'half \ufffd pair'");
  });
});

describe('comments in Python source', () => {
  it('stay on their line', () => {
    expect(pythonComment('a\nb\r\u2028\u0085c')).to.equal(String.raw`# a\u000ab\u000d\u2028\u0085c`);
    expect(pythonComment('x'.repeat(1000))).to.have.length(303);
  });
});
