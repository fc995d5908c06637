import { expect } from 'chai';
import type { Arg } from '../../../../src/record/record.js';
import { amount, int, workOf } from '../../../support/amounts.js';
import { aten, none, t, v } from '../../../support/calls.js';

const unspecified: Arg = { name: '', type: 'unknown' };
const ELSE = [v([2, 2]), v([1, 1]), v([1, 1]), v(false)];

describe('pooling as the dispatcher runs it', () => {
  const input = t([10, 64, 112, 112], 'bfloat16'); // 8028160 elements, 16056320 bytes
  const result = t([10, 64, 56, 56], 'bfloat16'); // 2007040 elements, 4014080 bytes
  const positions = t([10, 64, 56, 56], 'int64'); // 16056320 bytes

  it('maxima: one operation per window element, backward one per gradient', () => {
    const forward = aten('max_pool2d_with_indices', input, v([3, 3]), ...ELSE);
    expect(amount(forward)).to.equal('main 18063360 36126720'); // 9·2007040
    const back = aten('max_pool2d_with_indices_backward', result, input, v([3, 3]), ...ELSE, positions);
    expect(amount(back)).to.equal('main 2007040 36126720');
    const old = aten(
      'max_pool2d_with_indices_backward',
      result,
      input,
      unspecified,
      unspecified,
      unspecified,
      unspecified,
      unspecified,
      positions,
    );
    expect(amount(old)).to.equal('main 2007040 36126720');
    expect(amount(aten('adaptive_max_pool2d_backward', result, input, positions))).to.equal('main 2007040 36126720');
  });
  it('says when the window is unspecified', () => {
    const old = aten('max_pool2d_with_indices', input, unspecified, unspecified, unspecified, unspecified, unspecified);
    expect(amount(old)).to.equal('main na na');
    expect(workOf(old)?.unknown).to.equal('the size of the window is unspecified');
    const back = aten(
      'avg_pool2d_backward',
      result,
      input,
      unspecified,
      unspecified,
      unspecified,
      unspecified,
      unspecified,
      none,
    );
    expect(amount(back)).to.equal('main na 20070400'); // 4014080 + 16056320
    expect(amount(aten('fractional_max_pool2d', input, unspecified, unspecified, t([10, 64, 2])))).to.equal(
      'main na na',
    );
    expect(amount(aten('max_unpool2d', result, positions, unspecified))).to.equal('main 0 na');
  });
  it('averages: backward one addition per window element', () => {
    const back = aten('avg_pool2d_backward', result, input, v([2, 2]), v([2, 2]), v([0, 0]), v(false), v(true), none);
    expect(amount(back)).to.equal('main 8028160 20070400'); // 4·2007040
    const one = t([10, 64, 1, 1], 'bfloat16'); // 1280 bytes
    expect(amount(aten('_adaptive_avg_pool2d', input, v([1, 1])))).to.equal('main 8028160 16057600');
    expect(amount(aten('_adaptive_avg_pool2d_backward', one, input))).to.equal('main 8028160 16057600');
  });
  it('fractional windows and the way back from maxima', () => {
    const samples = t([10, 64, 2]); // 5120 bytes
    const fractional = aten('fractional_max_pool2d', input, v([2, 2]), v([56, 56]), samples);
    expect(amount(fractional)).to.equal('main 8028160 36131840');
    expect(amount(aten('max_unpool2d', result, positions, v([112, 112])))).to.equal('main 0 36126720');
  });
});

describe('interpolation', () => {
  const x = t([2, 3, 8, 8]); // 384 elements, 1536 bytes
  const y = t([2, 3, 16, 16]); // 1536 elements, 6144 bytes
  const size = v([16, 16]);

  it('nearest: nothing is computed, only what is in the result is read', () => {
    expect(amount(aten('upsample_nearest2d', x, size, none, none))).to.equal('main 0 7680');
    expect(amount(aten('upsample_nearest2d', x, none, v([2, 2])))).to.equal('main 0 7680'); // scales in a list
    expect(amount(aten('upsample_nearest2d', y, v([8, 8]), none, none))).to.equal('main 0 3072');
    expect(amount(aten('upsample_nearest2d_backward', y, size, v([2, 3, 8, 8]), none, none))).to.equal(
      'main 1536 7680',
    );
    expect(amount(aten('upsample_nearest2d', x, unspecified, unspecified, unspecified))).to.equal('main 0 na');
    // an out form gives the result
    expect(amount(aten('upsample_nearest2d', x, unspecified, unspecified, unspecified, y))).to.equal('main 0 7680');
  });
  it('linear and cubic: 2k − 1 for each line of k values', () => {
    const smooth = (op: string, ...more: readonly Arg[]): string | null => amount(aten(op, x, size, v(false), ...more));
    expect(smooth('upsample_bilinear2d', none, none)).to.equal('main 13824 7680'); // (2 + 1)·3·1536
    expect(smooth('upsample_bilinear2d', none)).to.equal('main 13824 7680');
    expect(smooth('upsample_bicubic2d', none, none)).to.equal('main 53760 7680'); // (4 + 1)·7·1536
    const line = aten('upsample_linear1d', t([2, 3, 8]), v([16]), v(false), none);
    expect(amount(line)).to.equal('main 288 576'); // 3·96; 4·(48 + 96)
    // from 16 to 8 each window has 2·2 values each way: 2·16·384
    expect(amount(aten('_upsample_bilinear2d_aa', y, v([8, 8]), v(false), none, none))).to.equal('main 12288 7680');
    const back = aten('upsample_bilinear2d_backward', y, size, v([2, 3, 8, 8]), v(false), none, none);
    expect(amount(back)).to.equal('main 12288 7680'); // 2·4·1536
    const unspecifiedBack = aten(
      'upsample_bilinear2d_backward',
      y,
      unspecified,
      unspecified,
      unspecified,
      unspecified,
      unspecified,
    );
    expect(amount(unspecifiedBack)).to.equal('main 12288 na');
    expect(smooth('upsample_bilinear2d', none, none, y)).to.equal('main 13824 7680');
  });
  it('at given places: two operations per value, and the places', () => {
    const grid = t([2, 4, 4, 2]); // 256 bytes, 32 places
    // 2·4·96 + 32·(4·2 + 4); 1536 + 256 + 384
    const forward = aten('grid_sampler_2d', x, grid, int(0), int(0), v(false));
    expect(amount(forward)).to.equal('main 1152 2176');
    const z = t([2, 3, 4, 4]); // 384 bytes
    const back = aten('grid_sampler_2d_backward', z, x, grid, int(0), int(0), v(false), v([true, true]));
    expect(amount(back)).to.equal('main 2688 3968'); // (8 + 16)·96 + 384; 384 + 1536 + 256 + 1536 + 256
  });
  it('patches are moved, and added when they are put together', () => {
    // 3·9 rows of 6·6 positions, twice: 1944 elements, 7776 bytes
    const patches = aten('im2col', x, v([3, 3]), v([1, 1]), v([0, 0]), v([1, 1]));
    expect(amount(patches)).to.equal('main 0 9312');
    // dilated by 2, padded by 2, every second place: floor((8 + 4 - 4 - 1) / 2) + 1 = 4 each way; 2·27·16·4 + 1536
    const dilated = aten('im2col', x, v([3, 3]), v([2, 2]), v([2, 2]), v([2, 2]));
    expect(amount(dilated)).to.equal('main 0 4992');
    const image = aten('col2im', t([2, 27, 36]), v([8, 8]), v([3, 3]), v([1, 1]), v([0, 0]), v([1, 1]));
    expect(amount(image)).to.equal('main 1944 9312');
    expect(amount(aten('pixel_shuffle', t([2, 4, 8, 8]), int(2)))).to.equal('main 0 4096');
    expect(amount(aten('im2col', x, unspecified, unspecified, unspecified, unspecified))).to.equal('main 0 na');
    expect(
      amount(aten('col2im', t([2, 27, 36]), unspecified, unspecified, unspecified, unspecified, unspecified)),
    ).to.equal('main 1944 na');
  });
});
