import { expect } from 'chai';
import fc from 'fast-check';
import { allRows, groupAt, groupRows, mergeGroups, sortRows } from '../../src/containers/row-order.js';

const byKey =
  (keys: readonly number[]) =>
  (a: number, b: number): number =>
    (keys[a] ?? 0) - (keys[b] ?? 0);

describe('order of rows', () => {
  const sorted = (keys: readonly number[]): number[] => {
    const rows = allRows(keys.length);
    sortRows(rows, byKey(keys));
    return [...rows];
  };
  const expected = (keys: readonly number[]): number[] => keys.map((_, row) => row).sort(byKey(keys));

  // Few distinct keys make equal rows frequent: both sorts are stable, so their answers are one.
  const keys = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 300 });

  it('is what Array.sort gives, rows of equal keys in their old order', () => {
    fc.assert(
      fc.property(keys, (given) => {
        expect(sorted(given)).to.deep.equal(expected(given));
      }),
    );
  });

  it('is what Array.sort gives for runs up and down', () => {
    const runs = fc.array(fc.tuple(keys, fc.boolean()), { maxLength: 8 });
    fc.assert(
      fc.property(runs, (parts) => {
        const given = parts.flatMap(([part, down]) => {
          const up = [...part].sort((a, b) => a - b);
          return down ? up.reverse() : up;
        });
        expect(sorted(given)).to.deep.equal(expected(given));
      }),
    );
  });

  for (const [what, given] of [
    ['nothing', []],
    ['one row', [3]],
    ['two rows', [2, 1]],
    ['sorted rows', [1, 2, 3, 4]],
    ['reversed rows', [4, 3, 2, 1]],
    ['equal rows', [1, 1, 1]],
    ['three runs', [1, 5, 2, 6, 3, 7]],
  ] as const) {
    it(what, () => expect(sorted(given)).to.deep.equal(expected(given)));
  }

  it('sorts a part of the rows in place and leaves the others', () => {
    const rows = Uint32Array.from([9, 3, 2, 1, 0]);
    sortRows(rows.subarray(1, 4), (a, b) => a - b);
    expect([...rows]).to.deep.equal([9, 1, 2, 3, 0]);
  });

  it('sorted and reversed columns cost one comparison a row, others n log n', () => {
    const n = 4096;
    const comparisons = (key: (row: number) => number): number => {
      let count = 0;
      sortRows(allRows(n), (a, b) => {
        count++;
        return key(a) - key(b);
      });
      return count;
    };
    expect(comparisons((row) => row)).to.be.at.most(2 * n);
    expect(comparisons((row) => -row)).to.be.at.most(2 * n);
    // log2(4096) = 12 levels, and a pass to find the runs.
    expect(comparisons((row) => (row * 2654435761) % 4294967296)).to.be.at.most(14 * n);
  });
});

describe('groups of rows', () => {
  it('hold every row once, in order, under its own key', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 6 })), (keys) => {
        const { rows, first } = groupRows(allRows(keys.length), (row) => keys[row] ?? 0, 7);
        expect(first).to.have.length(8);
        for (let key = 0; key < 7; key++) {
          const group = [...rows.subarray(first[key], first[key + 1])];
          expect(group).to.deep.equal(keys.flatMap((k, row) => (k === key ? [row] : [])));
        }
      }),
    );
  });

  it('take part of the rows too', () => {
    const { rows, first } = groupRows([5, 3, 4], (row) => row % 2, 2);
    expect([...rows]).to.deep.equal([4, 5, 3]);
    expect([...first]).to.deep.equal([0, 1, 3]);
  });

  it('merge into one order, also when some are empty', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 20 })), { maxLength: 200 }), (cells) => {
        const compare = (a: number, b: number): number => (cells[a]?.[1] ?? 0) - (cells[b]?.[1] ?? 0) || a - b;
        const groups = groupRows(allRows(cells.length), (row) => cells[row]?.[0] ?? 0, 10);
        for (let key = 0; key < 10; key++) sortRows(groupAt(groups, key), compare);
        expect([...mergeGroups(groups, compare)]).to.deep.equal(cells.map((_, row) => row).sort(compare));
      }),
    );
  });
});
