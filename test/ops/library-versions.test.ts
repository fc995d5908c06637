/** Ops of libraries as their versions register them: with and without a bias, into a result, with packed factors. */
import { expect } from 'chai';
import { amount as amountOn, float, int, workOf } from '../support/amounts.js';
import { kernel, none, t, v } from '../support/calls.js';
import type { Arg, OpCall } from '../../src/record/record.js';

const of = (mod: string, op: string, ...args: readonly Arg[]): OpCall => ({ mod, op, args, from: 'dispatcher' });
const amount = (call: OpCall): string | null => amountOn(call, kernel('gemm_kernel'));
const unspecified: Arg = { name: '', type: 'unknown' };
const [yes, no] = [v(true), v(false)];
const half = (...shape: readonly number[]): Arg => t(shape, 'bfloat16');
const byte = (...shape: readonly number[]): Arg => t(shape, 'float8_e4m3fn');

describe('products by Marlin', () => {
  // [8, 256]·[256, 128] of 4 bits: 16 tiles of 16·128 values, 8 to a word; groups of 128
  const [a, w, scales, bias] = [half(8, 256), t([16, 256], 'int32'), half(2, 128), half(128)];
  const workspace = t([4], 'int32');
  const flops = 2 * 8 * 128 * 256;
  const sizes = [int(8), int(128), int(256)];
  const flags = [yes, no, yes, no];
  const end = [none, none, none, workspace, int(4), ...sizes, ...flags];
  // 4096 + 16384 + 512 + 16 read, 2048 written
  const plain = `main ${flops} 23056`;
  const biased = `main ${flops} 23312`;

  it('have other arguments in every version', () => {
    const run = (...args: readonly Arg[]): string | null => amount(of('_C', 'gptq_marlin_gemm', ...args));
    expect(run(a, none, w, bias, scales, none, none, ...end)).to.equal(biased);
    expect(run(a, none, w, none, scales, none, none, ...end)).to.equal(plain);
    expect(run(a, none, w, bias, scales, none, ...end)).to.equal(biased);
    expect(run(a, none, w, none, scales, none, ...end)).to.equal(plain);
    expect(run(a, none, w, scales, none, ...end)).to.equal(plain);
    expect(run(a, none, w, scales, ...end)).to.equal(plain);
    const empty = t([0], 'int32');
    expect(run(a, w, scales, empty, empty, empty, workspace, int(4), ...sizes, yes, no, yes, no)).to.equal(plain);
    expect(run(a, w, scales, empty, empty, empty, workspace, int(4), ...sizes, yes, no, yes)).to.equal(plain);
    expect(run(a, w, scales, empty, empty, workspace, int(4), ...sizes, yes)).to.equal(plain);
    expect(amount(of('sgl_kernel', 'gptq_marlin_gemm', a, none, w, scales, none, ...end))).to.equal(plain);
    expect(amount(of('_C', 'marlin_gemm', a, w, scales, workspace, ...sizes))).to.equal(plain);
  });
  it('write the result that they are given', () => {
    expect(amount(of('_C', 'gptq_marlin_gemm', a, half(8, 128), w, none, scales, none, none, ...end))).to.equal(plain);
  });
  it('have the columns of the scales where numbers are unspecified', () => {
    const blind = [unspecified, unspecified, unspecified, workspace, ...Array.from({ length: 8 }, () => unspecified)];
    expect(amount(of('_C', 'gptq_marlin_gemm', a, unspecified, w, scales, unspecified, ...blind))).to.equal(plain);
  });
});

describe('products of SGLang', () => {
  const run = (op: string, ...args: readonly Arg[]): string | null => amount(of('sgl_kernel', op, ...args));

  it('are scaled', () => {
    const scales = [t([8, 1]), t([32, 1])];
    // 2·8·32·64; 512 + 2048 + 160 + 512
    for (const op of ['fp8_scaled_mm', 'int8_scaled_mm'])
      expect(run(op, byte(8, 64), byte(64, 32), ...scales, int(15), none)).to.equal('main 32768 3232');
    expect(run('fp8_scaled_mm', byte(8, 64), byte(64, 32), ...scales, int(15), half(32))).to.equal('main 32768 3296');
    expect(run('fp8_blockwise_scaled_mm', byte(8, 64), byte(64, 32), ...scales, int(15))).to.equal('main 32768 3232');
  });
  it('have factors of 4 bits', () => {
    const [x, w] = [t([8, 32], 'uint8'), t([16, 32], 'uint8')];
    // 2·8·16·64; 256 + 512 + 8·4 + 16·4 + 4 + 256
    const scales = [byte(8, 4), byte(16, 4), t([1])];
    expect(run('cutlass_scaled_fp4_mm', half(8, 16), x, w, ...scales)).to.equal('main 16384 1124');
  });
  it('write the result that they are given', () => {
    // 2·4·16·64; 512 + 2048 + 128
    const sizes = 'main 8192 2688';
    expect(run('dsv3_fused_a_gemm', half(4, 16), half(4, 64), half(64, 16))).to.equal(sizes);
    expect(run('dsv3_router_gemm', half(4, 16), half(4, 64), half(16, 64))).to.equal(sizes);
    expect(amount(of('_moe_C', 'dsv3_router_gemm', half(4, 16), half(4, 64), half(16, 64)))).to.equal(sizes);
    // 2·2·4·16·64 ; 512 + 2048 + 8 + 256
    const scales = [t([1]), t([1])];
    const rest = [t([33554432], 'uint8'), int(1), int(2)];
    expect(run('bmm_fp8', byte(2, 4, 64), byte(2, 64, 16), half(2, 4, 16), ...scales, ...rest)).to.equal(
      'main 16384 2824',
    );
  });
  it('have packed weights', () => {
    // gptq: [4, 64]·[64, 16] of 4 bits; 512 + 512 + 8 + 64 + 256 read, 128 written
    const gptq = [t([8, 16], 'int32'), t([1, 2], 'int32'), half(2, 16), t([64], 'int32')];
    expect(run('gptq_gemm', half(4, 64), ...gptq, yes, int(4))).to.equal('main 8192 1480');
    // qserve: 256 + 512 + 32 + 8 + 32 + 8 read, 128 written
    const qserve = [t([16, 32], 'int8'), half(16), half(4), half(16), half(4), half(4, 16)];
    expect(run('qserve_w4a8_per_chn_gemm', t([4, 64], 'int8'), ...qserve)).to.equal('main 8192 976');
    // awq: 64·16 of 8 to a word; 512 + 64 + 16 read, 2048 written
    const awq = [t([64, 2], 'int32'), half(2, 16), t([2, 2], 'int32')];
    expect(run('awq_dequantize', ...awq)).to.equal('main 2048 2640');
    expect(amount(of('_C', 'awq_dequantize', ...awq, int(0), int(0), int(0)))).to.equal('main 2048 2640');
  });
  it('are grouped by expert', () => {
    const [offsets, sizes] = [t([2], 'int32'), t([2, 3], 'int32')];
    const strides = t([2], 'int64');
    // 12 rows of 64 values by 16 columns: 2·12·16·64
    const fp4 = [half(12, 16), t([12, 32], 'uint8'), t([2, 16, 32], 'uint8'), byte(12, 4), byte(2, 16, 4), t([2])];
    // 384 + 1024 + 48 + 128 + 8, 2·16, 24 + 8 + 8 read, 384 written
    expect(run('cutlass_fp4_group_mm', ...fp4, strides, strides, sizes, offsets, offsets)).to.equal('main 24576 2048');
    expect(amount(of('_C', 'cutlass_fp4_group_mm', ...fp4, sizes, offsets, offsets))).to.equal('main 24576 2016');
    const pointers = Array.from({ length: 5 }, () => strides);
    const factors = [byte(12, 64), byte(2, 64, 16), t([12, 1]), t([2, 1, 1])];
    // 80 of pointers, 768 + 2048 + 48 + 8 read, 384 written
    expect(
      run('fp8_blockwise_scaled_grouped_mm', half(12, 16), ...pointers, ...factors, strides, t([9999], 'uint8')),
    ).to.equal('main 24576 3336');
  });
});

describe('ops of AITER', () => {
  const [a, w, scales] = [byte(4, 64), byte(16, 64), [t([4, 1]), t([1, 16])]];
  // 2·4·16·64; 256 + 1024 + 80 + 128
  const plain = 'main 8192 1488';

  it('multiply, and write the result that they are given', () => {
    const run = (op: string, ...args: readonly Arg[]): string | null => amount(of('aiter', op, a, w, ...args));
    for (const op of ['gemm_a8w8', 'gemm_a8w8_CK', 'gemm_a8w8_bpreshuffle'])
      expect(run(op, ...scales, none, int(15), none)).to.equal(plain);
    for (const op of ['gemm_a8w8_blockscale', 'gemm_a8w8_blockscale_bpreshuffle'])
      expect(run(op, ...scales, int(15))).to.equal(plain);
    expect(run('gemm_a8w8_ck', ...scales, half(4, 16), none, int(0))).to.equal(plain);
    expect(run('gemm_a8w8_ck', ...scales, half(4, 16), half(16), int(0))).to.equal('main 8192 1520');
    expect(run('gemm_a8w8_bpreshuffle_ck', ...scales, half(4, 16), int(0))).to.equal(plain);
    expect(run('gemm_a8w8_asm', ...scales, half(4, 16), v(''), none, yes, none)).to.equal(plain);
    expect(run('gemm_a8w8_blockscale_bpreshuffle_asm', half(4, 16), ...scales, none, none)).to.equal(plain);
  });
  it('multiply by the weights of experts, packed or not', () => {
    const [weights, ids] = [t([8, 2]), t([8, 2], 'int32')];
    const rest = [weights, ids, none, int(0), int(0), no];
    const flops = 2 * 16 * (24 * 16 + 16 * 12);
    expect(amount(of('aiter', 'fused_moe_', half(8, 16), half(4, 24, 16), half(4, 16, 12), ...rest))).to.equal(
      `main ${flops} na`,
    );
    const packed = [t([4, 24, 8], 'uint8'), t([4, 16, 6], 'uint8')];
    expect(amount(of('aiter', 'fused_moe_', half(8, 16), ...packed, ...rest))).to.equal(`main ${flops} na`);
    expect(amount(of('vllm', 'outplace_fused_experts', half(8, 16), ...packed, weights, ids))).to.equal(
      `main ${flops} na`,
    );
  });
});

describe('attention of FlashAttention 3', () => {
  // 2 sequences of 64 queries and keys, 4 heads of 32: 2·2·64·64·(32 + 32)·4
  const q = half(2, 64, 4, 32);
  const flops = 2 * 2 * 64 * 64 * (32 + 32) * 4;
  const nones = (count: number): Arg[] => Array.from({ length: count }, () => none);
  const settings = [float(0.1), no, int(-1), int(-1)];
  const forward = (mod: string, op: string, scales: number, ...rest: readonly Arg[]): number | null | undefined =>
    workOf(of(mod, op, q, q, q, ...nones(9), none, none, ...nones(6), ...nones(scales), ...settings, ...rest))?.flops;

  it('has as many scales as its version', () => {
    expect(forward('flash_attn_3', 'fwd', 3, int(0), float(0), no, none, int(0), none, int(0))).to.equal(flops);
    expect(forward('flash_attn_3', '_flash_attn_forward', 3, int(0), float(0))).to.equal(flops);
    const tail = [float(0), yes, none, int(0), none, int(0), none, int(1), int(0), none];
    expect(forward('_vllm_fa3_C', 'fwd', 3, ...tail)).to.equal(flops);
    expect(forward('_vllm_fa3_C', 'fwd', 4, ...tail)).to.equal(flops);
  });
  it('has the gradients behind the lengths, or before', () => {
    const before = [q, q, q, q, q, t([2, 4, 64])];
    const rest = [...settings, float(0), no, int(0)];
    const backward = of('flash_attn_3', 'bwd', ...before, q, q, q, ...nones(6), ...rest);
    const wrapped = of('flash_attn_3', '_flash_attn_backward', ...before, ...nones(6), q, q, q, ...rest);
    expect(workOf(wrapped)?.flops).to.equal(2.5 * flops);
    expect(amount(wrapped)).to.equal(amount(backward));
  });
  it('reads a cache of which the used part is unspecified', () => {
    const call = of('_vllm_fa2_C', 'fwd_kvcache', q, q, q, none, none, t([2], 'int32'), ...nones(7), ...settings);
    expect(workOf(call)?.flops).to.equal(null);
    const all = of('_vllm_fa2_C', 'fwd_kvcache', q, q, q, ...nones(10), ...settings);
    expect(workOf(all)?.flops).to.equal(flops);
  });
});
