import { expect } from 'chai';
import { chartValues } from '../../../src/page/charts/chart-values.js';
import { cellTowards, gridPlaceOf, nextValue } from '../../../src/page/document/arrow-keys.js';

describe('values of a chart by keyboard', () => {
  const series = [
    { type: 'line' as const, data: [[5, 1], [1, 2]] },
    { type: 'line' as const, data: [[5, 9], [3, 4]] },
    { type: 'line' as const, tooltip: { show: false }, data: [[2, 0]] },
  ]; // prettier-ignore

  it('go from left to right, each place on a common axis once', () => {
    expect(chartValues({ series, tooltip: { trigger: 'axis' } })).to.deep.equal([
      { series: 0, data: 1, x: 1 },
      { series: 1, data: 1, x: 3 },
      { series: 0, data: 0, x: 5 },
    ]);
    expect(chartValues({ series, tooltip: { trigger: 'item' } })).to.have.length(4);
  });

  it('are those of categories in their order', () => {
    const bars = { series: [{ type: 'bar' as const, data: [4, 5, 6] }], tooltip: { trigger: 'axis' as const } };
    expect(chartValues(bars).map(({ x }) => x)).to.deep.equal([0, 1, 2]);
  });

  it('begin at either end, and stay within', () => {
    expect(nextValue('ArrowRight', null, 5)).to.equal(0);
    expect(nextValue('ArrowLeft', null, 5)).to.equal(0);
    expect(nextValue('ArrowRight', 4, 5)).to.equal(4);
    expect(nextValue('ArrowLeft', 0, 5)).to.equal(0);
    expect(nextValue('End', 0, 5)).to.equal(4);
    expect(nextValue('PageDown', 0, 50)).to.equal(5);
    expect(nextValue('Home', null, 0)).to.equal(null);
    expect(nextValue('x', 1, 5)).to.equal(null);
  });
});

describe('grid of buttons by keyboard', () => {
  const grid = [['a', null, 'b'], [null, 'c', null], ['d', null, null]]; // prettier-ignore

  it('leads on over what takes no focus, and nowhere beyond an end', () => {
    const to = (row: number, column: number, key: string): string | null => cellTowards(grid, { row, column }, key);
    expect(gridPlaceOf(grid, 'c')).to.deep.equal({ row: 1, column: 1 });
    expect(gridPlaceOf(grid, null)).to.equal(null);
    expect(to(0, 0, 'ArrowRight')).to.equal('b');
    expect(to(0, 0, 'ArrowDown')).to.equal('d');
    expect(to(0, 2, 'ArrowRight')).to.equal(null);
    expect(to(0, 2, 'ArrowDown')).to.equal(null);
    expect(to(0, 2, 'Home')).to.equal('a');
    expect(to(0, 0, 'End')).to.equal('b');
    expect(to(0, 0, 'Enter')).to.equal(null);
  });
});
