import { expect } from 'chai';
import fc from 'fast-check';
import { columns, NumericColumn, orNull } from '../../src/containers/numeric-column.js';
import { propertyRuns } from '../support/property-runs.js';

describe('column of numbers', () => {
  it('holds what was pushed, over any number of growths', () => {
    fc.assert(
      fc.property(fc.array(fc.double(), { maxLength: 5000 }), (values) => {
        const column = NumericColumn.floats();
        for (const value of values) column.push(value);
        expect(column.length).to.equal(values.length);
        expect([...column.values]).to.deep.equal(values);
      }),
      { numRuns: propertyRuns(20) },
    );
  });

  it('grows beyond its first capacity without losing rows', () => {
    const column = NumericColumn.counts();
    for (let i = 0; i < 5000; i++) column.push(i * 7);
    for (const row of [0, 1023, 1024, 1025, 2048, 4999]) expect(column.at(row)).to.equal(row * 7);
  });

  it('gives NaN beyond the end, also within its capacity', () => {
    const column = NumericColumn.codes();
    column.push(5);
    expect(column.at(0)).to.equal(5);
    expect(column.at(1)).to.be.NaN;
    expect(column.at(1 << 20)).to.be.NaN;
  });

  it('sets a row there is, and no other', () => {
    const column = NumericColumn.floats();
    column.push(1);
    column.set(0, 2);
    column.set(1, 3);
    expect(column.at(0)).to.equal(2);
    expect(column.length).to.equal(1);
    column.push(4);
    expect([...column.values]).to.deep.equal([2, 4]);
  });

  it('keeps times of a day in nanoseconds exactly, and null as NaN', () => {
    const column = NumericColumn.floats();
    const day = 86_400_000_000_001;
    column.push(day);
    column.push(NaN);
    expect(orNull(column.at(0))).to.equal(day);
    expect(orNull(column.at(1))).to.equal(null);
    expect(orNull(0)).to.equal(0);
  });
});

describe('columns declared once', () => {
  class Calls extends columns({ start: 'f64', thread: 'count', corr: 'id', api: 'u32', code: 'u8', row: 'i32', text: 'time' }) {} // prettier-ignore

  it('take rows by names in any order, and cells in the order of the declaration', () => {
    const calls = new Calls();
    calls.push({ row: -1, code: 7, text: -3, api: 5, corr: NaN, thread: 300, start: 1.5 });
    calls.pushCells(2.5, 1, 9, 6, 8, -2, -4);
    expect(calls.length).to.equal(2);
    const { start, thread, corr, api, code, row, text } = calls;
    const cells = [start, thread, corr, api, code, row, text].map((column) => [column.at(0), column.at(1)]);
    expect(cells).to.deep.equal([[1.5, 2.5], [300, 1], [NaN, 9], [5, 6], [7, 8], [-1, -2], [-3, -4]]); // prettier-ignore
    expect(() => calls.pushCells(1, 2)).to.throw(RangeError, '2 cells for 7 columns');
  });

  it('are each object’s, and keep their rows when room is reserved', () => {
    const [first, second] = [new Calls(), new Calls()];
    first.push({ start: 1, thread: 2, corr: 3, api: 4, code: 5, row: 6, text: 7 });
    first.reserve(100_000);
    expect([first.length, first.text.at(0), second.length]).to.deep.equal([1, 7, 0]);
  });
});
