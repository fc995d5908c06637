import { expect } from 'chai';
import fc from 'fast-check';
import { Ids, microsecondsAt, nanosecondsAt, numberAt } from '../../../src/parse/json/json-bytes.js';
import { kernels, runtime, kernel, op } from '../../support/kineto-trace.js';

const number = (text: string): number => numberAt(Buffer.from(`"${text}"`), 1, 1 + text.length);
const ns = (text: string, originUs = 0): number =>
  nanosecondsAt(Buffer.from(`"${text}"`), 1, 1 + text.length, originUs);
const us = (text: string): number => microsecondsAt(Buffer.from(text), 0, text.length);

describe('Trace: numbers', () => {
  it('are those of JSON', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noDefaultInfinity: true, noNaN: true })), (value) => {
        // Minus zero is written as 0.
        expect(number(JSON.stringify(value))).to.equal(JSON.parse(JSON.stringify(value)));
      }),
    ); // prettier-ignore
  });

  it('anything else is NaN', () => {
    for (const text of ['', '1e309', '-1e400', 'N/A', 'NaN', '-nan', 'null', 'Infinity', '-', '1x', '1 2', '[1]', '0x'])
      expect(number(text), text).to.deep.equal(NaN);
  });
});

describe('Trace: times', () => {
  const exact: [text: string, originUs: number, ns: number][] = [
    ['0', 0, 0],
    ['17', 0, 17_000],
    ['17.5', 0, 17_500],
    ['17.05', 0, 17_050],
    ['17.005', 0, 17_005],
    // The fourth decimal rounds.
    ['17.0004', 0, 17_000],
    ['17.0005', 0, 17_001],
    ['17.9996', 0, 18_000],
    ['17.000499', 0, 17_000],
    ['-500.250', 0, -500_250],
    ['-500.250', -501, 750],
    ['-0.001', 0, -1],
    ['5.0e2', 0, 500_000],
    ['5E0', 0, 5_000],
    ['1.5e-3', 0, 2],
    ['12.', 0, 12_000],
  ];
  for (const [text, originUs, expected] of exact) {
    it(`${text} µs after ${originUs} are ${expected} ns`, () => {
      expect(ns(text, originUs)).to.equal(expected);
    });
  }

  it('since 1970 with three decimals are exact, which a double is not', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 86_400_000_000 }), fc.integer({ min: 0, max: 999 }), (later, fraction) => {
        const origin = 1_623_142_623_460_111;
        const text = `${origin + later}.${String(fraction).padStart(3, '0')}`;
        expect(ns(text, origin)).to.equal(later * 1000 + fraction);
      }),
    );
    expect(Math.round((Number('1623142623460111.001') - 1_623_142_623_460_111) * 1000), 'the double').to.equal(0);
  });

  it('that are none, or beyond 64 bits of nanoseconds, are not known', () => {
    for (const text of [
      '',
      '1e309',
      '-1e400',
      'N/A',
      'NaN',
      'null',
      '1.2.3',
      '-',
      '.',
      '1e300',
      '-1e300',
      '99999999999999999999999.000',
    ])
      expect(ns(text), text).to.deep.equal(NaN);
    expect(us('1e300')).to.deep.equal(NaN);
    expect(us('N/A')).to.deep.equal(NaN);
  });

  it('an origin is whole microseconds', () => {
    expect(us('1623142623460111.999')).to.be.within(1_623_142_623_460_111, 1_623_142_623_460_112);
    expect(us('-0.5')).to.equal(-1);
  });

  it('of a trace are exact to the nanosecond, whichever event comes first', () => {
    const at = (fraction: string): string => `1714492861302345.${fraction}`;
    const first = kernels([kernel('a', 1, at('001')), kernel('b', 2, at('002')), op('aten::mm', at('000'), '9.000')]);
    expect(first.map(({ name, start, dur }) => [name, start, dur])).to.deep.equal([
      ['a', 1, 10_000],
      ['b', 2, 10_000],
    ]);
  });
});

describe('Trace: ids', () => {
  const ids = new Ids();
  const id = (text: string): number => ids.at(Buffer.from(text), 0, text.length);

  it('are whole numbers', () => {
    expect(id('0')).to.equal(0);
    expect(id('123456789012345')).to.equal(123_456_789_012_345);
    expect(id('9007199254740991')).to.equal(Number.MAX_SAFE_INTEGER);
    for (const text of ['', '5.5', 'N/A', '1e30', 'abcdefghijklmnopq', '12345678901234567.5'])
      expect(id(text), text).to.deep.equal(NaN);
  });

  it('beyond 2^53 stay distinct', () => {
    const [a, b] = ['9007199254740992', '9007199254740993'];
    expect(Number(a), 'the double').to.equal(Number(b));
    expect(id(a)).to.not.equal(id(b));
    expect(id(a)).to.equal(id(a));
    expect(ids.large).to.equal(2);
  });

  it('beyond 2^53 join a kernel to its launch and no other, and are not written', () => {
    const [wrong, right] = ['9007199254740992', '9007199254740993'];
    const trace = [runtime('wrong', '@', 0, 5), runtime('right', '#', 10, 15), kernel('k', '#', 50)].map((event) =>
      event.replace('"@"', wrong).replace('"#"', right),
    );
    const [found] = kernels(trace);
    expect(found?.launch?.api).to.equal('right');
    expect(found?.corr).to.equal(null);
  });
});
