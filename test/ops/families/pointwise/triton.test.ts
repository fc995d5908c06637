import { expect } from 'chai';
import type { Arg, OpCall } from '../../../../src/record/record.js';
import { amount, int, workOf } from '../../../support/amounts.js';
import { t } from '../../../support/calls.js';
import { fileOf, rowsOf } from '../../../support/kineto.js';
import { itShared } from '../../../support/shared.js';

const fused = (op: string, ...args: readonly Arg[]): OpCall => ({ mod: 'torch', op, args, from: 'dispatcher' });
const half = (...shape: readonly number[]): Arg => t(shape, 'bfloat16');

describe('fused kernels of torch.compile', () => {
  it('read and write the first tensor where they write no other', () => {
    // 2·64 elements of 2 bytes twice, 64 once
    expect(amount(fused('triton_poi_fused_addmm_silu_2', half(2, 64), half(64), int(128)))).to.equal('main na 640');
    // Two loops: the bias is as long as the inner one, and shorter than both together.
    expect(amount(fused('triton_poi_fused_add_0', half(32, 64), half(64), int(32), int(64)))).to.equal('main na 8320');
    // A row norm in place, its weight longer than the number of rows
    const norm = fused('triton_per_fused_mul_pow_rsqrt_4', half(10, 64), half(64), int(10), int(64));
    expect(amount(norm)).to.equal('main na 2688'); // 2·1280 + 128
  });
  it('read and write each tensor once where the last one may be the result', () => {
    const sum = fused('triton_poi_fused_add_0', half(32, 64), half(64), half(32, 64), int(2048));
    expect(amount(sum)).to.equal('main na 8320'); // 4096 + 128 + 4096
    const means = fused('triton_red_fused_mean_3', t([8, 16]), t([8]), int(8), int(16));
    expect(amount(means)).to.equal('main na 544'); // 8·16·4 + 8·4
    const rows = fused('triton_red_fused_layer_norm_1', half(6, 37), half(37), half(6, 37), int(6), int(37));
    expect(amount(rows)).to.equal('main na 962'); // 444 + 74 + 444
    // Sizes that vary come before the number of iterations.
    const masks = [t([888], 'int32'), t([888], 'int64'), t([888], 'bool')];
    const masked = fused('triton_poi_fused_add_mul_0', ...masks, int(0), int(201088), int(0), int(888));
    expect(amount(masked)).to.equal('main na 11544'); // 888·(4 + 8 + 1)
  });
  it('are unknown where the name lists no op, unless all tensors have one size', () => {
    // A lookup of embeddings reads rows of a table, as vLLM compiles it.
    const lookup = fused('triton_poi_fused_0', t([32], 'int32'), half(201_088, 2880), half(32, 2880), int(92_160));
    expect(workOf(lookup)?.bytes).to.equal(null);
    expect(amount(fused('triton_poi_fused_1', half(8, 4), half(32), int(32)))).to.equal('main na 128');
  });
  it('are unknown where no tensor can be the result', () => {
    const work = workOf(fused('triton_poi_fused_add_0', half(8), half(4), int(2048)));
    expect(work?.bytes).to.equal(null);
    expect(work?.unknown).to.contain('it is unknown which tensor the kernel writes');
  });
  it('join tensors that have together the elements of the result', () => {
    const joined = fused('triton_poi_fused_cat_transpose_view_10', half(8, 6), half(2, 6), half(10, 6), int(60));
    expect(amount(joined)).to.equal('main na 240'); // 2·60·2
    const more = fused('triton_poi_fused_cat_mul_1', half(8, 6), half(6), half(10, 6), int(60));
    expect(amount(more)).to.equal('main na na');
  });
  it('move as many elements of a slice as the result has', () => {
    const moved = fused('triton_poi_fused__unsafe_view_clone_slice_transpose_11', half(10, 6), half(8, 6), int(48));
    expect(amount(moved)).to.equal('main na 192'); // 2·48·2
    const converted = fused('triton_poi_fused__to_copy_slice_3', t([10, 6]), half(8, 6), int(48));
    expect(amount(converted)).to.equal('main na 288'); // 48·(4 + 2)
    // Both halves of the input may be read for an element of the result.
    expect(amount(fused('triton_poi_fused_mul_silu_split_2', half(8, 12), half(8, 6), int(48)))).to.equal('main na na');
  });

  // By hand from the extents in the trace: [8192, 2432] and [666, 2432] joined to [2, 38, 4429, 64], of which
  // [2, 4096, 2432] and [2, 333, 2432] are taken; a bias and an activation in place of [2, 4096, 9728].
  const kernels = {
    triton_poi_fused__scaled_dot_product_flash_attention_cat_transpose_view_10: 2 * (8192 + 666) * 2432 * 2,
    triton_poi_fused__unsafe_view_clone_slice_transpose_11: 2 * 2 * 4096 * 2432 * 2,
    triton_poi_fused__unsafe_view_clone_slice_transpose_13: 2 * 2 * 333 * 2432 * 2,
    triton_poi_fused_addmm_gelu_view_15: 2 * 2 * 4096 * 9728 * 2 + 9728 * 2,
    triton_per_fused__to_copy_add_addmm_mean_mul_pow_rsqrt_transpose_view_8: (2 * 8192 * 2432 + 2432 + 64) * 2,
  };
  itShared('of a real trace have the bytes that follow by hand', [fileOf('mi300_sd35_compiled')], async () => {
    const rows = await rowsOf('mi300_sd35_compiled');
    for (const [name, bytes] of Object.entries(kernels)) {
      const found = rows.filter(({ record }) => record.name === name);
      expect([...new Set(found.map((row) => row.bytes))], name).to.deep.equal([bytes]);
      for (const { placement } of found) expect(placement.memoryShare, name).to.be.below(100);
    }
  });
});
