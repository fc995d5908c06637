/** Ops of serving engines and training libraries beside PyTorch's own, and its rarer fillings and joins. */
import { expect } from 'chai';
import { amount, float, int } from '../../support/amounts.js';
import { aten, none, t, ts, v } from '../../support/calls.js';
import type { Arg, OpCall } from '../../../src/record/record.js';

const of = (mod: string, op: string, ...args: readonly Arg[]): OpCall => ({ mod, op, args, from: 'dispatcher' });
const list = (...value: number[]): Arg => ({ name: '', type: 'list', value });
const unspecified: Arg = { name: '', type: 'unknown' };

describe('ops of serving engines', () => {
  it('merge partial results of attention', () => {
    const [out, lse] = [t([8, 4, 64], 'bfloat16'), t([4, 8])];
    // 3·2048; three times 4096 and three times 128
    const merged = 'main 6144 12672';
    expect(amount(of('_C', 'merge_attn_states', out, lse, out, lse, out, lse))).to.equal(merged);
    expect(amount(of('_C', 'merge_attn_states', out, lse, out, lse, out, lse, none, none))).to.equal(merged);
    expect(amount(of('_C', 'merge_attn_states', out, none, out, lse, out, lse, none, none))).to.equal(
      'main 6144 12544',
    );
    expect(amount(of('sgl_kernel', 'merge_state_v2', out, lse, out, lse, out, lse))).to.equal(merged);
  });
  it('quantise after a gated activation', () => {
    const [out, input] = [t([8, 128], 'float8_e4m3fn'), t([8, 256], 'bfloat16')];
    // 6·1024; 1024 + 4096 + 32
    expect(amount(of('_C', 'silu_and_mul_per_block_quant', out, input, t([8, 1]), int(128), none, v(false)))).to.equal(
      'main 6144 5152',
    );
  });
  it('turn queries and keys into other tensors', () => {
    const [q, k] = [t([10, 4, 64], 'bfloat16'), t([10, 2, 64], 'bfloat16')];
    const [table, positions] = [t([4096, 64]), t([10], 'int64')];
    // 3·3840; 80 + 2·7680 + 10·64·4
    const turned = of(
      'sgl_kernel',
      'apply_rope_pos_ids_cos_sin_cache',
      q,
      k,
      q,
      k,
      table,
      positions,
      v(false),
      v(true),
    );
    expect(amount(turned)).to.equal('main 11520 18000');
  });
  it('normalise and turn the heads of a projection', () => {
    const [qkv, weight] = [t([8, 128], 'float16'), t([16], 'float16')];
    const heads = [int(4), int(2), int(2), int(16)];
    const [table, positions] = [t([100, 16]), t([8], 'int64')];
    // 8·6·16 = 768 elements: 4·768 + 3·768; 2·1536 + 2·32 + 64 + 8·16·4
    const turned = of('_C', 'fused_qk_norm_rope', qkv, ...heads, v(1e-6), weight, weight, table, v(true), positions);
    expect(amount(turned)).to.equal('main 5376 3712');
    const blind = [unspecified, unspecified, unspecified, unspecified, unspecified];
    expect(
      amount(of('_C', 'fused_qk_norm_rope', qkv, ...blind, weight, weight, table, unspecified, positions)),
    ).to.equal('main na na');
  });
  it('lower the scores of tokens that were there before', () => {
    const mask = t([2, 1000], 'bool');
    expect(amount(of('_C', 'apply_repetition_penalties_', t([2, 1000]), mask, mask, t([2])))).to.equal(
      'main 2000 20008',
    );
  });
  it('reduce over devices by kernels of their own', () => {
    const message = t([1000], 'bfloat16');
    expect(amount(of('sgl_kernel', 'mscclpp_allreduce', int(1), message, message, int(512), int(21)))).to.equal(
      'main 0 4000',
    );
    expect(amount(of('_C_custom_ar', 'qr_all_reduce', int(1), message, message, int(0), v(false)))).to.equal(
      'main 0 4000',
    );
  });
});

describe('lookups in many tables', () => {
  it('copy rows where they are not pooled', () => {
    const [empty, long] = [t([0]), (n: number): Arg => t([n], 'int64')];
    const lookup = of(
      'fbgemm',
      'split_embedding_codegen_lookup_rowwise_adagrad_function',
      ...[empty, t([1600]), empty, t([0, 0]), t([1], 'int32'), long(1), t([2], 'int32'), int(16), int(16), long(2)],
      ...[int(8), long(40), long(9), int(2), none, none, t([0], 'int32'), v(false), v(1), v(false)],
      ...[t([100]), empty, t([1], 'int32'), long(1), v(0.1), v(1e-8)],
    );
    // 320 + 72 + 2·40·16·4
    expect(amount(lookup)).to.equal('main 0 5512');
  });
});

describe('lookups without an optimizer', () => {
  it('have the tables alone', () => {
    const long = (n: number): Arg => t([n], 'int64');
    const tables = [t([1600]), long(1), t([2], 'int32'), int(16), int(16), long(2), int(8), long(40), long(9)];
    const lookup = (...rest: readonly Arg[]): string | null =>
      amount(of('fbgemm', 'dense_embedding_codegen_lookup_function', ...tables, ...rest));
    // 40·16 operations; 320 + 72, 40 rows of 64 bytes, 8 sums of 16 in single or half precision
    expect(lookup(int(0), none, none)).to.equal('main 640 3464');
    expect(lookup(int(0), none, none, int(1), none, none)).to.equal('main 640 3208');
  });
});

describe('lookups for torch.compile', () => {
  it('have the tables in a list, and the type of the result by number', () => {
    const [empty, long] = [t([0]), (n: number): Arg => t([n], 'int64')];
    const tables = ts(empty, t([1600], 'float16'), empty, t([0, 0]), t([1], 'int32'), long(1));
    const lookup = (type: number): string | null =>
      amount(
        of(
          'fbgemm',
          'split_embedding_codegen_lookup_rowwise_adagrad_function_pt2',
          ...[empty, tables, t([2], 'int32'), int(16), int(16), long(2), int(8), long(40), long(9), int(0), none, none],
          ...[
            int(type),
            ts(none, t([0], 'int32')),
            list(0, 1),
            list(0),
            list(0),
            ts(t([100])),
            t([1]),
            list(0),
            list(0),
          ],
          ...[int(-1), int(-1), int(-1), none],
        ),
      );
    // 40·16 operations; 320 + 72, 40 rows of 32 bytes, 8 sums of 16 in single or half precision
    expect(lookup(0)).to.equal('main 640 2184');
    expect(lookup(1)).to.equal('main 640 1928');
  });
});

describe('fillings and joins of PyTorch', () => {
  it('lists the elements of a triangle by row and column', () => {
    const options = [int(4), none, none, none];
    expect(amount(aten('tril_indices', int(3), int(4), int(0), ...options))).to.equal('main 0 96'); // 2·(1 + 2 + 3)·8
    expect(amount(aten('tril_indices', int(3), int(4), int(-1), ...options))).to.equal('main 0 48'); // 2·(0 + 1 + 2)
    expect(amount(aten('tril_indices', int(3), int(2), int(0), ...options))).to.equal('main 0 80'); // 2·(1 + 2 + 2)
    expect(amount(aten('triu_indices', int(3), int(4), int(1), ...options))).to.equal('main 0 96'); // 2·(3 + 2 + 1)
    expect(amount(aten('triu_indices', int(3), int(4), int(-9), ...options))).to.equal('main 0 192'); // all
    expect(amount(aten('triu_indices', int(3), unspecified, int(0), ...options))).to.equal('main 0 na');
  });
  it('fills parts up to whole chunks', () => {
    const parts = ts(t([5, 4]), t([3]));
    // 80 + 12 read; 6·4 + 4 written
    expect(amount(aten('_chunk_cat', parts, int(0), int(2)))).to.equal('main 0 204');
    expect(amount(aten('_chunk_cat', parts, int(0), int(2), t([2, 14])))).to.equal('main 0 204');
    expect(amount(aten('_chunk_cat', parts, unspecified, unspecified))).to.equal('main 0 na');
    expect(amount(aten('_stack', ts(t([4]), t([4])), int(0)))).to.equal('main 0 64');
  });
  it('has connectionist losses of its libraries', () => {
    const [probabilities, targets, lengths] = [t([50, 4, 20]), t([4, 10], 'int64'), list(50, 50, 50, 50)];
    // 13·4·50·21; 16000 + 320 + 16800 of states + 16000
    const loss = [probabilities, targets, lengths, list(10, 10, 10, 10), int(0), v(false), v(true)];
    expect(amount(aten('_cudnn_ctc_loss', ...loss))).to.equal('main 54600 49120');
    expect(amount(aten('miopen_ctc_loss', ...loss))).to.equal('main 54600 49120');
  });
  it('put_ with accumulate true, false and unspecified', () => {
    const [x, index] = [t([64, 64]), t([7], 'int64')];
    expect(amount(aten('put_', x, index, t([7]), unspecified))).to.equal('main na na');
    expect(amount(aten('complex', t([8]), t([8])))).to.equal('main 8 128');
    expect(amount(aten('native_dropout', x, float(0.1), v(true)))).to.equal('main 20480 36864');
  });
});
