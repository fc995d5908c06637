import { expect } from 'chai';
import fc from 'fast-check';
import {
  memoryScale,
  inScale,
  rangeText,
  scaleOf,
  scaleOfAll,
  tick,
  quantityText,
} from '../../../src/page/document/units.js';

describe('units of a page', () => {
  it('write times in the unit that fits, with four digits', () => {
    expect([0, 7, 999, 1500, 299_876_543, 7.5e9].map((ns) => quantityText(ns, 'ns'))).to.deep.equal([
      '0 ns',
      '7 ns',
      '999 ns',
      '1.50 us',
      '299.9 ms',
      '7.500 s',
    ]);
  });

  it('write shares, sizes and rates', () => {
    expect(quantityText(0.1234, 'share')).to.equal('12.3 %');
    expect(quantityText(1, 'share')).to.equal('100.0 %');
    expect(quantityText(8_050_000_000, 'bytes')).to.equal('8.05 GB');
    // 8,050,000,000 / 2^30 = 7.497
    expect(quantityText(8_050_000_000, 'memory')).to.equal('7.50 GiB');
    expect(quantityText(989e12, 'flop/s')).to.equal('989.0 TFLOP/s');
    expect(quantityText(1234567, 'count')).to.equal('1,234,567');
  });

  it('never write unknown values, or values above 0, as 0', () => {
    expect(quantityText(null, 'ns')).to.equal('na');
    expect(quantityText(NaN, 'bytes')).to.equal('na');
    expect(quantityText(0.00001, 'share')).to.equal('<0.1 %');
    expect(inScale(3, scaleOf('ns', 5e9))).to.equal('<0.001');
  });

  it('give a column one scale, by its largest value', () => {
    expect(scaleOfAll('ns', [2e6]).suffix).to.equal('us');
    const scale = scaleOfAll('ns', [2e7, null, 1500, -3]);
    expect(scale.suffix).to.equal('ms');
    expect([2e7, null, 1500].map((ns) => inScale(ns, scale))).to.deep.equal(['20.000', 'na', '0.002']);
  });

  it('write the ends of a bin with the unit once', () => {
    const bins = [[0, 1], [20, 50], [500, 1000], [1000, 2000], [50e3, 100e3], [2e6, 5e6]] as const; // prettier-ignore
    expect(bins.map(([from, to]) => rangeText(from, to, 'ns'))).to.deep.equal([
      ...['0 – 1 ns', '20 – 50 ns', '500 ns – 1 us', '1 – 2 us', '50 – 100 us', '2 – 5 ms'],
    ]);
    expect(rangeText(200, 499, 'count')).to.equal('200 – 499');
  });

  it('write ticks as short as they are', () => {
    expect([0, 20e6, 2.5e6, 60.05e9].map((ns) => tick(ns, 'ns'))).to.deep.equal(['0', '20 ms', '2.5 ms', '60.05 s']);
    expect([0.0001, 0.1, 1000].map((value) => tick(value, 'count'))).to.deep.equal(['0.0001', '0.1', '1,000']);
  });
});

describe('scales of memory', () => {
  const GIB = 2 ** 30;
  const ticksOf = (highest: number): string[] => {
    const { interval, max } = memoryScale(highest) ?? { interval: NaN, max: NaN };
    return Array.from({ length: max / interval + 1 }, (_, i) => tick(i * interval, 'memory'));
  };

  it('have round ticks in binary units', () => {
    expect(ticksOf(7.5 * GIB)).to.deep.equal(['0', '2 GiB', '4 GiB', '6 GiB', '8 GiB']);
    expect(ticksOf(0.6 * GIB)).to.deep.equal(['0', '256 MiB', '512 MiB', '768 MiB']);
    expect(ticksOf(1e9)).to.deep.equal(['0', '256 MiB', '512 MiB', '768 MiB', '1 GiB']);
    expect(ticksOf(3)).to.deep.equal(['0', '1 B', '2 B', '3 B']);
  });

  it('reach the highest value in few steps, whatever it is', () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 2 ** 49, noNaN: true }), (highest) => {
        const { interval, max } = memoryScale(highest) ?? { interval: NaN, max: NaN };
        const steps = max / interval;
        expect(max).to.be.at.least(highest);
        expect(max - interval).to.be.below(highest);
        expect(Number.isInteger(steps) && steps >= 1 && steps <= 4 && (interval === 1 || steps >= 3)).to.equal(true);
        expect(Number.isInteger(Math.log2(interval))).to.equal(true);
        for (const text of ticksOf(highest)) expect(text).to.match(/^(?:0|\d{1,3}(?:\.5)? (?:[KMGT]i)?B)$/);
      }),
    );
  });

  it('are none of nothing', () => {
    for (const none of [0, -1, NaN, Infinity]) expect(memoryScale(none)).to.equal(null);
  });
});
