import { expect } from 'chai';
import type { Arg, OpCall } from '../../../src/record/record.js';
import { amount, int, paramsOf, workOf } from '../../support/amounts.js';
import { call, kernel, none, t, v } from '../../support/calls.js';

const unspecified: Arg = { name: '', type: 'unknown' };
/** An op or an autograd function as the profiler records it. */
const op = (name: string, ...args: readonly Arg[]): OpCall => ({ ...call(name, ...args), from: 'dispatcher' });
const of = (name: string, ...args: readonly Arg[]): string | null => amount(op(name, ...args));

/** The kernel that multiplies. */
const GEMM = kernel('nvjet_hsh_128x256_64x4_2x1_v_bz_TNT');
const product = (name: string, ...args: readonly Arg[]): string | null => amount(op(name, ...args), GEMM);

const bf16 = (...shape: readonly number[]): Arg => t(shape, 'bfloat16');

describe('linear layers as autograd functions', () => {
  const x = bf16(2, 8, 4); // 64 elements, 128 bytes; 16 rows
  const w = bf16(6, 4); // 48 bytes
  const bias = bf16(6); // 12 bytes
  const PLAIN = 'main 768 380'; // 2·16·6·4; 128 + 48 + 12 + 16·6·2

  it('_Linear: whichever version, with all arguments or tensors alone', () => {
    expect(product('._Linear', w, x, bias, none, v(false), v(false))).to.equal(PLAIN); // 2.x
    expect(product('._Linear', w, none, x, bias, v(true), none, v(false))).to.equal(PLAIN); // 1.x
    const copies = [t([6, 4], 'uint8'), t([4, 6], 'uint8')];
    expect(product('._Linear', w, ...copies, x, bias, v(true), none, v(true))).to.equal(PLAIN); // 1.x, 8 bits
    expect(product('._Linear', w, x, bias)).to.equal(PLAIN);
    expect(product('._Linear', w, x, bf16(0))).to.equal('main 768 368'); // an empty bias is none
    expect(product('._Linear', x, w, bias)).to.equal(PLAIN); // another library's
    expect(paramsOf(op('._Linear', w, x, bias))).to.equal('M=6,N=16,K=4,bf16,');
  });
  it('_Linear: what does not fit', () => {
    expect(product('._Linear', w, bf16(2, 8, 5), bias)).to.equal(null);
    expect(product('._Linear', w)).to.equal(null);
    expect(product('._Linear')).to.equal(null);
    expect(amount(call('na._Linear', w, x, bias))).to.equal(null); // no call of the dispatcher
  });
  it('_Linear: the work is the product kernel’s, not that of a cast beside it', () => {
    const cast = kernel('void transformer_engine::cast_transpose_optimized_kernel<false>(int)');
    expect(amount(op('._Linear', w, x, bias), cast)).to.equal('helper 0 0');
    expect(amount(op('._Linear', w, x, bias), GEMM)).to.equal(PLAIN);
    expect(amount(op('._Linear', w, x, bias), kernel('cublasLt::splitKreduce_kernel'))).to.equal('helper 0 0');
  });
  it('_LayerNormLinear: parameters of the norm are read, its operations are not counted', () => {
    const [gamma, beta] = [bf16(4), bf16(4)]; // 8 bytes each
    expect(product('._LayerNormLinear', x, gamma, beta, w, bias, v(1e-5))).to.equal('main 768 396'); // + 16
    expect(product('._LayerNormLinear', x, gamma, none, w, none, none, bias)).to.equal('main 768 388'); // no beta, copies none
    expect(product('._LayerNormLinear', x, gamma, beta, w, t([6, 4], 'uint8'), bias)).to.equal('main 768 396');
  });
  it('_LayerNormMLP: two products, the first one wider where it holds a gate', () => {
    const gamma = bf16(4); // 8 bytes
    const [up, gatedUp, down] = [bf16(6, 4), bf16(12, 4), bf16(4, 6)]; // 48, 96, 48 bytes
    // 2·16·(6·4 + 4·6); 128 + 8 + 48 + 48 + 128
    expect(product('._LayerNormMLP', x, gamma, none, up, none, down, none, v(1e-5))).to.equal('main 1536 360');
    // 2·16·(12·4 + 4·6); 48 more
    expect(product('._LayerNormMLP', x, gamma, none, gatedUp, none, down, none)).to.equal('main 2304 408');
    const copy = t([6, 4], 'uint8');
    const [bias1, bias2] = [bf16(6), bf16(4)]; // 12 + 8 bytes
    const old = op('._LayerNormMLP', x, gamma, up, copy, bias1, v(true), down, t([4, 6], 'uint8'), bias2, v(true));
    expect(amount(old, GEMM)).to.equal('main 1536 380');
    expect(product('._LayerNormMLP', x, gamma, up, bf16(4, 7))).to.equal(null);
  });
  it('_GroupedLinear: every row meets one weight, all weights are read', () => {
    const rows = bf16(16, 4); // 128 bytes
    const biases = [bf16(6), bf16(6)]; // 24 bytes
    // 2·16·6·4; 128 + 96 + 24 + 192
    const expected = 'main 768 440';
    expect(product('._GroupedLinear', rows, v([10, 6]), v(true), none, w, w, ...biases)).to.equal(expected);
    expect(product('._GroupedLinear', rows, w, w, ...biases)).to.equal(expected);
    const copies = [t([6, 4], 'uint8'), t([6, 4], 'uint8')];
    expect(product('._GroupedLinear', rows, v([10, 6]), v(true), w, w, ...copies, ...biases)).to.equal(expected);
    expect(product('._GroupedLinear', rows, w, bf16(7, 4))).to.equal(null);
  });
  it('apex: a dense layer, two with GELU between, any number', () => {
    const down = bf16(4, 6);
    expect(product('.FusedDenseFunc', x, w, bias)).to.equal(PLAIN);
    // 2·16·48; 128 + 48 + 12 + 48 + 8 + 128
    expect(product('.FusedDenseGeluDenseFunc', x, w, bias, down, bf16(4))).to.equal('main 1536 372');
    // 2·16·(24 + 24 + 24); 128 + 3·48 + 12 + 8 + 12 + 16·6·2
    expect(product('.MlpFunction', int(1), int(1), x, w, down, w, bias, bf16(4), bias)).to.equal('main 2304 496');
    expect(product('.MlpFunction', int(0), int(1), x, w, w)).to.equal(null);
  });
});

describe('attention as an autograd function', () => {
  const q = bf16(8, 2, 4, 16); // 8 positions, 2 sequences, 4 heads of 16: 1024 elements, 2048 bytes
  const offsets = t([3], 'int32');

  it('batch and positions in either order, all pairs counted', () => {
    // 2·2·4·8·8·32; 4·2048 + log-sum-exp 2·4·8·4
    const args = (one: Arg): Arg[] => [v(true), int(8), int(8), offsets, offsets, none, none, one, one, one, none];
    expect(of('.FusedAttnFunc', ...args(q))).to.equal('main 32768 8448');
    expect(of('.FusedAttnFunc', ...args(bf16(2, 8, 4, 16)))).to.equal('main 32768 8448');
    expect(of('.FusedAttnFunc', offsets, offsets, q, q, q)).to.equal('main 32768 8192'); // tensors alone
    expect(paramsOf(op('.FusedAttnFunc', ...args(q)))).to.equal('B=2,Sq=8,Sk=8,H=4,Dq=16,Dv=16,bf16,');
  });
  it('groups of heads, other lengths and widths of keys and values', () => {
    // 2·2·4·8·6·(16 + 24); 2048 + 12·2·16·2 + 12·2·24·2 + 8·2·4·24·2
    const [k, values] = [bf16(6, 2, 2, 16), bf16(6, 2, 2, 24)];
    expect(of('.FusedAttnFunc', offsets, offsets, q, k, values)).to.equal('main 30720 7040');
  });
  it('packed q, k and v', () => {
    expect(of('.FusedAttnFunc_qkvpacked', v(false), int(8), offsets, bf16(8, 2, 3, 4, 16))).to.equal('main 32768 8192');
    expect(of('.FusedAttnFunc_qkvpacked', v(false), int(8), offsets, bf16(8, 2, 4, 3, 16))).to.equal('main 32768 8192');
    expect(of('.FusedAttnFunc_kvpacked', offsets, offsets, q, bf16(8, 2, 2, 4, 16))).to.equal('main 32768 8192');
    expect(of('.FusedAttnFunc_qkvpacked', v(false), int(8), offsets, bf16(8, 2, 5, 4, 16))).to.equal(null);
  });
  it('packed sequences and a paged cache: their lengths are values', () => {
    const rows = bf16(16, 4, 16);
    const packed = op('.FusedAttnFunc', v(true), int(8), int(8), offsets, offsets, rows, rows, rows);
    expect(amount(packed)).to.equal('main na na');
    expect(workOf(packed)?.unknown).to.equal('the sequence lengths are values in a tensor');
    const pages = t([2, 4], 'int32');
    expect(of('.FusedAttnFunc', offsets, offsets, offsets, offsets, pages, pages, q, q, q)).to.equal('main na na');
    expect(of('.FusedAttnFunc_qkvpacked', offsets, bf16(16, 3, 4, 16))).to.equal('main na na');
  });
  it('what does not fit', () => {
    expect(of('.FusedAttnFunc', q, q, q, none, v(0), v(true))).to.equal(null); // another library's
    expect(of('.FusedAttnFunc', t([4], 'int32'), offsets, q, q, q)).to.equal(null); // 16 positions, 3 sequences
    expect(of('.FusedAttnFunc', offsets, offsets, q, q)).to.equal(null);
  });
});

describe('pointwise kernels of training libraries', () => {
  const x = bf16(8, 2, 4, 16); // 1024 elements, 2048 bytes

  it('rotary embedding: three operations per turned element, the rest of a row is copied', () => {
    const freqs = t([8, 1, 1, 16]); // 512 bytes
    expect(of('.FusedRoPEFunc', x, freqs, v(false))).to.equal('main 3072 4608');
    expect(of('.FusedRoPEFunc', x, freqs)).to.equal('main 3072 4608');
    expect(of('.FusedRoPEFunc', x, freqs, freqs, v(false))).to.equal('main 3072 5120'); // cosines and sines
    expect(of('.FusedRoPEFunc', x, freqs, freqs)).to.equal('main 3072 5120');
    expect(of('.FusedRoPEFunc', x, t([8, 1, 1, 8]), none, v(false), none, int(1), int(0))).to.equal('main 1536 4352');
    expect(of('.FusedRoPEFunc', x, freqs, none, int(1), int(0))).to.equal('main 3072 4608');
    expect(of('.FusedRoPECachedFunc', x, freqs, freqs, v(false))).to.equal('main 3072 5120');
    const packed = bf16(16, 4, 16);
    expect(of('.FusedRoPETHDFunc', packed, t([3], 'int32'), freqs)).to.equal('main 3072 4620');
    const half = t([1, 8, 1, 8]); // 256 bytes
    expect(of('.FusedRoPE2DFunc', x, int(2), int(4), half, half, half, half)).to.equal('main 3072 5120');
    const args = [none, int(0), v(false), none, int(1), int(0)];
    expect(of('transformer_engine.fused_rope_backward', x, freqs, ...args)).to.equal('main 3072 4608');
    expect(of('.FusedRoPEFunc', x)).to.equal(null);
  });
  it('gates and biases', () => {
    const [input, bias] = [bf16(8, 6), bf16(6)]; // 96 and 12 bytes; 24 results, 48 bytes
    expect(of('.SwiGLUFunction', input, v(false), v(false))).to.equal('main 48 144');
    expect(of('.BiasSwiGLUFunction', input, bias, v(false))).to.equal('main 96 156'); // 48 + 48
    expect(of('.WeightedSwiGLUFunction', input, t([8, 1]), v(false))).to.equal('main 72 176'); // 3·24; 32 for weights
    expect(of('.GeLUFunction', input, bias)).to.equal('main 96 204');
    expect(of('.SwiGLUFunction', bf16(8, 5))).to.equal(null);
  });
  it('softmax under a causal mask, forward and backward', () => {
    const scores = bf16(2, 3, 5); // 30 elements, 60 bytes; seen 2·(3 + 4 + 5) = 24, 48 bytes
    expect(of('.ScaledAlignedCausalMaskedSoftmax', scores, v(0.5))).to.equal('main 144 108'); // 6·24; 48 + 60
    const engine = (name: string, ...args: readonly Arg[]): string | null => of(`transformer_engine.${name}`, ...args);
    const back = 'scaled_aligned_causal_masked_softmax_backward';
    expect(engine(back, scores, scores, v(0.5))).to.equal('main 120 156'); // 5·24; 2·48 + 60
    expect(engine('scaled_softmax_backward', scores, scores, v(0.5))).to.equal('main 150 180');
    const square = bf16(2, 4, 4); // seen 2·10, 40 bytes, of 64
    expect(engine('scaled_upper_triang_masked_softmax_backward', square, square, v(1))).to.equal('main 100 144');
    expect(of('.ScaledAlignedCausalMaskedSoftmax', bf16(2, 5, 3), v(0.5))).to.equal(null);
  });
  it('cross entropy and indexed product', () => {
    const [logits, labels] = [bf16(8, 10), t([8], 'int64')]; // 160 and 64 bytes
    // 4·80; 160 + 64 + 16 or 32 + 32
    expect(of('.SoftmaxCrossEntropyLoss', logits, labels, v(0.5), int(0), v(false))).to.equal('main 320 272');
    expect(of('.SoftmaxCrossEntropyLoss', logits, labels, v(0.5), int(0), v(true))).to.equal('main 320 288');
    expect(of('.SoftmaxCrossEntropyLoss', logits, labels)).to.equal('main 320 272');
    // 12 elements: 3 · 48 bytes and the index
    expect(of('.IndexMul2d_', t([100, 4]), t([3, 4]), t([3], 'int64'))).to.equal('main 12 168');
  });
});

describe('TransformerEngine for export', () => {
  const x = bf16(8, 6); // 48 elements, 96 bytes
  const scales = [t([3]), t([1, 3]), t([3]), int(0)];

  it('casts: the type of the result is a number of its own', () => {
    expect(of('tex_ts.cast_to_fp8_ts', x, ...scales, int(6))).to.equal('main 192 144'); // 4·48; 96 + 48
    expect(of('tex_ts.cast_to_fp8_ts', x, ...scales, unspecified)).to.equal('main 192 144'); // either kind has a byte
    const result = t([8, 6], 'uint8');
    const given = [t([3]), result, t([1, 3]), t([3]), int(0), int(6)];
    expect(of('tex_ts.cast_to_fp8_noalloc_ts', x, ...given)).to.equal('main 192 144');
    expect(of('tex_ts.fp8_gelu_ts', x, ...scales, int(6))).to.equal('main 240 144'); // 5·48
    expect(of('tex_ts.cast_from_fp8_ts', result, t([3]), int(0), int(6), int(3))).to.equal('main 48 240'); // to single
    const unknown = op('tex_ts.cast_from_fp8_ts', result, t([3]), int(0), int(6), unspecified);
    expect(amount(unknown)).to.equal('main na na');
    expect(workOf(unknown)?.unknown).to.contain('the type of the result is unspecified');
  });
  it('activations and normalisations, in 8 bits or not', () => {
    const none_ = [t([0]), t([0]), t([0]), int(0)];
    expect(of('tex_ts.gelu_ts', x, ...none_, int(5))).to.equal('main 48 192');
    expect(of('tex_ts.swiglu_ts', x, ...scales, int(6))).to.equal('main 144 120'); // 6·24; 96 + 24
    const weight = bf16(6); // 12 bytes
    expect(of('tex_ts.layernorm_fwd_inf_ts', x, weight, weight, v(1e-5))).to.equal('main 240 216'); // 5·48
    const layer = of(
      'tex_ts.layernorm_fwd_fp8_inf_ts',
      x,
      weight,
      weight,
      v(1e-5),
      ...scales,
      int(6),
      int(0),
      v(false),
    );
    expect(layer).to.equal('main 432 168'); // 9·48; 96 + 24 + 48
    expect(of('tex_ts.rmsnorm_fwd_fp8_inf_ts', x, weight, v(1e-5), ...scales, int(6))).to.equal('main 384 156');
    expect(of('tex_ts.rmsnorm_fwd_inf_ts', x, weight, v(1e-5), int(0), v(false))).to.equal('main 192 204'); // 4·48
  });
});

describe('normalisation that apex registers', () => {
  const [x, w, mean] = [bf16(8, 6), bf16(6), t([8])]; // 96, 12 and 32 bytes
  const tail = [v(1e-5), v(false)];

  it('of rows', () => {
    const shape = v([6]);
    // 5·48; 2·96 + 2·12 + 2·32
    expect(of('apex.fused_layer_norm_affine_fwd', x, w, w, shape, ...tail)).to.equal('main 240 280');
    expect(of('apex.fused_rms_norm_fwd', x, shape, ...tail)).to.equal('main 144 224'); // 3·48; 192 + 32
    // (9 + 3 + 1)·48; 3·96 + 3·12 + 2·32
    expect(of('apex.fused_layer_norm_affine_bwd', x, mean, mean, x, shape, w, w, ...tail)).to.equal('main 624 388');
    expect(of('apex.fused_rms_norm_bwd', x, mean, x, shape, ...tail)).to.equal('main 288 320'); // 6·48; 288 + 32
    expect(workOf(op('apex.fused_rms_norm_fwd', x, unspecified, ...tail))?.unknown).to.equal(
      'the length of a row is unspecified',
    );
  });
  it('of groups of channels, with SiLU or without', () => {
    const image = bf16(2, 6, 2, 2); // 48 elements, 96 bytes; 2·2·3 sums, 48 bytes
    const [plain, silu] = ['', 'silu'].map((act) => [v(1e-5), v(act), int(1)]);
    const forward = 'apex.group_norm_nhwc_fprop';
    expect(of(forward, image, int(3), w, w, ...(plain ?? []))).to.equal('main 240 264'); // 192 + 24 + 48
    expect(of(forward, image, int(3), w, w, ...(silu ?? []))).to.equal('main 288 264');
    const back = of('apex.group_norm_nhwc_bprop', image, t([12]), image, int(3), w, w, ...(plain ?? []));
    expect(back).to.equal('main 432 384'); // 9·48; 3·96 + 48 + 4·12
  });
});

describe('tokens to their experts and back', () => {
  const [tokens, rows] = [bf16(4, 8), bf16(8, 8)]; // 64 and 128 bytes
  const map = t([8], 'int32'); // 32 bytes

  it('by indices', () => {
    const index = t([4, 2], 'int32'); // 32 bytes
    expect(of('te_moe.permute_index_map', tokens, index, int(0), int(-1))).to.equal('main 0 256'); // 64 + 32 + 128 + 32
    expect(of('te_moe.permute_index_map', tokens, index, int(6), int(-1))).to.equal('main 0 224'); // two rows dropped
    expect(of('te_moe.permute_index_map', tokens, index, unspecified, unspecified)).to.equal('main 0 na');
    expect(of('te_moe.permute_index_map_bwd', rows, map, int(4), int(2))).to.equal('main 64 224');
    const probs = t([4, 2]); // 32 bytes
    expect(of('te_moe.unpermute_index_map_fwd', rows, map, probs, int(4), int(2))).to.equal('main 128 256');
    expect(of('te_moe.unpermute_index_map_fwd', rows, map, t([0]), int(4), int(2))).to.equal('main 64 224');
    // 3·64; 64 + 128 + 32 + 32 read, 128 + 32 written
    expect(of('te_moe.unpermute_index_map_bwd', tokens, rows, map, probs)).to.equal('main 192 416');
  });
  it('by masks', () => {
    const routing = t([4, 3], 'bool'); // 12 bytes; map 4·7·4 bytes
    const [wide, probs] = [t([4, 7], 'int32'), t([4, 3])];
    // 64 + 12 + 48 read, 128 + 112 + 32 written
    expect(of('te_moe.permute_mask_map_fwd', tokens, routing, int(8), probs, none)).to.equal('main 0 396');
    const back = of('te_moe.permute_mask_map_bwd', rows, t([8]), wide, none, int(4), int(3), int(8));
    expect(back).to.equal('main 64 384'); // 128 + 32 + 112 read, 64 + 4·3·4 written
    const forth = of('te_moe.unpermute_mask_map_fwd', rows, wide, none, int(4), int(3), int(8), none);
    expect(forth).to.equal('main 64 304');
  });
  it('padding and other order', () => {
    const padding = [v([2, 2]), v([4, 4])];
    expect(of('transformer_engine.fused_multi_row_padding', tokens, rows, ...padding)).to.equal('main 0 192');
    expect(of('transformer_engine.fused_multi_row_unpadding', rows, tokens, ...padding)).to.equal('main 0 128');
    expect(of('transformer_engine.swap_first_dims', tokens, none)).to.equal('main 0 128');
    expect(of('transformer_engine.fp8_transpose', t([4, 8], 'uint8'), int(6), none)).to.equal('main 0 64');
    expect(of('te_attention.fa_prepare_fwd', bf16(8, 2, 4, 16))).to.equal('main 0 12288'); // 2·3·2048
    expect(of('te_attention.fa_prepare_bwd', ...new Array<Arg>(3).fill(bf16(8, 2, 4, 16)))).to.equal('main 0 12288');
  });
});
