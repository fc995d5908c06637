/** Positions of arguments: overloads and versions of an op, distinguished by the number and kinds of their arguments. */
import { expect } from 'chai';
import { amount, float, int, workOf } from '../support/amounts.js';
import { aten, none, t, ts, v } from '../support/calls.js';
import type { Arg, OpCall } from '../../src/record/record.js';

const list = (...value: number[]): Arg => ({ name: '', type: 'list', value });
const unspecified: Arg = { name: '', type: 'unknown' };
const of = (mod: string, op: string, ...args: readonly Arg[]): OpCall => ({ mod, op, args, from: 'dispatcher' });
const x = t([3, 4]);

describe('positions of arguments', () => {
  it('take a type from behind a device in one form of `to` alone', () => {
    // to(self, device, dtype, non_blocking, copy, memory_format): 12 elements of 4 and of 2 bytes
    expect(amount(aten('to', x, none, int(5), v(false), v(false), none))).to.equal('main 0 72');
    // to(self, dtype, layout, device, pin_memory, non_blocking, copy, memory_format): the layout 0 is no type
    const byLayout = aten('to', x, none, int(0), none, none, v(false), v(false), none);
    expect(amount(byLayout)).to.equal('main 0 96');
    expect(amount(aten('_to_copy', x, none, int(0), none, none, v(false), none))).to.equal('main 0 96');
  });
  it('distinguish indices from repeats', () => {
    // repeat_interleave(repeats, output_size): 5 int64 read, 12 written
    expect(amount(aten('repeat_interleave', t([5], 'int64'), int(12)))).to.equal('main 0 136');
    expect(amount(aten('repeat_interleave', t([5], 'int64')))).to.equal('main 0 na');
    // repeat_interleave(self, repeats, dim, output_size): 12 elements read, 3·2·4 written
    expect(amount(aten('repeat_interleave', x, int(2), int(0), none))).to.equal('main 0 144');
    expect(amount(aten('repeat_interleave', x, int(2), none, none))).to.equal('main 0 144');
    const counts = t([3], 'int64');
    expect(amount(aten('repeat_interleave', x, counts, int(0), int(7)))).to.equal('main 0 160'); // 48 + 7·4·4
    expect(amount(aten('repeat_interleave', x, counts, int(0), none))).to.equal('main 0 na');
    expect(amount(aten('repeat_interleave', x, int(2), int(5), none))).to.equal('main 0 na');
  });
  it('take the type of a permutation with and without a generator', () => {
    expect(amount(aten('randperm', int(10), int(3), none, none, none))).to.equal('main 30 40'); // int32
    expect(amount(aten('randperm', int(10), none, int(3), none, none, none))).to.equal('main 30 40');
    expect(amount(aten('randperm', int(10), none, none, none, none))).to.equal('main 30 80');
    expect(amount(aten('randperm', int(10), none, t([10], 'int32')))).to.equal('main 30 40');
  });
  it('take the type of a filled tensor from where it is written to', () => {
    expect(amount(aten('zeros', list(4), t([4], 'float16')))).to.equal('main 0 8');
  });
  it('have as many scales as there are dimensions', () => {
    const gradient = t([1, 2, 4, 4]);
    const sizes = [list(4, 4), list(1, 2, 2, 2)];
    // 32 gradients with 2·4 operations; 128 bytes read, 32 written
    const expected = 'main 256 160';
    expect(amount(aten('upsample_bilinear2d_backward', gradient, ...sizes, v(false), none, none))).to.equal(expected);
    const out = t([1, 2, 2, 2]);
    expect(amount(aten('upsample_bilinear2d_backward', gradient, ...sizes, v(false), none, none, out))).to.equal(
      expected,
    );
    expect(amount(aten('upsample_bilinear2d_backward', gradient, ...sizes, v(false), list(2, 2)))).to.equal(expected);
    expect(
      amount(aten('upsample_nearest1d_backward', t([1, 2, 4]), list(4), list(1, 2, 2), none, t([1, 2, 2]))),
    ).to.equal('main 8 48');
  });
  it('know older orders', () => {
    const [rows, weight] = [t([8, 16]), t([16])];
    const forward = 'main 640 1216'; // 128·5; 512 + 2·64 + 512 + 2·8·4
    expect(amount(aten('native_layer_norm', rows, list(16), weight, weight, float(1e-5)))).to.equal(forward);
    expect(amount(aten('native_layer_norm', rows, weight, weight, int(8), int(16), float(1e-5)))).to.equal(forward);
    const [stat, mask] = [t([8]), v([true, true, true])];
    const now = aten('native_layer_norm_backward', rows, rows, list(16), stat, stat, weight, weight, mask);
    const then = aten('native_layer_norm_backward', rows, rows, stat, stat, weight, int(8), int(16), mask);
    expect(amount(then)).to.equal(amount(now));
    const index = t([6], 'int64');
    const bag = [int(100), v(false), int(0), none];
    const gradient = aten(
      '_embedding_bag_dense_backward',
      t([2, 8]),
      index,
      index,
      t([2], 'int64'),
      t([0]),
      ...bag,
      int(-1),
    );
    const older = aten(
      '_embedding_bag_dense_backward',
      t([2, 8]),
      index,
      t([2], 'int64'),
      index,
      t([2], 'int64'),
      t([0]),
      ...bag,
    );
    expect(amount(older)).to.equal(amount(gradient));
    expect(amount(aten('_weight_norm_cuda_interface', t([8, 16]), t([8, 1]), int(0)))).to.equal('main 384 1088');
    expect(amount(aten('_s_where', t([3, 4], 'bool'), x, x))).to.equal('main 0 156');
    expect(amount(aten('_index_copy_', t([755000]), int(0), t([1024], 'int64'), t([1024])))).to.equal('main 0 16384');
    // the gradient of one is the other
    const columns = [list(2, 2), list(1, 1), list(0, 0), list(2, 2)];
    expect(amount(aten('col2im_backward', t([1, 3, 4, 4]), ...columns))).to.equal(
      amount(aten('im2col', t([1, 3, 4, 4]), ...columns)),
    );
    expect(amount(aten('im2col_backward', t([1, 12, 4]), list(4, 4), ...columns))).to.equal(
      amount(aten('col2im', t([1, 12, 4]), list(4, 4), ...columns)),
    );
  });
  it('know attention on scaled operands, and into a given result', () => {
    const heads = t([1, 2, 64, 32], 'float8_e4m3fn');
    const scales = [t([1, 2]), t([1, 2]), t([1, 2])];
    const flops = 2 * 2 * 64 * 64 * (32 + 32);
    const scaled = aten(
      '_scaled_dot_product_flash_attention',
      heads,
      heads,
      heads,
      ...scales,
      float(0),
      v(true),
      v(false),
      none,
    );
    expect(workOf(scaled)?.flops).to.equal(flops);
    const q = t([1, 64, 2, 32], 'bfloat16');
    const packed = [none, none, int(64), int(64), float(0), v(true), v(false)];
    const plain = aten('_flash_attention_forward', q, q, q, ...packed, none, none, none, none, none, none);
    expect(workOf(plain)?.flops).to.equal(flops);
    expect(
      workOf(aten('_flash_attention_forward', q, q, q, ...packed, ...scales, none, none, none, none, none))?.flops,
    ).to.equal(flops);
    const into = aten(
      '_flash_attention_forward_no_dropout_inplace',
      q,
      q,
      q,
      q,
      ...packed,
      none,
      none,
      none,
      none,
      none,
      none,
    );
    expect(amount(into)).to.equal(amount(plain));
  });
  it('know who writes the experts of a token', () => {
    const [weights, ids, gating] = [t([8, 2]), t([8, 2], 'int32'), t([8, 64])];
    expect(amount(of('_moe_C', 'topk_softmax', weights, ids, ids, gating))).to.equal('main 2560 2240'); // 512·5; 2048 + 3·64
    expect(amount(of('sgl_kernel', 'topk_softmax', weights, ids, gating, v(true)))).to.equal('main 2560 2176');
  });
});

describe('tensor lists with arguments behind them', () => {
  const tensors = ts(t([8, 4]), t([4])); // 36 elements
  it('do not take an unspecified number for a list', () => {
    expect(amount(aten('_foreach_norm', tensors, unspecified, unspecified))).to.equal('main 74 152');
    expect(amount(aten('_foreach_copy_', tensors, tensors, unspecified))).to.equal('main 0 288');
    expect(amount(aten('_foreach_add_', tensors, tensors, unspecified))).to.equal('main 36 432');
    expect(amount(aten('_foreach_mul_', tensors, unspecified))).to.equal('main 36 na');
  });
  it('have the exponents second where one number is raised', () => {
    expect(amount(aten('_foreach_pow', float(0.9), tensors))).to.equal('main 36 288');
  });
  it('are copied', () => {
    expect(amount(aten('_foreach_clone', tensors, none))).to.equal('main 0 288');
    expect(amount(aten('_foreach_zero', tensors))).to.equal('main 0 144');
  });
});

describe('types of pointwise results', () => {
  const [whole, single, complex] = [t([8], 'int64'), t([8]), t([8], 'complex64')];
  it('stay whole where a quotient is rounded', () => {
    expect(amount(aten('div', whole, whole))).to.equal('main 8 160'); // 64 + 64 + 8·4
    expect(amount(aten('div', whole, whole, { name: '', type: 'str', value: 'floor' }))).to.equal('main 8 192');
    expect(amount(aten('div', whole, whole, t([8], 'float32')))).to.equal('main 8 160'); // an out tensor
  });
  it('are parts of complex numbers, or made of them', () => {
    expect(amount(aten('abs', complex))).to.equal('main 8 96'); // 64 + 8·4
    expect(amount(aten('abs', whole))).to.equal('main 8 128');
    expect(amount(aten('polar', single, single))).to.equal('main 8 128'); // 32 + 32 + 64
  });
  it('have three operations in a cross product', () => {
    expect(amount(aten('linalg_cross', t([100, 3]), t([100, 3]), int(-1)))).to.equal('main 900 3600');
  });
});

describe('gradients that later versions take apart', () => {
  const y = t([64, 10]); // 640 elements, 2560 bytes
  it('are ops of their own', () => {
    expect(amount(aten('l1_loss_backward', t([]), y, y, int(1)))).to.equal('main 1920 7684'); // 3·2560 + 4
    expect(amount(aten('kl_div_backward', t([]), y, y, int(1), v(false)))).to.equal('main 1280 5124'); // 2·2560 + 4
  });
  it('have the gradient last where cuDNN samples', () => {
    const [input, grid, gradient] = [t([1, 2, 8, 8]), t([1, 4, 4, 2]), t([1, 2, 4, 4])];
    const all = [int(0), int(0), v(true), v([true, true])];
    expect(amount(aten('cudnn_grid_sampler_backward', input, grid, gradient))).to.equal(
      amount(aten('grid_sampler_2d_backward', gradient, input, grid, ...all)),
    );
  });
});
