import { expect } from 'chai';
import { changes, timeSpan, valueAt } from '../../../src/page/charts/chart-values.js';

describe('curves of memory', () => {
  it('change or do not', () => {
    expect(
      changes([
        [0, 5],
        [1, 5],
        [2, 6],
      ]),
    ).to.equal(true);
    expect(
      [
        [],
        [[0, 5]],
        [
          [0, 5],
          [1, 5],
        ],
      ].map((points) => changes(points as [number, number][])),
    ).to.deep.equal([false, false, false]);
  });

  it('hold a value until the next', () => {
    const points = [
      [10, 5],
      [20, 7],
      [20, 8],
      [30, 1],
    ] as const;
    expect([9, 10, 19, 20, 29, 99].map((time) => valueAt(points, time))).to.deep.equal([null, 5, 5, 8, 8, 1]);
  });

  it('share one span of time with the work of devices', () => {
    expect(
      timeSpan(
        [
          [[-5, 1]],
          [
            [3, 1],
            [9, 2],
          ],
        ],
        [0, 20],
      ),
    ).to.deep.equal([-5, 20]);
    expect(timeSpan([[]], [])).to.deep.equal([0, 1]);
  });
});
