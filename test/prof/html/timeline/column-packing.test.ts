import { expect } from 'chai';
import { packColumn } from '../../../../src/prof/html/timeline/column-packing.js';
import { unpacked } from '../../../support/pages.js';

describe('packed numbers', () => {
  const cases: readonly (readonly [what: string, type: string, numbers: readonly number[]])[] = [
    ['none', 'u8', []],
    ['small ones', 'u8', [0, 255, 7]],
    ['above a byte', 'u16', [256, 65_535, 0]],
    ['above two bytes', 'u32', [65_536, 4_294_967_295]],
    ['above four bytes', 'f64', [4_294_967_296, 2 ** 53 - 1]],
    ['below zero', 'f64', [-1, 5]],
    ['with a fraction', 'f64', [0.5, 1e-300, 1e300]],
  ];
  for (const [what, type, numbers] of cases) {
    it(`${what}: ${type}, and the same when unpacked`, () => {
      const packed = packColumn(numbers);
      expect(packed).to.include({ type, length: numbers.length });
      expect(unpacked(packed)).to.deep.equal(numbers);
    });
  }

  it('that repeat take little room', () => {
    expect(packColumn(new Float64Array(100_000).fill(-1)).data.length).to.be.below(2000);
  });
});
