import { expect } from 'chai';
import fc from 'fast-check';
import { ChunkSpace, NarrowColumn, type CellFile, type NumberArray } from '../../src/containers/numeric-column.js';
import { propertyRuns } from '../support/property-runs.js';

/** What widths end at, and what fits none but the widest. */
const EDGES = [0, 1, 254, 255, 256, 2 ** 16, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1, 2 ** 32, -1, -(2 ** 31), -(2 ** 31) - 1, 0.5, 2 ** 53, NaN, Infinity, -Infinity]; // prettier-ignore

/** A file in memory, with room for a number of bytes. */
class Bytes implements CellFile {
  readonly #pieces = new Map<number, NumberArray>();
  #size = 0;
  written = 0;

  constructor(private readonly room = Infinity) {}

  write(cells: NumberArray, place: number | null): number | null {
    if (place === null && this.#size + cells.byteLength > this.room) return null;
    const at = place ?? this.#size;
    if (place === null) this.#size += cells.byteLength;
    this.#pieces.set(at, cells.slice());
    this.written++;
    return at;
  }

  read(cells: NumberArray, place: number): void {
    cells.set(this.#pieces.get(place) ?? expect.fail(`nothing at ${place}`));
  }
}

/** A column of which only so many bytes are in memory. */
function waiting(column: NarrowColumn, most = 0, file: CellFile = new Bytes()): NarrowColumn {
  column.waitIn(new ChunkSpace(file, most));
  return column;
}

const COLUMNS = [
  { of: 'counts', make: () => NarrowColumn.counts(), unknown: 0 },
  { of: 'ids', make: () => NarrowColumn.ids(), unknown: NaN },
  { of: 'times', make: () => NarrowColumn.times(), unknown: NaN },
  { of: 'counts in a file', make: () => waiting(NarrowColumn.counts()), unknown: 0 },
  { of: 'ids in a file', make: () => waiting(NarrowColumn.ids(), 12_000), unknown: NaN },
  { of: 'times in a file that is soon full', make: () => waiting(NarrowColumn.times(), 0, new Bytes(16_384)), unknown: NaN }, // prettier-ignore
] as const;

describe('narrow column', () => {
  for (const { of, make, unknown } of COLUMNS) {
    it(`of ${of} holds what was pushed, whatever came before and after, over any number of growths`, () => {
      const value = fc.oneof({ weight: 20, arbitrary: fc.nat({ max: 260 }) }, fc.constantFrom(...EDGES), fc.integer());
      fc.assert(
        fc.property(fc.array(value, { maxLength: 9000, size: 'max' }), (values) => {
          const column = make();
          for (const one of values) column.push(one);
          const kept = values.map((one) => (Number.isNaN(one) ? unknown : one));
          expect(column.length).to.equal(values.length);
          expect([...column]).to.deep.equal(kept);
          expect(column.at(values.length)).to.be.NaN;
        }),
        { numRuns: propertyRuns(50) },
      );
    });

    it(`of ${of} replaces and moves what it holds`, () => {
      const value = fc.oneof({ weight: 20, arbitrary: fc.nat({ max: 260 }) }, fc.constantFrom(...EDGES));
      const change = fc.tuple(fc.nat({ max: 4999 }), value);
      fc.assert(
        fc.property(fc.array(change, { maxLength: 50 }), fc.integer(), (changes, by) => {
          const column = make();
          const values = Array.from({ length: 4500 }, (_, row) => row * 3);
          for (const one of values) column.push(one);
          for (const [row, one] of changes) {
            column.set(row, one);
            if (row < 4500) values[row] = Number.isNaN(one) ? unknown : one;
          }
          column.shift(by);
          expect([...column]).to.deep.equal(values.map((one) => one - by));
        }),
        { numRuns: propertyRuns(20) },
      );
    });
  }

  it('takes 4 bytes for a time, and 2 for an id, while those of 4,096 rows are near each other', () => {
    const [times, ids] = [NarrowColumn.times(), NarrowColumn.ids()];
    const before = process.memoryUsage().arrayBuffers;
    // A chunk begins in the middle of its width: 4,096 times of 500 us are within 2.147 s after the first.
    for (let row = 0; row < 2 ** 20; row++) times.push(1e15 + row * 500_000);
    for (let row = 0; row < 2 ** 20; row++) ids.push(1e9 + row);
    const bytes = process.memoryUsage().arrayBuffers - before;
    // Room for what other tests still hold; as doubles they would take 16 MiB.
    expect(bytes).to.be.below(9 * 2 ** 20);
    expect([times.at(0), times.at(2 ** 20 - 1), ids.at(4096)]).to.deep.equal([1e15, 1e15 + (2 ** 20 - 1) * 500_000, 1e9 + 4096]); // prettier-ignore
  });

  it('holds no more bytes than its space, and writes a chunk again only after a change', () => {
    const file = new Bytes();
    const column = waiting(NarrowColumn.times(), 2 * 16_384, file);
    const before = process.memoryUsage().arrayBuffers;
    for (let row = 0; row < 2 ** 20; row++) column.push(row);
    // 256 chunks are full; the last two stay.
    expect(file.written).to.equal(254);
    for (const row of [0, 2 ** 19, 4095, 2 ** 20 - 1]) expect(column.at(row)).to.equal(row);
    // The chunks of the first two of these rows were read in place of the last two, which were still to be written.
    expect(file.written).to.equal(256);
    column.set(1, 77);
    for (let row = 2 ** 19; row < 2 ** 20; row += 4096) expect(column.at(row)).to.equal(row);
    expect(file.written).to.equal(257);
    expect([column.at(0), column.at(1), column.at(2)]).to.deep.equal([0, 77, 2]);
    // The file of this test is in memory too: 4 MiB.
    expect(process.memoryUsage().arrayBuffers - before).to.be.below(5 * 2 ** 20);
    const others = column.otherTimes();
    for (let row = 0; row < 3 * 4096; row++) others.push(-row);
    expect([others.at(5), column.at(5), file.written]).to.deep.equal([-5, 5, 260]);
  });
});
