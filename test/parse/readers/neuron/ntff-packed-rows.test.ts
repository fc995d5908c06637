import { expect } from 'chai';
import fc from 'fast-check';
import { MAX_PACKED, packRows, SLACK, unpackRows } from '../../../../src/parse/readers/neuron/ntff/rows/packed-rows.js';
import { ROW_BYTES, ROW_DOUBLES, ROW_WORDS, viewRows } from '../../../../src/parse/readers/neuron/ntff/rows/rows.js';

/** Start, duration, rank, detail, value, rest. */
type Row = readonly [number, number, number, number, number, number];

/** Packs rows at an odd offset and unpacks them again. */
function packed(rows: readonly Row[]): { length: number; found: number[][] } {
  const view = viewRows(new ArrayBuffer(rows.length * ROW_BYTES));
  rows.forEach(([start, duration, ...words], i) => {
    view.doubles.set([start, duration], i * ROW_DOUBLES);
    view.words.set(words, i * ROW_WORDS + 4);
  });
  const offset = 3;
  const bytes = new DataView(new ArrayBuffer(offset + rows.length * MAX_PACKED + SLACK));
  const order = Uint32Array.from(rows, (_, i) => i);
  const end = packRows(view, order, 0, rows.length, bytes, offset);
  // What follows packed rows is of no account.
  new Uint8Array(bytes.buffer, end).fill(0xff);
  const back = viewRows(new ArrayBuffer(rows.length * ROW_BYTES));
  unpackRows(new DataView(bytes.buffer, offset), rows.length, back);
  const found = rows.map((_, i) => [
    ...back.doubles.subarray(i * ROW_DOUBLES, i * ROW_DOUBLES + 2),
    ...back.words.subarray(i * ROW_WORDS + 4, (i + 1) * ROW_WORDS),
  ]);
  return { length: end - offset, found };
}

const word = fc.oneof(
  fc.constant(0),
  ...[8, 16, 24, 32].flatMap((bits) => [fc.nat(255), fc.constant(2 ** bits - 1), fc.constant(2 ** (bits % 32))]),
);
const times = fc.oneof(word, fc.nat(2 ** 31 - 1), fc.maxSafeNat(), fc.constant(2 ** 32));
const rows = fc.array(fc.tuple(times, fc.oneof(times, fc.constant(-1)), word, word, word, word), { maxLength: 50 });

describe('packed rows of a device trace', () => {
  it('come back as they were, whatever their order', () => {
    fc.assert(
      fc.property(rows, (list) => {
        const { length, found } = packed(list);
        expect(found).to.deep.equal(list);
        expect(length).to.be.at.most(list.length * MAX_PACKED);
      }),
    );
  });

  it('take the bytes that their cells need', () => {
    const { length, found } = packed([
      [1_000_000, 2_000, 0x1013, 4096, 0xffff, 0], // 2 and 3 + 2 + 2 + 2 + 2 + 0
      [1_000_500, 70_000, 0x1013, 4096, 0, 0x12345678], // 2 and 2 + 3 + 0 + 0 + 0 + 4
      [1_000_400, -1, 0x1013, 4097, 0, 0], // 2 and 8 + 8 + 0 + 2 + 0 + 0
    ]);
    expect(length).to.equal(13 + 11 + 20);
    expect(found[2]).to.deep.equal([1_000_400, -1, 0x1013, 4097, 0, 0]);
  });
});
