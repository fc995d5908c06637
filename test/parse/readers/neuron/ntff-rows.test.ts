import { expect } from 'chai';
import fc from 'fast-check';
import {
  DeviceRows,
  rankOf,
  rankWithin,
  ROW_DOUBLES,
  ROW_WORDS,
} from '../../../../src/parse/readers/neuron/ntff/rows.js';
import { propertyRuns } from '../../../support/property-runs.js';

/** Start and duration in ps, rank, detail, value, and the ordinal. */
type Row = readonly [start: number, duration: number, rank: number, detail: number, value: number, ordinal: number];

function inOrder(rows: readonly Row[]): Row[] {
  const device = new DeviceRows(1);
  for (const row of rows) device.add(...row);
  const cursor = device.inOrder();
  const found: Row[] = [];
  while (cursor.next()) {
    const { doubles, words } = cursor.view;
    const [double, word] = [cursor.row * ROW_DOUBLES, cursor.row * ROW_WORDS];
    const cell = (i: number): number => words[word + i] ?? NaN;
    found.push([doubles[double] ?? NaN, doubles[double + 1] ?? NaN, cell(4), cell(5), cell(6), cell(7)]);
  }
  return found;
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

const dropStart = ([, ...others]: Row): [number, number, number, number, number] => others;

/** Starts that collide, that lie within a second, and that lie hours apart. */
const starts = fc.oneof(fc.nat(5000), fc.nat(1e12), fc.nat(2 ** 52));
const ranks = fc.tuple(fc.nat(2), fc.nat(65535), fc.nat(255), fc.nat(15)).map(([kind, device, stream, queue]) => rankOf(kind, device) | rankWithin(stream, queue)).map((rank) => rank >>> 0); // prettier-ignore
const cells = fc.tuple(starts, fc.nat(3000), fc.oneof(ranks, fc.constant(0)), fc.nat(2), fc.nat(2));
const lists = fc.array(cells, { maxLength: 200 }).map((list) => list.map((row, ordinal): Row => [...row, ordinal]));

describe('rows of a device trace', () => {
  it('come in order', () => {
    fc.assert(
      fc.property(lists, (rows) => {
        expect(inOrder(rows)).to.deep.equal(sorted(rows));
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  it('come in order when very many have one start', () => {
    const rows = Array.from({ length: 3000 }, (_, i): Row => [5000 + (i % 3), 0, (i * 7919) % 97, 0, 0, i]);
    expect(inOrder(rows)).to.deep.equal(sorted(rows));
  });

  /** Rows of several engines, one after the other, each nearly in time order: one in `late` ends long after it began. */
  function engines(count: number, rowsOf: number, late: number): Row[] {
    return Array.from({ length: count * rowsOf }, (_, i): Row => {
      const [engine, at] = [Math.floor(i / rowsOf), i % rowsOf];
      const start = at * 5000 - (at % late === 0 ? Math.min(at, 40) * 5000 : 0) + ((i * 7919) % 1009);
      return [start, (i * 31) % 4000, rankOf(1, 0) | rankWithin(engine, at % 3), at % 2, i % 5, i];
    });
  }

  const orders: Readonly<Record<string, Row[]>> = {
    'in order': engines(1, 5000, 1e9),
    'nearly in order, engine after engine': engines(5, 2500, 17),
    'of many engines with few rows each': engines(300, 20, 7),
    'in reverse': engines(1, 5000, 1e9).map((row, i): Row => [(5000 - i) * 3000, ...dropStart(row)]),
    'at random': engines(1, 5000, 1e9).map((row, i): Row => [Math.imul(i, 0x9e3779b1) >>> 0, ...dropStart(row)]),
    'of two engines in turn, hours apart': engines(1, 5000, 1e9).map((row, i): Row => [(i % 2) * 9e15 + i * 1000, ...dropStart(row)]), // prettier-ignore
    'all of one start': engines(1, 5000, 1e9).map((row): Row => [7000, ...dropStart(row)]),
    'equal rows': Array.from({ length: 5000 }, (_, i): Row => [7000, 0, 0, 0, 0, i]),
  };
  for (const [what, rows] of Object.entries(orders)) {
    it(`come in order: ${what}`, () => {
      expect(inOrder(rows)).to.deep.equal(sorted(rows));
    });
  }
});
