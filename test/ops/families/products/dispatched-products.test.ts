import { expect } from 'chai';
import fc from 'fast-check';
import { blas } from '../../../../src/ops/families/products/blas.js';
import type { Arg, OpCall } from '../../../../src/record/record.js';
import { amount, paramsOf, workOf } from '../../../support/amounts.js';
import { aten, kernel, none, t, ts, v } from '../../../support/calls.js';
import { propertyRuns } from '../../../support/property-runs.js';

const GEMM = kernel('sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n');
const BF16 = 'bfloat16';
const FP8 = 'float8_e4m3fn';
const unspecified: Arg = { name: '', type: 'unknown' };

const b = (...shape: readonly number[]): Arg => t(shape, BF16);
const custom = (mod: string, op: string, ...args: readonly Arg[]): OpCall => ({ ...aten(op, ...args), mod });

type Row = readonly [title: string, call: OpCall, amounts: string | null];

function table(rows: readonly Row[]): void {
  for (const [title, call, amounts] of rows)
    it(`${call.mod}::${call.op} ${title}`, () => {
      expect(amount(call, GEMM)).to.equal(amounts);
    });
}

describe('dispatched matrix products', () => {
  const one = v(1);
  // FLOPs 2·m·n·k; bytes of 2 to an element
  table([
    ['', aten('mm', b(8, 32), b(32, 16)), `main ${2 * 8 * 32 * 16} ${2 * (256 + 512 + 128)}`],
    ['with a type for the result', aten('mm', b(8, 32), b(32, 16), v(6)), `main 8192 ${2 * 768 + 4 * 128}`],
    ['into a tensor', aten('mm', b(8, 32), b(32, 16), t([8, 16])), `main 8192 ${2 * 768 + 4 * 128}`],
    ['of an unspecified type', aten('mm', t([8, 32], 'na'), t([32, 16], 'na')), 'main 8192 na'],
    ['misfit', aten('mm', b(8, 32), b(31, 16)), null],
    // C of 16 elements is read
    ['', aten('addmm', b(16), b(8, 32), b(32, 16), one, one), `main 8192 ${2 * (16 + 896)}`],
    ['with beta 0', aten('addmm', b(16), b(8, 32), b(32, 16), v(0), one), `main 8192 ${2 * 896}`],
    [
      'without values',
      aten('addmm', b(16), b(8, 32), b(32, 16), unspecified, unspecified),
      `main 8192 ${2 * (16 + 896)}`,
    ],
    ['into a tensor', aten('addmm', b(16), b(8, 32), b(32, 16), one, one, b(8, 16)), `main 8192 ${2 * (16 + 896)}`],
    ['in place', aten('addmm_', b(8, 16), b(8, 32), b(32, 16), one, one), `main 8192 ${2 * (128 + 896)}`],
    ['with a misfit for C', aten('addmm', b(15), b(8, 32), b(32, 16), one, one), null],
    ['', aten('bmm', b(4, 8, 32), b(4, 32, 16)), `main ${4 * 8192} ${4 * 2 * 896}`],
    ['', aten('baddbmm', b(4, 8, 16), b(4, 8, 32), b(4, 32, 16), v(0), one), `main ${4 * 8192} ${4 * 2 * 896}`],
    [
      '',
      aten('addbmm', b(8, 16), b(4, 8, 32), b(4, 32, 16), one, one),
      `main ${4 * 8192} ${2 * (128 + 4 * 768 + 128)}`,
    ],
    ['', aten('mv', b(8, 32), b(32)), `main 512 ${2 * (256 + 32 + 8)}`],
    ['', aten('linear', b(2, 4, 32), b(16, 32), b(16)), `main 8192 ${2 * (16 + 896)}`],
    ['without bias', aten('linear', b(2, 4, 32), b(16, 32), none), `main 8192 ${2 * 896}`],
    // 2·3 batches, the second operand read once
    ['broadcast', aten('matmul', b(2, 3, 8, 32), b(32, 16)), `main ${6 * 8192} ${2 * (6 * 256 + 512 + 6 * 128)}`],
    ['', aten('_int_mm', t([8, 32], 'int8'), t([32, 16], 'int8')), `main 8192 ${768 + 4 * 128}`],
    [
      '',
      aten('_weight_int8pack_mm', b(8, 32), t([16, 32], 'int8'), b(16)),
      `main 8192 ${2 * 256 + 512 + 2 * (16 + 128)}`,
    ],
  ]);

  it('a helper among the kernels has none of it', () => {
    const split = kernel('void cublasLt::splitKreduce_kernel<32, 16, int, float>(int)');
    expect(amount(aten('mm', b(8, 32), b(32, 16)), split)).to.equal('helper 0 0');
  });
  it('shows M, N, K, or the operands where rows are folded', () => {
    expect(paramsOf(aten('mm', b(8, 32), b(32, 16)))).to.equal('M=16,N=8,K=32,bf16,');
    expect(paramsOf(aten('matmul', b(2, 3, 8, 32), b(32, 16)))).to.equal('A=(2,3,8,32),B=(32,16),bf16,');
  });
});

describe('scaled products', () => {
  const f8 = (...shape: readonly number[]): Arg => t(shape, FP8);
  const scale = t([]);
  const mm = (...rest: readonly Arg[]): OpCall => aten('_scaled_mm', f8(8, 32), f8(32, 16), ...rest);
  // fp8 operands, two scales of 4 bytes, a result of 2 bytes an element
  table([
    ['by the number of a type', mm(scale, scale, none, none, v(15), v(false)), `main 8192 ${768 + 8 + 2 * 128}`],
    ['by its name', mm(scale, scale, none, none, v('bfloat16'), v(false)), `main 8192 ${768 + 8 + 2 * 128}`],
    ['in the type of the operands', mm(scale, scale, none, none, none, v(false)), `main 8192 ${768 + 8 + 128}`],
    ['of the older order', mm(none, v(15), scale, scale, none, v(false)), `main 8192 ${768 + 8 + 2 * 128}`],
    [
      'of lists of scales',
      aten(
        '_scaled_mm_v2',
        f8(8, 32),
        f8(32, 16),
        ts(scale),
        v([0]),
        v([0]),
        ts(scale),
        v([0]),
        v([0]),
        none,
        v(15),
        v([]),
        v(false),
      ),
      `main 8192 ${768 + 8 + 2 * 128}`,
    ],
  ]);
  it('counts both values of a 4-bit pair', () => {
    const f4 = (...shape: readonly number[]): Arg => t(shape, 'float4_e2m1fn_x2');
    const call = aten('_scaled_mm', f4(8, 16), f4(16, 16), scale, scale, none, none, v(15), v(false));
    // k = 32 values; an element is a byte with two of them
    expect(amount(call, GEMM)).to.equal(`main 8192 ${128 + 256 + 8 + 2 * 128}`);
  });
});

describe('grouped products', () => {
  const offs = t([4], 'int32');
  const rest = [offs, none, none];
  table([
    [
      'rows in groups',
      aten('_grouped_mm', b(64, 32), b(4, 32, 16), ...rest),
      `main ${2 * 64 * 32 * 16} ${2 * (2048 + 2048 + 1024) + 16}`,
    ],
    [
      'inner extents in groups',
      aten('_grouped_mm', b(8, 64), b(64, 16), ...rest),
      `main ${2 * 8 * 64 * 16} ${2 * (512 + 1024 + 4 * 128) + 16}`,
    ],
    [
      'columns in groups',
      aten('_grouped_mm', b(4, 8, 32), b(32, 64), ...rest),
      `main ${2 * 8 * 32 * 64} ${2 * (1024 + 2048 + 512) + 16}`,
    ],
    ['a batch', aten('_grouped_mm', b(4, 8, 32), b(4, 32, 16), none, none, none), `main ${4 * 8192} ${2 * 4 * 896}`],
    ['misfit', aten('_grouped_mm', b(64, 32), b(4, 31, 16), ...rest), null],
  ]);
});

describe('products of other libraries', () => {
  const f8 = (...shape: readonly number[]): Arg => t(shape, FP8);
  const scale = t([1]);
  const packed = t([32, 2], 'int32');
  table([
    [
      '',
      custom('_C', 'cutlass_scaled_mm', b(8, 16), f8(8, 32), f8(32, 16), scale, scale, none),
      `main 8192 ${768 + 8 + 2 * 128}`,
    ],
    ['x·Wᵀ', custom('vllm', 'rocm_unquantized_gemm', b(8, 32), b(16, 32), none), `main 8192 ${2 * 896}`],
    // scales [1, 16] have the columns
    [
      '',
      custom('_C', 'awq_gemm', b(8, 32), packed, b(1, 16), t([1, 2], 'int32'), v(8)),
      `main 8192 ${2 * (256 + 16 + 128) + 4 * (64 + 2)}`,
    ],
    [
      'columns by number',
      custom('_C', 'ggml_mul_mat_a8', t([16, 18], 'uint8'), b(8, 32), v(2), v(16)),
      `main 8192 ${288 + 2 * (256 + 128)}`,
    ],
    [
      'columns unspecified',
      custom('_C', 'ggml_mul_mat_a8', t([16, 18], 'uint8'), b(8, 32), unspecified, unspecified),
      'main na na',
    ],
    [
      '',
      aten('_weight_int4pack_mm', b(8, 32), t([2, 1, 32, 4], 'int32'), v(32), b(1, 16, 2)),
      `main 8192 ${2 * (256 + 32 + 128) + 4 * 256}`,
    ],
  ]);
  it('Marlin: the columns by number, with and without scales of the activations', () => {
    const w = t([2, 32], 'int32');
    const end = [none, none, none, t([8], 'int32'), v(7), v(8), v(16), v(32), v(true), v(false), v(true), v(false)];
    const bytes = 4 * (64 + 8) + 2 * (256 + 16 + 128);
    const before = [b(8, 32), none, w, none, b(1, 16)];
    expect(amount(custom('_C', 'marlin_gemm', ...before, none, none, ...end), GEMM)).to.equal(`main 8192 ${bytes}`);
    expect(amount(custom('_C', 'gptq_marlin_gemm', ...before, none, ...end), GEMM)).to.equal(`main 8192 ${bytes}`);
  });
  it('TransformerEngine: the inner extent follows from those of D, whatever is transposed', () => {
    const te = (...[a, bb, d]: readonly Arg[]): OpCall =>
      custom(
        'tex_ts',
        'te_gemm_ts',
        a ?? none,
        scale,
        v(0),
        v(1),
        v(1),
        bb ?? none,
        scale,
        v(0),
        v(1),
        v(0),
        d ?? none,
        scale,
        v(1),
        scale,
        none,
        v(1),
        none,
        v(false),
        t([8], 'uint8'),
        v(8),
        v(false),
        v(false),
      );
    const amounts = `main 8192 ${768 + 2 * 128}`;
    expect(amount(te(f8(16, 32), f8(8, 32), b(8, 16)), GEMM)).to.equal(amounts);
    expect(amount(te(f8(32, 16), f8(8, 32), b(8, 16)), GEMM)).to.equal(amounts);
    expect(amount(te(f8(16, 31), f8(8, 32), b(8, 16)), GEMM)).to.equal(null);
  });
});

describe('contractions', () => {
  const f = (...shape: readonly number[]): Arg => t(shape);
  const einsum = (equation: string, ...operands: readonly Arg[]): OpCall =>
    aten('einsum', v(equation), ts(...operands), none);
  table([
    ['ij,jk->ik', einsum('ij,jk->ik', f(2, 3), f(3, 4)), `main ${2 * 2 * 3 * 4} ${4 * (6 + 12 + 8)}`],
    ['implied result', einsum('ij,jk', f(2, 3), f(3, 4)), `main 48 ${4 * 26}`],
    ['no index summed', einsum('i,j->ij', f(5), f(6)), `main 30 ${4 * (5 + 6 + 30)}`],
    ['with dots', einsum('...ij,...jk->...ik', f(7, 2, 3), f(7, 3, 4)), `main ${7 * 48} ${7 * 4 * 26}`],
    ['one operand', einsum('ij->i', f(5, 6)), `main 30 ${4 * 35}`],
    // left to right: 2·2·3·4, then 2·2·4·5
    ['three operands', einsum('ij,jk,kl->il', f(2, 3), f(3, 4), f(4, 5)), `main ${48 + 80} ${4 * (6 + 12 + 20 + 10)}`],
    ['misfit', einsum('ij,jk->ik', f(2, 3), f(4, 4)), null],
    ['equation unspecified', aten('einsum', unspecified, ts(f(2, 3), f(3, 4)), unspecified), 'main na na'],
    [
      '',
      aten('tensordot', f(2, 3, 4), f(4, 3, 5), v([1, 2]), v([1, 0])),
      `main ${2 * 2 * 3 * 4 * 5} ${4 * (24 + 60 + 10)}`,
    ],
    ['unspecified', aten('tensordot', f(2, 3, 4), f(4, 3, 5), unspecified, unspecified), 'main na na'],
    ['', aten('inner', f(2, 3), f(4, 3)), `main 48 ${4 * (6 + 12 + 8)}`],
    ['', aten('bilinear', f(2, 3), f(2, 4), f(5, 3, 4), none), `main 320 ${4 * (6 + 8 + 60 + 10)}`],
    ['', aten('outer', f(5), f(6)), `main 30 ${4 * 41}`],
    ['', aten('addr', f(5, 6), f(5), f(6), v(1), v(1)), `main 60 ${4 * 71}`],
  ]);
  it('knows which are for a matrix unit', () => {
    expect(workOf(einsum('i,j->ij', f(5), f(6)), GEMM)?.matmul).to.equal(false);
    expect(workOf(einsum('ij,jk->ik', f(2, 3), f(3, 4)), GEMM)?.matmul).to.equal(true);
  });
});

describe('sparse products', () => {
  table([
    // half of the 8·32 values are kept
    [
      '2:4',
      aten('_sparse_semi_structured_mm', b(8, 16), t([8, 2], 'int16'), b(32, 64), none),
      `main ${2 * 8 * 16 * 64} ${2 * (128 + 16 + 2048 + 512)}`,
    ],
    ['of unknown fill', aten('_sparse_mm', b(8, 32), b(32, 64)), 'main na na'],
  ]);
});

describe('distances and transforms', () => {
  table([
    ['', aten('_cdist_forward', t([3, 8]), t([5, 8]), v(2), none), `main ${3 * 15 * 8} ${4 * (24 + 40 + 15)}`],
    // rows of 8 values and two more
    ['', aten('_euclidean_dist', t([3, 8]), t([5, 8])), `main ${2 * 15 * 10} ${4 * (24 + 40 + 15)}`],
    [
      'gradient',
      aten('_cdist_backward', t([3, 5]), t([3, 8]), t([5, 8]), v(2), t([3, 5])),
      `main ${4 * 15 * 8} ${4 * (15 + 24 + 40 + 15 + 24)}`,
    ],
    ['', aten('_pdist_forward', t([4, 8]), v(2)), `main ${3 * 6 * 8} ${4 * (32 + 6)}`],
    // complex: 5·n·log2 n for each of 4 transforms of 8
    ['', aten('_fft_c2c', t([4, 8], 'complex64'), v([1]), v(0), v(true)), `main ${4 * 5 * 8 * 3} ${8 * 64}`],
    ['', aten('_fft_c2r', t([4, 5], 'complex64'), v([1]), v(0), v(8)), `main ${2.5 * 4 * 8 * 3} ${8 * 20 + 4 * 32}`],
    ['unspecified', aten('_fft_c2c', t([4, 8], 'complex64'), unspecified, unspecified, unspecified), 'main na na'],
  ]);
});

describe('dispatched products on odd arguments', () => {
  const extent = fc.oneof(fc.nat(4), fc.constantFrom(-1, 0.5, 2 ** 53));
  const value = fc.oneof(
    fc.integer(),
    fc.boolean(),
    fc.string(),
    fc.array(fc.integer(), { maxLength: 3 }),
    fc.constant(null),
  );
  const tensor = fc.record({
    ...{ name: fc.constant(''), type: fc.constant('tensor'), shape: fc.array(extent, { maxLength: 4 }) },
    dtype: fc.constantFrom(BF16, FP8, 'odd'),
  });
  const arg: fc.Arbitrary<Arg> = fc.oneof(
    { weight: 4, arbitrary: tensor },
    fc.record({ name: fc.constant(''), type: fc.constant('int'), value }),
    fc.record({ name: fc.constant(''), type: fc.constant('list'), items: fc.array(tensor, { maxLength: 3 }) }),
    fc.constant(unspecified),
  );
  it('never throw; what is not known has a reason', () => {
    const call = fc.tuple(fc.constantFrom(...blas.ops), fc.array(arg, { maxLength: 9 })).map(([op, args]) => {
      const dot = op.indexOf('.');
      return { mod: dot === -1 ? 'aten' : op.slice(0, dot), op: op.slice(dot + 1), args, from: 'dispatcher' as const };
    });
    fc.assert(
      fc.property(call, (of) => {
        const work = blas.work(of, GEMM);
        if (work === null) return;
        for (const number of [work.flops, work.bytes]) expect(number === null || number >= 0).to.equal(true);
        if (work.flops === null || work.bytes === null) expect(work.unknown).to.be.a('string');
      }),
      { seed: 1, numRuns: propertyRuns(1000) },
    );
  });
});
