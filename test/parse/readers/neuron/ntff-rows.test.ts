import { expect } from 'chai';
import fc from 'fast-check';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { RowChunks } from '../../../../src/parse/readers/neuron/ntff/row-chunks.js';
import { rankOf, rankWithin, ROW_DOUBLES, ROW_WORDS } from '../../../../src/parse/readers/neuron/ntff/rows.js';

/** Start and duration in ps, rank, detail, value, and the ordinal. */
type Row = readonly [start: number, duration: number, rank: number, detail: number, value: number, ordinal: number];

function throughChunks(rows: readonly Row[], chunkRows: number): Row[] {
  const chunks = new RowChunks(1, chunkRows);
  try {
    for (const row of rows) chunks.add(...row);
    const cursor = chunks.inOrder();
    const found: Row[] = [];
    while (cursor.next()) {
      const { doubles, words } = cursor.view;
      const [double, word] = [cursor.row * ROW_DOUBLES, cursor.row * ROW_WORDS];
      const cell = (i: number): number => words[word + i] ?? NaN;
      found.push([doubles[double] ?? NaN, doubles[double + 1] ?? NaN, cell(4), cell(5), cell(6), cell(7)]);
    }
    return found;
  } finally {
    chunks.dispose();
  }
}

/** By what records show: start and duration in whole nanoseconds. */
function sorted(rows: readonly Row[]): Row[] {
  const keys = ([start, duration, rank, detail, value, ordinal]: Row): number[] => [
    Math.floor(start / 1000),
    rank,
    Math.floor(duration / 1000),
    detail,
    value,
    ordinal,
  ];
  return rows.toSorted((a, b) => {
    const [left, right] = [keys(a), keys(b)];
    return left.map((key, i) => key - (right[i] ?? 0)).find((difference) => difference !== 0) ?? 0;
  });
}

/** Starts that collide, that lie within a second, and that lie hours apart. */
const starts = fc.oneof(fc.nat(5000), fc.nat(1e12), fc.nat(2 ** 52));
const ranks = fc.tuple(fc.nat(2), fc.nat(65535), fc.nat(255), fc.nat(15)).map(([kind, device, stream, queue]) => rankOf(kind, device) | rankWithin(stream, queue)).map((rank) => rank >>> 0); // prettier-ignore
const cells = fc.tuple(starts, fc.nat(3000), fc.oneof(ranks, fc.constant(0)), fc.nat(2), fc.nat(2));
const lists = fc.array(cells, { maxLength: 200 }).map((list) => list.map((row, ordinal): Row => [...row, ordinal]));

const temporary = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('dparse-rows-'));

describe('rows of a device trace', () => {
  for (const chunkRows of [1000, 7, 1]) {
    it(`come in order, ${chunkRows} held at a time`, () => {
      fc.assert(
        fc.property(lists, (rows) => {
          expect(throughChunks(rows, chunkRows)).to.deep.equal(sorted(rows));
        }),
        { numRuns: 50 },
      );
    });
  }

  it('come in order when very many have one start', () => {
    const rows = Array.from({ length: 3000 }, (_, i): Row => [5000 + (i % 3), 0, (i * 7919) % 97, 0, 0, i]);
    expect(throughChunks(rows, 10_000)).to.deep.equal(sorted(rows));
    expect(throughChunks(rows, 100)).to.deep.equal(sorted(rows));
  });

  it('leave no temporary file behind, not even while they are read', () => {
    const before = temporary();
    const chunks = new RowChunks(1, 2);
    for (let i = 0; i < 9; i++) chunks.add(i, 0, 0, 0, 0, 0);
    const cursor = chunks.inOrder();
    expect(cursor.next()).to.equal(true);
    expect(temporary()).to.deep.equal(before);
    chunks.dispose();
    chunks.dispose();
    expect(temporary()).to.deep.equal(before);
  });
});
