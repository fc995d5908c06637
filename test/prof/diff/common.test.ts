/** Times that are a level, a factor of the step and a change, nothing else: what is estimated can be worked out by hand. */
import { expect } from 'chai';
import { commonOf, LEAST_ROWS, withoutCommon } from '../../../src/prof/diff/common.js';
import type { Times } from '../../../src/prof/diff/input-facts.js';
import { DEFAULTS } from '../../../src/prof/diff/verdict.js';

/** Their median is 1, the median distance from it 0.05. */
const FACTORS = [1, 1.05, 0.95, 1.2, 1.01, 0.9, 0.99];

const row = (level: number, change: number, factors = FACTORS): Times => ({
  base: Float64Array.from(factors, (factor) => level * factor),
  new: Float64Array.from(factors, (factor) => level * factor * change),
});

const rows = (change: number, count = LEAST_ROWS): Times[] =>
  Array.from({ length: count }, (_, i) => row(1000 * (i + 1), change));

const close = (times: Float64Array, value: number): void => {
  for (const ns of times) expect(ns).to.be.closeTo(value, 1e-6);
};

describe('what the rows of a step share', () => {
  it('is the factor of each step and the change of most rows, taken out where no change is shown', () => {
    const slowed = row(500, 1.005 * 1.03);
    const common = commonOf([...rows(1.005), slowed], DEFAULTS);
    if (common === null) throw new Error('none');
    expect(common).to.include({ verdict: 'same', rows: LEAST_ROWS + 1 });
    expect(common.change).to.be.closeTo(1.005, 1e-12);
    expect(common.spread).to.be.closeTo(0.05, 1e-12);
    FACTORS.forEach((factor, i) => {
      expect(common.factors.base[i]).to.be.closeTo(factor, 1e-12);
      expect(common.factors.new[i]).to.be.closeTo(factor, 1e-12);
    });
    const own = withoutCommon(slowed, common);
    close(own.base, 500);
    close(own.new, 515);
  });

  it('leaves a change that is shown in every row', () => {
    // 1.5 times the highest factor is beyond all: the least p of 7 and 7 samples, 2 / 3432.
    const common = commonOf(rows(1.5), DEFAULTS);
    expect(common?.verdict).to.equal('slower');
    expect(common?.test.pBeyond).to.be.closeTo(2 / 3432, 1e-12);
    const first = common && withoutCommon(row(1000, 1.5), common);
    close(first?.base ?? Float64Array.of(), 1000);
    close(first?.new ?? Float64Array.of(), 1500);
  });

  it('leaves a row alone that does not go with the others', () => {
    const common = commonOf(rows(1), DEFAULTS);
    const steady = row(700, 1, [1, 1, 1.001, 1, 1, 1, 0.999]);
    expect(common && withoutCommon(steady, common)).to.equal(steady);
  });

  it('is not computed of few rows, of few steps, of rows that steps are without', () => {
    expect(commonOf(rows(1, LEAST_ROWS - 1), DEFAULTS)).to.equal(null);
    const few = rows(1).map((times): Times => ({ base: times.base.slice(0, 4), new: times.new }));
    expect(commonOf(few, DEFAULTS)).to.equal(null);
    expect(commonOf([...rows(1, LEAST_ROWS - 1), row(10, 1, [0, ...FACTORS.slice(1)])], DEFAULTS)).to.equal(null);
  });
});
