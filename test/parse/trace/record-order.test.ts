import { expect } from 'chai';
import { Ranges } from '../../../src/parse/trace/trace-columns.js';
import { orderRanges } from '../../../src/parse/trace/record-order.js';

describe('the order of ranges', () => {
  const ordered = (
    list: readonly (readonly [start: number, end: number, thread: number, text: string])[],
  ): number[][] => {
    const ranges = new Ranges();
    for (const [row, [start, end, thread]] of list.entries()) ranges.push({ start, end, thread, text: row });
    const text = (row: number): string => list[row]?.[3] ?? '';
    const { rows, first } = orderRanges(ranges, 2, (a, b) => text(a).localeCompare(text(b)));
    return [0, 1].map((thread) => [...rows.subarray(first[thread], first[thread + 1])]);
  };

  it('is that of their starts by thread, the longer first, then of their texts', () => {
    expect(ordered([[5, 9, 0, 'b'], [5, 9, 0, 'a'], [0, 3, 1, 'c'], [5, 20, 0, 'd'], [1, 2, 0, 'e']])).to.deep.equal([[4, 3, 1, 0], [2]]); // prettier-ignore
  });

  it('has those once that were written twice, but both of no length', () => {
    expect(ordered([[5, 9, 0, 'a'], [5, 9, 0, 'a'], [5, 9, 1, 'a'], [7, 7, 0, 'a'], [7, 7, 0, 'a']])).to.deep.equal([[0, 3, 4], [2]]); // prettier-ignore
  });
});
