/** What the strip above a timeline shows. */
import { expect } from 'chai';
import { deviceRows, rankRow } from '../../../../src/page/timeline/draw/strip-rows.js';

const device = (busy: readonly number[]) => ({ device: 0, busy, compute: [], communication: [], memory: [] });
const utilisation = (...rows: readonly (readonly number[])[]) => ({
  ...{ start: 100, width: 10, devices: rows.map(device), host: null, cpu: null },
});

describe('strip', () => {
  it('has a row a device, and one of their mean where there are many', () => {
    const two = deviceRows(utilisation([0, 1], [0.5, 0.5]));
    expect(two).to.deep.equal([
      { start: 100, width: 10, shares: [0, 1] },
      { start: 100, width: 10, shares: [0.5, 0.5] },
    ]);
    const five = deviceRows(utilisation([1, 0], [1, 0], [1, 0], [1, 0], [0, 0]));
    expect(five).to.deep.equal([{ start: 100, width: 10, shares: [0.8, 0] }]);
  });

  it('has a row a rank, at its place on the axis', () => {
    const clock = { shift: 1000, rate: 2 };
    expect(rankRow(utilisation([0, 1], [1, 1]), clock)).to.deep.equal({ start: 1200, width: 20, shares: [0.5, 1] });
    expect(rankRow(utilisation(), clock).shares).to.deep.equal([]);
  });
});
