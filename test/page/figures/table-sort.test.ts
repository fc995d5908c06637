import { expect } from 'chai';
import { compareCells, sortedRows, filteredRows } from '../../../src/page/figures/table-sort.js';

describe('rows of a page’s table', () => {
  const rows = [
    { name: 'b10', time: 5 },
    { name: 'b9', time: null },
    { name: 'A', time: 7 },
    { name: 'c', time: 5 },
  ];
  const names = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name);

  it('are sorted by a number, unknown last either way, equal ones as they were', () => {
    expect(names(sortedRows(rows, ({ time }) => time, true))).to.deep.equal(['A', 'b10', 'c', 'b9']);
    expect(names(sortedRows(rows, ({ time }) => time, false))).to.deep.equal(['b10', 'c', 'A', 'b9']);
  });

  it('are sorted by a text, with the numbers in it by size', () => {
    expect(names(sortedRows(rows, ({ name }) => name, false))).to.deep.equal(['A', 'b9', 'b10', 'c']);
  });

  it('compare unknown with unknown as equal', () => {
    expect(compareCells(null, null, true)).to.equal(0);
  });

  it('are filtered by all words, ignoring case and order', () => {
    const found = filteredRows(
      [
        ['gemm', 'BF16'],
        ['gemm', 'fp32'],
        ['add', 'bf16'],
      ],
      (row) => row,
      ' bf16 GEMM ',
    );
    expect(found).to.deep.equal([['gemm', 'BF16']]);
    expect(filteredRows([['x']], (row) => row, '  ')).to.have.length(1);
  });
});
