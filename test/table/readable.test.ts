import { expect } from 'chai';
import { column, int, real, str, isToTheRight, type CellValue, type Column } from '../../src/table/column.js';
import { inAmounts } from '../../src/table/readable.js';

const own = (value: CellValue): CellValue => value;
const texts = (given: Column<CellValue>, values: readonly CellValue[]): CellValue[] =>
  values.map((value) => inAmounts(given).value(value));

describe('columns with a unit for each amount', () => {
  it('have times, sizes, FLOPs and rates as people write them', () => {
    const time = column('t', 't_ns', int(12, 'ns'), '', own);
    expect(inAmounts(time).header).to.equal('t');
    expect(isToTheRight(inAmounts(time))).to.equal(true);
    expect(texts(time, [0, 940, 32_322_140, null])).to.deep.equal(['0 ns', '940 ns', '32.32 ms', null]);
    expect(texts(column('b', 'b', int(12, 'bytes'), '', own), [4, 67_108_864])).to.deep.equal(['4 B', '67.11 MB']);
    expect(texts(column('r', 'r', real(8, 2, 'GB/s'), '', own), [0.0001958, 44.4])).to.deep.equal([
      '195.8 kB/s',
      '44.40 GB/s',
    ]);
  });

  it('are as they were where they have no amounts', () => {
    for (const given of [column('s', 's', str(4), '', own), column('p', 'p_%', real(6, 1, '%'), '', own)])
      expect(inAmounts(given)).to.equal(given);
  });
});
