import { expect } from 'chai';
import fc from 'fast-check';
import { runsOf } from '../../../../src/parse/readers/neuron/ntff/rows/row-runs.js';
import { ROW_BYTES, ROW_DOUBLES, viewRows, type RowView } from '../../../../src/parse/readers/neuron/ntff/rows/rows.js';

/** Rows that have nothing but a start, ns. */
function startingAt(starts: readonly number[]): RowView {
  const rows = viewRows(new ArrayBuffer(starts.length * ROW_BYTES));
  starts.forEach((start, i) => (rows.doubles[i * ROW_DOUBLES] = start * 1000));
  return rows;
}

/** Starts of each run. */
function runs(starts: readonly number[], most: number): number[][] | null {
  const found = runsOf(startingAt(starts), starts.length, most);
  if (found === null) return null;
  const { order, ends } = found;
  return ends.map((end, i) => [...order.subarray(ends[i - 1] ?? 0, end)].map((row) => starts[row] ?? NaN));
}

const upTo = (count: number, from = 0): number[] => Array.from({ length: count }, (_, i) => from + i);

describe('nearly ordered runs of rows', () => {
  it('are one where rows are overtaken by few', () => {
    expect(runs([1, 2, 3], 1)).to.deep.equal([[1, 2, 3]]);
    expect(runs([2, 3, 4, 1, 6, 5], 1)).to.deep.equal([[1, 2, 3, 4, 5, 6]]);
    expect(runs([], 1)).to.deep.equal([[]]);
  });

  it('keep the order of equal rows', () => {
    const found = runsOf(startingAt([5, 5, 4, 5, 4]), 5, 1);
    expect([...(found?.order ?? [])]).to.deep.equal([2, 4, 0, 1, 3]);
  });

  it('begin anew where a row belongs far back', () => {
    const [first, second] = [upTo(3000), upTo(2000, 500)];
    expect(runs([...first, ...second], 2)).to.deep.equal([first, second]);
    expect(runs([...first, ...second], 1)).to.equal(null);
  });

  it('are given up where rows are mixed', () => {
    expect(runs(upTo(2000).reverse(), 16)).to.equal(null);
    expect(runs(upTo(2000).map((i) => (i % 2) * 1e6 + i), 16)).to.equal(null); // prettier-ignore
  });

  it('hold every row once, each in order, whatever the rows', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 300 }), fc.integer({ min: 1, max: 5 }), (starts, most) => {
        const found = runs(starts, most);
        if (found === null) return;
        const ascending = (a: number, b: number): number => a - b;
        expect(found.length).to.be.at.most(most);
        for (const run of found) expect(run).to.deep.equal(run.toSorted(ascending));
        expect(found.flat().toSorted(ascending)).to.deep.equal(starts.toSorted(ascending));
      }),
    );
  });
});
