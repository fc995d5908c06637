/** FBGEMM's formats for storage and transfer: lengths of rows by its sources, operations by hand. */
import { expect } from 'chai';
import { amount as amountOf, float, int } from '../../../support/amounts.js';
import { none, t, v } from '../../../support/calls.js';
import type { Arg } from '../../../../src/record/record.js';

const unspecified: Arg = { name: '', type: 'unknown' };
const amount = (op: string, ...args: readonly Arg[]): string | null =>
  amountOf({ mod: 'fbgemm', op, args, from: 'dispatcher' });
const bytes = (...shape: readonly number[]): Arg => t(shape, 'uint8');

describe('tensors quantised by FBGEMM', () => {
  const rows = t([10, 30]); // 300 elements, 1200 bytes

  it('to 8-bit floating point and back, with one exponent for all', () => {
    expect(amount('FloatToHFP8Quantized', rows, int(4), int(15), float(0.9375))).to.equal('main 600 1500'); // 2·300
    expect(amount('HFP8QuantizedToFloat', bytes(10, 30), int(4), int(15))).to.equal('main 300 1500');
    expect(amount('HFP8QuantizedToFloat', bytes(300), unspecified, unspecified)).to.equal('main 300 1500');
  });
  it('to 8-bit floating point by rows: filled up to 4 bytes, 8 bytes for the scale', () => {
    // 4·300; 1200 + 10·(32 + 8)
    expect(amount('FloatToFP8RowwiseQuantized', rows, v(true))).to.equal('main 1200 1600');
    expect(amount('FloatToFP8RowwiseQuantized', t([10, 30], 'float16'), unspecified)).to.equal('main 1200 1000');
    // 10·32 elements: 400 + 1280
    expect(amount('FP8RowwiseQuantizedToFloat', bytes(10, 40), v(true))).to.equal('main 320 1680');
    expect(amount('FP8RowwiseQuantizedToFloat', bytes(10, 40), v(true), int(5))).to.equal('main 320 1040');
    expect(amount('FP8RowwiseQuantizedToFloat', bytes(10, 40), unspecified, unspecified)).to.equal('main 320 na');
  });
  it('in padded blocks, whose padding is a value', () => {
    // two blocks of 16 and 8 bytes each: 1200 + 10·48
    expect(amount('FloatToPaddedFP8RowwiseQuantized', rows, v(true), int(16))).to.equal('main 1200 1680');
    expect(amount('FloatToPaddedFP8RowwiseQuantized', rows, v(true), unspecified)).to.equal('main 1200 na');
    const back = (...rest: readonly Arg[]): string | null =>
      amount('PaddedFP8RowwiseQuantizedToFloat', bytes(10, 48), v(true), int(16), ...rest);
    expect(back(int(30), int(0))).to.equal('main 300 1680'); // 480 + 1200
    expect(back(int(-1), int(0))).to.equal('main na na');
    expect(back()).to.equal('main na na');
  });
  it('to whole numbers of 8 bits, with scale and bias of each row', () => {
    expect(amount('FloatToFused8BitRowwiseQuantized', rows)).to.equal('main 1500 1600'); // 5·300
    expect(amount('FloatToFused8BitRowwiseQuantizedOut', bytes(10, 40), rows)).to.equal('main 1500 1600');
    expect(amount('Fused8BitRowwiseQuantizedToFloat', bytes(10, 40))).to.equal('main 640 1680'); // 2·320
    expect(amount('Fused8BitRowwiseQuantizedToHalf', bytes(10, 40))).to.equal('main 640 1040');
    expect(amount('Fused8BitRowwiseQuantizedToFloatOrHalf', bytes(10, 40), int(1))).to.equal('main 640 1040');
    // scale and bias of two bytes each: 36 elements, 2·360; 400 + 1440
    const narrow = amount('Fused8BitRowwiseQuantizedToFloatOrHalf', bytes(10, 40), int(0), v(true), v(false));
    expect(narrow).to.equal('main 720 1840');
  });
  it('to whole numbers of fewer bits, several to a byte', () => {
    // 30 elements of 4 bits in 15 bytes, 4 for scale and bias: 1200 + 190
    expect(amount('FloatToFusedNBitRowwiseQuantizedSBHalf', rows, int(4))).to.equal('main 1500 1390');
    expect(amount('FloatToFusedNBitRowwiseQuantizedSBHalf', rows, int(2))).to.equal('main 1500 1320'); // 8 + 4
    expect(amount('FloatToFusedNBitRowwiseQuantizedSBHalf', rows, unspecified)).to.equal('main 1500 na');
    // 15 bytes are 30 elements: 190 + 1200, in half precision 190 + 600
    expect(amount('FusedNBitRowwiseQuantizedSBHalfToFloat', bytes(10, 19), int(4))).to.equal('main 600 1390');
    const typed = amount('FusedNBitRowwiseQuantizedSBHalfToFloatOrHalf', bytes(10, 19), int(4), int(1), v(true));
    expect(typed).to.equal('main 600 790');
    expect(amount('FusedNBitRowwiseQuantizedSBHalfToHalf', bytes(10, 19), unspecified)).to.equal('main na na');
  });
  it('with the scales in a tensor of their own', () => {
    const half = t([10, 30], 'bfloat16');
    // 600 + 300 + 10·4, 30·4, 4
    expect(amount('quantize_fp8_per_row', half, none, none, none, v(false))).to.equal('main 1200 940');
    expect(amount('quantize_fp8_per_col', half, none, none)).to.equal('main 1200 1020');
    expect(amount('quantize_fp8_per_tensor', half, none, none, v(false))).to.equal('main 1200 904');
  });
  it('to bfloat16 and back', () => {
    expect(amount('FloatToBfloat16Quantized', rows)).to.equal('main 0 1800');
    expect(amount('Bfloat16QuantizedToFloat', t([10, 30], 'float16'))).to.equal('main 0 1800');
  });
});
