import { expect } from 'chai';
import fc from 'fast-check';
import { ReportRows } from '../../../src/prof/report/report.js';
import { parseSort } from '../../../src/prof/query/kernel-query.js';
import { UsageError } from '../../../src/record/errors.js';
import type { KernelRecord } from '../../../src/record/record.js';
import { kernel } from '../../support/kernels.js';
import { annotate } from '../../support/rows.js';

/** Ids of the rows in the order of the report. */
function ids(records: readonly KernelRecord[], sort?: string, top?: number): number[] {
  const rows = new ReportRows({
    pack: ({ record }) => record.id,
    sort: sort === undefined ? undefined : parseSort(sort),
    top,
  });
  for (const row of annotate(records)) rows.add(row);
  return [...rows.rest()].flat();
}

const durations = (...durs: (number | null)[]): KernelRecord[] => durs.map((dur, i) => kernel({ id: i + 1, dur }));

describe('order', () => {
  it('is that of the input without --sort; --top then takes the first', () => {
    expect(ids(durations(5, 1, 9, 3))).to.deep.equal([1, 2, 3, 4]);
    expect(ids(durations(5, 1, 9, 3), undefined, 2)).to.deep.equal([1, 2]);
  });

  it('is largest first for numbers, unknown last either way, equal rows as they came', () => {
    const records = durations(5, null, 9, 5);
    expect(ids(records, 'sil')).to.deep.equal([3, 1, 4, 2]);
    expect(ids(records, '-sil')).to.deep.equal([3, 1, 4, 2]);
    expect(ids(records, '+sil')).to.deep.equal([1, 4, 3, 2]);
  });

  it('is A to Z for text, and may have several keys', () => {
    const records = [
      kernel({ id: 1, short: 'b' }),
      kernel({ id: 2, short: 'a', dur: 1 }),
      kernel({ id: 3, short: 'a' }),
    ];
    expect(ids(records, 'kernel')).to.deep.equal([2, 3, 1]);
    expect(ids(records, 'kernel,sil')).to.deep.equal([3, 2, 1]);
    expect(ids(records, '-kernel,+sil')).to.deep.equal([1, 2, 3]);
  });

  it('with --top is the beginning of the whole order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(8), { maxLength: 60 }), fc.integer({ min: 1, max: 12 }), (durs, top) => {
        const expected = durs.map((dur, i) => ({ dur, id: i + 1 })).sort((a, b) => b.dur - a.dur || a.id - b.id);
        expect(ids(durations(...durs), 'sil', top)).to.deep.equal(expected.slice(0, top).map(({ id }) => id));
      }),
    );
  });

  it('by an unknown column is refused', () => {
    expect(() => parseSort('silly')).to.throw(UsageError, "unknown column 'silly'");
    expect(() => parseSort('sil,')).to.throw(UsageError, 'needs a column');
  });
});
