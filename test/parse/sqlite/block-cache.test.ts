import { expect } from 'chai';
import fc from 'fast-check';
import { cachedCells } from '../../../src/parse/sqlite/block-cache.js';
import type { Cell } from '../../../src/parse/sqlite/sqlite.js';

/** A table of cells that counts how it is read. */
function table(cells: ReadonlyMap<number, Cell>) {
  const reads = { one: 0, block: 0 };
  return {
    reads,
    one: (rowid: number): Cell => {
      reads.one++;
      return cells.get(rowid) ?? null;
    },
    block: (from: number, to: number): [number, Cell][] => {
      reads.block++;
      return [...cells].filter(([rowid]) => rowid >= from && rowid <= to);
    },
  };
}

describe('readAhead', () => {
  it('gives what single look-ups give, for any rowids in any order', () => {
    const rowids = fc.integer({ min: -200, max: 400 });
    fc.assert(
      fc.property(fc.uniqueArray(rowids), fc.array(rowids, { maxLength: 60 }), (present, asked) => {
        const cells = new Map(present.map((rowid): [number, Cell] => [rowid, `text ${rowid}`]));
        const get = cachedCells(table(cells));
        for (const rowid of asked) expect(get(rowid)).to.equal(cells.get(rowid) ?? null);
      }),
    );
  });

  it('reads rows in order a block at a time', () => {
    const source = table(new Map());
    const get = cachedCells(source);
    for (let rowid = 0; rowid < 640; rowid++) get(rowid);
    expect(source.reads).to.deep.equal({ one: 0, block: 10 });
  });

  it('gives up where neighbours are not asked for', () => {
    const source = table(new Map());
    const get = cachedCells(source);
    for (let i = 0; i < 10_000; i++) get((i * 7919) % 1_000_000);
    expect(source.reads.block).to.be.lessThan(1000);
    expect(source.reads.one).to.be.greaterThan(9000);
  });

  it('knows nothing without a table', () => {
    expect(cachedCells(null)(1)).to.equal(null);
  });
});
