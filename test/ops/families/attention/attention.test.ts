import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Arg, ArgValue, OpCall } from '../../../../src/record/record.js';
import { aten, none, t, v } from '../../../support/calls.js';
import { amount, float, int, paramsOf, workOf } from '../../../support/amounts.js';
import { itShared } from '../../../support/shared.js';

const BF16 = 'bfloat16';
const unknown: Arg = { name: '', type: 'unknown' };
const of = (mod: string, op: string, ...args: readonly Arg[]): OpCall => ({ ...aten(op, ...args), mod });

describe('attention forward', () => {
  const q = t([2, 8, 128, 64], BF16);
  const sdpa = (...args: readonly Arg[]): OpCall => aten('_scaled_dot_product_flash_attention', ...args);

  it('is two products: scores of width Dq, weighted values of width Dv', () => {
    // 2·2·8·128·128·(64 + 64) = 67108864; four tensors of 2·8·128·64 bf16 and 2·8·128 float32: 4·262144 + 8192
    expect(amount(sdpa(q, q, q, float(0), v(false), v(false), none))).to.equal('main 67108864 1056768');
    expect(paramsOf(sdpa(q, q, q, float(0), v(false), v(false), none))).to.equal(
      'B=2,Sq=128,Sk=128,Hq=8,Hk=8,Dq=64,Dv=64,bf16,',
    );
    expect(workOf(sdpa(q, q, q, float(0), v(false)))?.matmul).to.equal(true);
  });

  it('counts masked pairs too and says that the call is causal', () => {
    const causal = sdpa(q, q, q, float(0), v(true), v(false), none);
    expect(amount(causal)).to.equal('main 67108864 1056768');
    expect(paramsOf(causal)).to.match(/,causal,bf16,$/);
    // of 128·128 pairs 128·129/2 stay: 50.39 %
    expect(workOf(causal)?.formula).to.contain('keeps 50.39 %');
  });

  it('is twice what a count of half of the pairs gives, with the same tensors', () => {
    // TraceLens for 16 sequences of 559, 16 heads of 64, causal: B·Hq·Sq·Sk·(Dq + Dv) = 10.239377408 GFLOP, and
    // q + k + v + out = 69.875 MiB; the log-sum-exp of 16·16·559 rows is besides
    const x = t([16, 16, 559, 64], BF16);
    expect(amount(sdpa(x, x, x, float(0), v(true), v(false), float(0.125)))).to.equal(
      `main ${2 * 10239377408} ${69.875 * 2 ** 20 + 4 * 16 * 16 * 559}`,
    );
  });

  it('needs no values but says where causal is unspecified', () => {
    const old = sdpa(q, q, q, unknown, unknown, unknown, unknown);
    expect(amount(old)).to.equal('main 67108864 1056768');
    expect(paramsOf(old)).to.contain('causal=?,');
  });

  it('counts query heads where they share keys and values', () => {
    // k and v have 2 heads: bytes 2·262144·2/… = q, out 262144 each, k, v 65536 each, lse 8192
    const k = t([2, 2, 128, 64], BF16);
    expect(amount(sdpa(q, k, k, float(0), v(false)))).to.equal(`main 67108864 ${2 * 262144 + 2 * 65536 + 8192}`);
    expect(amount(sdpa(q, t([2, 3, 128, 64], BF16), t([2, 3, 128, 64], BF16), float(0), v(false)))).to.equal(null);
  });

  it('takes the widths of values and the lengths of keys as they are', () => {
    // 2·2·8·96·160·(64 + 32); q 2·8·96·64, k 2·8·160·64, v 2·8·160·32, out 2·8·96·32 of 4 bytes, lse 2·8·96·4
    const call = aten(
      '_scaled_dot_product_flash_attention_for_cpu',
      ...[t([2, 8, 96, 64]), t([2, 8, 160, 64]), t([2, 8, 160, 32]), float(0), v(false), none, none],
    );
    const bytes = 4 * 16 * (96 * 64 + 160 * 64 + 160 * 32 + 96 * 32 + 96);
    expect(amount(call)).to.equal(`main ${2 * 16 * 96 * 160 * 96} ${bytes}`);
  });

  it('reads a bias; memory-efficient attention writes log-sum-exps in blocks of 32 rows when asked', () => {
    const [x, bias] = [t([3, 5, 77, 40], 'float16'), t([3, 5, 77, 77], 'float16')];
    const efficient = (...args: readonly Arg[]): OpCall => aten('_scaled_dot_product_efficient_attention', ...args);
    const [flops, all] = [2 * 15 * 77 * 77 * 80, 4 * 15 * 77 * 40 * 2];
    expect(amount(efficient(x, x, x, none, v(false), float(0), v(false), none))).to.equal(`main ${flops} ${all}`);
    expect(amount(efficient(x, x, x, none, v(true), float(0), v(false), none))).to.equal(
      `main ${flops} ${all + 15 * 96 * 4}`,
    );
    expect(amount(efficient(x, x, x, bias, v(false), float(0), v(false), none))).to.equal(
      `main ${flops} ${all + 15 * 77 * 77 * 2}`,
    );
    // PyTorch 2.0 had no bias there: query, key, value, compute_log_sumexp, is_causal
    expect(paramsOf(efficient(x, x, x, v(false), v(true)))).to.contain('causal,');
  });

  it('knows both orders of the cuDNN op', () => {
    const cudnn = (...args: readonly Arg[]): OpCall => aten('_scaled_dot_product_cudnn_attention', ...args);
    expect(paramsOf(cudnn(q, q, q, none, v(true), float(0), v(true), v(false), none))).to.contain('causal,');
    expect(paramsOf(cudnn(q, q, q, float(0), v(true), v(false), none))).to.contain('causal,');
    expect(amount(cudnn(q, q, q, none, v(true), float(0), v(false), v(false), none))).to.equal('main 67108864 1056768');
  });

  it('describes the op that contains the others, with any number of leading extents', () => {
    const whole = (...args: readonly Arg[]): OpCall => aten('scaled_dot_product_attention', ...args);
    // 3-dim: a batch of one head; 2·5·7·7·(16 + 16), four tensors
    const x = t([5, 7, 16]);
    expect(amount(whole(x, x, x, none, float(0), v(false), none, v(false)))).to.equal(
      `main ${2 * 5 * 49 * 32} ${4 * 4 * 5 * 7 * 16}`,
    );
    expect(amount(whole(q, t([1, 8, 128, 64], BF16), t([1, 8, 128, 64], BF16)))).to.contain('main 67108864 ');
    expect(amount(whole(q))).to.equal(null);
    expect(amount(whole(q, t([2, 8, 128, 32], BF16), q))).to.equal(null);
    expect(amount(whole(t([]), t([]), t([])))).to.equal(null);
  });
});

describe('attention of inner kernels: [batch, positions, heads, width]', () => {
  const flash = (...args: readonly Arg[]): OpCall => aten('_flash_attention_forward', ...args);
  const rest = [float(0), v(true), v(false), float(0.125), none, none, none, none];

  it('takes positions before heads', () => {
    const x = t([2, 128, 8, 64], BF16);
    expect(amount(flash(x, x, x, none, none, int(128), int(128), ...rest))).to.equal('main 67108864 1056768');
  });

  it('counts packed sequences where their lengths leave one possibility', () => {
    const [x, offsets] = [t([33, 4, 16], BF16), t([4], 'int32')];
    // q, k, v, out 33·4·16 of 2 bytes; log-sum-exp 4·33 of 4
    const bytes = 4 * 33 * 4 * 16 * 2 + 4 * 33 * 4;
    const lengths = (queries: number, keys: number): OpCall =>
      flash(x, x, x, offsets, offsets, int(queries), int(keys), ...rest);
    expect(amount(lengths(11, 11))).to.equal(`main ${2 * 3 * 11 * 11 * 4 * 32} ${bytes}`);
    expect(paramsOf(lengths(11, 11))).to.contain('B=3,Sq=11,Sk=11,');
    // full-length queries meet all keys: Σ 11·kᵢ = 11·33
    expect(amount(lengths(11, 20))).to.equal(`main ${2 * 11 * 33 * 4 * 32} ${bytes}`);
    // lengths 10, 20 and 3 fit as well as others: at most 33·20 pairs
    expect(amount(lengths(20, 20))).to.equal(`main na ${bytes}`);
    expect(paramsOf(lengths(20, 20))).to.contain('B=3,Tq=33,Tk=33,');
    expect(workOf(lengths(20, 20))?.unknown).to.contain('at most 660 query-key pairs');
    const one = t([2], 'int32');
    expect(amount(flash(x, x, x, one, one, int(33), int(33), ...rest))).to.equal(
      `main ${2 * 33 * 33 * 4 * 32} ${bytes}`,
    );
  });

  it('does not guess how much of a paged cache is read', () => {
    const [x, cache, offsets] = [t([3, 4, 16], BF16), t([100, 16, 4, 16], BF16), t([4], 'int32')];
    const call = of(
      'flash_attn',
      '_flash_attn_varlen_forward',
      ...[x, cache, cache, offsets, offsets, int(1), int(900), float(0), float(0.25), v(true), int(-1), int(-1)],
      ...[float(0), none, v(false), t([3, 57], 'int32'), none, none],
    );
    expect(amount(call)).to.equal('main na na');
    expect(workOf(call)?.unknown).to.contain('paged cache');
  });

  it('reads whole prompts from a paged cache: as many keys as queries, where neither can be fewer or more', () => {
    const [q, pool, starts] = [t([33, 4, 16], BF16), t([8000, 2, 16], BF16), t([4], 'int32')];
    const prefill = (longestKeys: number, causal: boolean, ...end: readonly Arg[]): OpCall =>
      of(
        'aiter',
        'mha_batch_prefill',
        ...[q, pool, pool, starts, starts, t([40], 'int32'), int(11), int(longestKeys), float(0), float(0.25)],
        ...[float(0), v(false), v(causal), int(-1), int(-1), ...end],
      );
    const [plain, sink] = [[v(false), v(false), none, none, none], [int(0)]];
    // 3·11·11 pairs of 4 heads; q and the result 33·4·16 of 2 bytes, keys and values 33·2·16 of 2
    const whole = `main ${2 * 363 * 4 * 32} ${2 * 33 * 4 * 16 * 2 + 2 * 33 * 2 * 16 * 2}`;
    expect(amount(prefill(11, true, ...plain))).to.equal(whole);
    expect(amount(prefill(11, true, ...sink, ...plain))).to.equal(whole);
    expect(paramsOf(prefill(11, true, ...plain))).to.equal('B=3,Sq=11,Sk=11,Hq=4,Hk=2,Dq=16,Dv=16,causal,bf16,');
    // with the log-sum-exp, 33·4 of 4 bytes
    expect(amount(prefill(11, true, v(true), v(false)))).to.equal(`main ${2 * 363 * 4 * 32} ${12672 + 528}`);
    // earlier positions, and keys that are not those of the queries
    expect(amount(prefill(12, true, ...plain))).to.equal('main na na');
    expect(amount(prefill(11, false, ...plain))).to.equal('main na na');
  });

  it('knows the mask types and windows', () => {
    const x = t([2, 128, 8, 64], BF16);
    const efficient = (type: number): OpCall =>
      aten(
        '_efficient_attention_forward',
        ...[x, x, x, none, none, none, none, none, float(0), int(type), v(false), none, none, none],
      );
    expect(paramsOf(efficient(0))).to.not.contain('causal');
    expect(paramsOf(efficient(2))).to.contain('causal');
    expect(amount(efficient(2))).to.equal('main 67108864 1048576');
    const local = flash(x, x, x, none, none, int(128), int(128), float(0), v(false), v(false), none, int(64), int(0));
    expect(paramsOf(local)).to.contain('window=(64,0),');
  });
});

describe('attention backward', () => {
  const q = t([2, 8, 128, 64], BF16);
  const lse = t([2, 8, 128]);

  it('is five products: scores again, and gradients of weights, values, queries and keys', () => {
    // 2·2·8·128·128·(3·64 + 2·64) = 167772160; q, k, v, out, dout, dq, dk, dv, lse
    const call = aten(
      '_scaled_dot_product_flash_attention_backward',
      ...[q, q, q, q, q, lse, none, none, int(128), int(128), float(0), v(true), t([], 'int64'), t([], 'int64'), none],
    );
    expect(amount(call)).to.equal(`main 167772160 ${8 * 262144 + 8192}`);
    expect(paramsOf(call)).to.contain('causal');
    expect(workOf(call)?.matmul).to.equal(true);
  });

  it('writes the gradient of a bias where it is wanted', () => {
    const bias = t([2, 8, 128, 128], BF16);
    const efficient = (...mask: boolean[]): OpCall =>
      aten(
        '_scaled_dot_product_efficient_attention_backward',
        ...[q, q, q, q, bias, q, lse, t([], 'int64'), t([], 'int64'), float(0)],
        ...[{ name: '', type: 'list', value: mask }, v(false), none],
      );
    const bytes = 8 * 262144 + 8192 + 2 * 16 * 128 * 128;
    expect(amount(efficient(true, true, true, false))).to.equal(`main 167772160 ${bytes}`);
    expect(amount(efficient(true, true, true, true))).to.equal(`main 167772160 ${bytes + 2 * 16 * 128 * 128}`);
  });
});

describe('attention of other packages', () => {
  const q = t([2, 128, 8, 64], BF16);
  const lse = t([2, 8, 128]);
  const forward = `main 67108864 1056768`;
  const gradient = `main 167772160 ${8 * 262144 + 8192}`;
  const window = [int(-1), int(-1)];

  const CASES: readonly (readonly [call: OpCall, expected: string])[] = [
    [of('flash_attn', '_flash_attn_forward', q, q, q, float(0), float(0.1), v(true), ...window), forward],
    [
      of('flash_attn', '_flash_attn_backward', ...[q, q, q, q, q, lse, q, q, q, float(0), float(0.1), v(true)]),
      gradient,
    ],
    [
      of('flash_attn_gpu', 'fwd', q, q, q, none, none, float(0), float(0.1), v(true), ...window, float(0), v(false)),
      forward,
    ],
    [of('flash_attn_gpu', 'bwd', q, q, q, q, q, lse, q, q, q, none, float(0), float(0.1), v(true)), gradient],
    [
      of(
        'flash_attn_3',
        'fwd',
        ...[q, q, q, ...new Array<Arg>(20).fill(none), float(0.1), v(true), ...window, int(0), float(0)],
      ),
      forward,
    ],
    [
      of('flash_attn_3', 'bwd', q, q, q, q, q, lse, ...new Array<Arg>(9).fill(none), float(0.1), v(true), ...window),
      gradient,
    ],
    [
      of(
        'xformers_flash',
        'flash_fwd',
        ...[q, q, q, none, none, none, int(128), int(128), float(0), float(0.1), v(true), ...window, v(false), none],
      ),
      forward,
    ],
    [
      of(
        'xformers_flash',
        'flash_bwd',
        ...[v(false), q, q, q, q, q, lse, none, none, int(128), int(128), float(0), float(0.1), v(true), ...window],
      ),
      gradient,
    ],
    [
      of(
        'xformers',
        'efficient_attention_forward_cutlass',
        ...[q, q, q, none, none, none, int(-1), float(0), v(true), int(1), none, none, none],
      ),
      forward,
    ],
    [of('aiter', 'mha_fwd', q, q, q, float(0), float(0.1), v(true), ...window, v(true), v(false)), forward],
    [of('aiter', 'fmha_v3_fwd', q, q, q, float(0), float(0.1), v(true), ...window, int(0), v(true)), forward],
    [of('aiter', 'mha_bwd', q, q, q, q, q, lse, float(0), float(0.1), v(true), ...window, v(false)), gradient],
  ];

  for (const [call, expected] of CASES) {
    it(`${call.mod}::${call.op}`, () => {
      expect(amount(call)).to.equal(expected);
      expect(paramsOf(call)).to.contain('B=2,Sq=128,Sk=128,Hq=8,Hk=8,Dq=64,Dv=64,causal,bf16,');
    });
  }
});

describe('SageAttention', () => {
  const end = (layout: Arg, lse: number): Arg[] => [layout, int(0), int(3), float(0.125), int(lse)];
  const bytes = (...shape: readonly number[]): Arg => t(shape, 'int8');
  // 2 sequences of 100 queries and 70 keys, 8 and 2 heads of 64: 4·2·8·100·70·64 operations
  const flops = 4 * 2 * 8 * 100 * 70 * 64;
  const [q, k, out] = [bytes(2, 8, 100, 64), bytes(2, 2, 70, 64), t([2, 8, 100, 64], BF16)];
  const [qScale, kScale] = [t([2, 8, 4]), t([2, 2, 2])]; // 256 and 32 bytes

  it('with values in 16 bits, heads before positions', () => {
    const call = (layout: Arg, lse: number): OpCall =>
      of(
        'sageattention',
        'qk_int8_sv_f16_accum_f32_attn',
        ...[q, k, t([2, 2, 70, 64], 'float16'), out, qScale, kScale, ...end(layout, lse)],
      );
    // q 102400, k 17920, v 35840, scales 288, the result 204800
    expect(amount(call(int(1), 0))).to.equal(`main ${flops} 361248`);
    expect(amount(call(int(1), 1))).to.equal(`main ${flops} 367648`); // 2·8·100·4 more
    expect(paramsOf(call(int(1), 0))).to.equal('B=2,Sq=100,Sk=70,Hq=8,Hk=2,D=64,int8,');
    expect(amount(call(unknown, 0))).to.equal('main na na');
  });
  it('with values in 8 bits, transposed and padded, positions before heads', () => {
    const call = of(
      'sageattention_sm89',
      'qk_int8_sv_f8_accum_f32_fuse_v_scale_attn',
      ...[bytes(2, 100, 8, 64), bytes(2, 70, 2, 64), t([2, 64, 2, 128], 'float8_e4m3fn'), t([2, 100, 8, 64], BF16)],
      ...[qScale, kScale, t([2, 2, 64]), ...end(int(0), 0)],
    );
    // 102400 + 17920 + 32768 + 288 + 1024 + 204800
    expect(amount(call)).to.equal(`main ${flops} 359200`);
  });
});

describe('attention with unspecified arguments', () => {
  it('leaves the work of a serving engine open: the cache is no argument', () => {
    const call = of(
      'vllm',
      'unified_attention_with_output',
      ...[t([888, 8, 64], 'float8_e4m3fn'), t([888, 1, 64], BF16), t([888, 1, 64], BF16), t([888, 8, 64], BF16)],
      ...[unknown, none, none],
    );
    expect(amount(call)).to.equal('main na na');
    expect(paramsOf(call)).to.equal('Tq=888,Hq=8,Hk=1,Dq=64,fp8e4m3,');
    expect(workOf(call)?.unknown).to.contain('cache');
  });
});

describe('fused transformer layers', () => {
  const [x, square, one] = [t([2, 10, 64]), t([64, 64]), t([64])];
  const [packed, bias] = [t([192, 64]), t([192])];

  it('multi-head attention: three projections, two products, one projection', () => {
    const call = aten(
      '_native_multi_head_attention',
      ...[x, x, x, int(64), int(4), packed, bias, square, one, none, v(true), v(true), none],
    );
    // 2·2·10·64·192 + 2·(2·2·10·10·64) + 2·2·10·64·64; x, weights and biases, result, averaged weights [2, 10, 10]
    const flops = 2 * 20 * 64 * 192 + 4 * 2 * 100 * 64 + 2 * 20 * 64 * 64;
    const bytes = 4 * (1280 + 192 * 64 + 192 + 4096 + 64 + 1280 + 200);
    expect(amount(call)).to.equal(`main ${flops} ${bytes}`);
  });

  it('encoder layer: attention and two linear layers', () => {
    const [wide, narrow] = [t([128, 64]), t([64, 128])];
    const call = aten(
      '_transformer_encoder_layer_fwd',
      ...[t([2, 5, 64]), int(64), int(4), packed, bias, square, one, v(false), v(false), float(1e-5)],
      ...[one, one, one, one, wide, t([128]), narrow, one, none, none],
    );
    const flops = 2 * 10 * 64 * 256 + 4 * 2 * 25 * 64 + 4 * 10 * 64 * 128;
    const bytes = 4 * (2 * 640 + 192 * 64 + 192 + 4096 + 6 * 64 + 2 * 8192 + 128);
    expect(amount(call)).to.equal(`main ${flops} ${bytes}`);
  });

  it('bias and scale: an add per element, a product per element of q', () => {
    expect(amount(aten('_transform_bias_rescale_qkv', t([2, 10, 192]), bias, int(4)))).to.equal(
      `main ${3840 + 1280} ${4 * (3840 * 2 + 192)}`,
    );
  });
});

interface CounterRow {
  readonly case: string;
  readonly op: string;
  readonly flops: number;
  readonly counted: boolean;
  readonly arithmetic_flops?: number;
  readonly args: readonly { type: string; shape?: number[]; dtype?: string; value?: ArgValue }[];
}

const callOf = (row: CounterRow): OpCall =>
  aten(
    row.op.split('.')[1] ?? '',
    ...row.args.map(({ type, shape, dtype, value }): Arg => {
      if (type === 'tensor' && shape && dtype) return t(shape, dtype);
      return { name: '', type, value: value ?? null };
    }),
  );

describe('attention beside FlopCounterMode', () => {
  itShared('every row with dense tensors', ['reference/flop-counter/flop_counter.jsonl'], ([file = '']) => {
    const rows = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as CounterRow)
      .filter(({ op }) => /_attention(_|\.)/.test(op) && !op.includes('multi_head'));
    const dense = rows.filter((row) => !row.case.includes('packed'));
    // arithmetic_flops: where the counter takes heads for positions, or has no formula
    const wanted = ({ arithmetic_flops: arithmetic, flops }: CounterRow): number => arithmetic ?? flops;
    const differing = dense.filter((row) => workOf(callOf(row))?.flops !== wanted(row)).map((row) => row.case);
    expect(differing).to.deep.equal([]);
    expect(dense.length).to.equal(44);
    const packed = rows.filter((row) => row.case.includes('packed'));
    expect(packed.length).to.equal(5);
    for (const row of packed) expect(workOf(callOf(row))?.unknown, row.case).to.contain('values in a tensor');
  });
});
