import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { renderParams, type Work } from '../../../../src/ops/family.js';
import { blas } from '../../../../src/ops/families/products/blas.js';
import type { Arg, OpCall } from '../../../../src/record/record.js';
import { byPyprof, call, kernel, t, v } from '../../../support/calls.js';
import { itShared } from '../../../support/shared.js';

const GEMM = kernel('volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn');

function work(of: OpCall, by = GEMM): Work {
  const found = blas.work(of, by);
  if (found === null) throw new Error(`no work for ${of.op}`);
  return found;
}

describe('linear', () => {
  const X = t([64, 1024], 'float16');
  const W = t([4096, 1024], 'float16');
  const B = t([4096], 'float16');
  const linear = call('torch.nn.functional.linear', X, W, B);

  it('forward: 2·m·n·k FLOPs, all tensors in bytes', () => {
    // m = 4096, n = 64, k = 1024: 2·4096·64·1024; 2·(64·1024 + 4096·1024 + 64·4096 + 4096)
    const found = work(linear);
    expect(found).to.include({ role: 'main', flops: 536870912, bytes: 9052160, matmul: true });
    expect(work(linear, byPyprof(GEMM))).to.include({ flops: 536870912, bytes: 9043968 }); // without the bias
    expect(renderParams(found.params)).to.equal('M=4096,N=64,K=1024,fp16,');
  });

  it('backward: input gradient, weight gradient, and what comes later, each at the same cost', () => {
    const rows = [0, 1, 2].map((sub) => work(linear, kernel('volta_fp16_s884gemm_fp16', 'bprop', sub)));
    expect(rows.map(({ role }) => role)).to.deep.equal(['dgrad', 'wgrad', 'main']);
    expect(rows.map(({ flops }) => flops)).to.deep.equal([536870912, 536870912, 536870912]);
    expect(rows.map(({ bytes }) => bytes)).to.deep.equal([9043968, 9043968, 9043968]);
    expect(rows.map(({ params }) => renderParams(params))).to.deep.equal([
      'M=1024,N=64,K=4096,fp16,',
      'M=1024,N=4096,K=64,fp16,',
      'X=(64,1024),W=(4096,1024),fp16,',
    ]);
  });

  it('takes the words in a kernel name before its transposition, and that before its place', () => {
    expect(work(linear, kernel('volta_sgemm_64x32_sliced1x4_nt', 'bprop', 0)).role).to.equal('wgrad');
    expect(work(linear, kernel('volta_sgemm_64x32_sliced1x4_nn', 'bprop', 1)).role).to.equal('dgrad');
    expect(work(linear, kernel('cutlass_80_tensorop_s1688gemm_128x64_16x6_nt_align4', 'bprop', 0)).role).to.equal(
      'wgrad',
    );
    expect(work(linear, kernel('sm80_xmma_dgrad_gemm_f16_nt', 'bprop', 1)).role).to.equal('dgrad');
    expect(work(linear, kernel('sm90_xmma_wgrad_f16f16', 'bprop', 0)).role).to.equal('wgrad');
    expect(work(linear, kernel('sm90_xmma_dgrad_f16f16', 'bprop', 5)).role).to.equal('dgrad');
  });

  it('bias kernel: forward reads and writes the result, backward writes the bias gradient', () => {
    // m·n = 262144 adds; forward 2·(2·262144 + 4096); backward 2·(262144 + 4096)
    const forward = work(
      linear,
      kernel('void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>'),
    );
    expect(forward).to.include({ role: 'bias', label: 'bias', flops: 262144, bytes: 1056768 });
    expect(renderParams(forward.params)).to.equal('M=4096,N=64,fp16,');
    expect(work(linear, kernel('reduce_kernel', 'bprop', 2))).to.include({
      role: 'bias',
      flops: 262144,
      bytes: 532480,
    });
  });

  it('elementwise kernels have no share without a bias, nor do copies and fills with one', () => {
    const bare = call('torch.nn.functional.linear', X, W, v(null));
    const helper = { role: 'helper', flops: 0, bytes: 0 };
    expect(work(bare, kernel('elementwise_kernel'))).to.include(helper);
    expect(
      work(linear, kernel('void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>')),
    ).to.include(helper);
    expect(
      work(linear, kernel('void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(int)>')),
    ).to.include(helper);
    expect(work(linear, kernel('void cublasLt::splitKreduce_kernel<32, 16, int, float>(int)', 'bprop', 1))).to.include(
      helper,
    );
    expect(work(linear, kernel('softmax_warp_backward', 'bprop', 3))).to.include(helper);
  });

  it('keeps the leading extents of x as a tuple, and knows a vector', () => {
    // n = 8·128: 2·4096·1024·1024
    const deep = work(call('torch.nn.functional.linear', t([8, 128, 1024], 'float16'), W, B));
    expect(deep.flops).to.equal(8589934592);
    expect(renderParams(deep.params)).to.equal('M=4096,N=(8,128),K=1024,fp16,');
    const vector = work(call('torch.nn.functional.linear', t([1024], 'float16'), W, B), kernel('gemv2T_kernel_val'));
    expect(vector.flops).to.equal(2 * 4096 * 1024);
    expect(renderParams(vector.params)).to.equal('M=4096,N=(),K=1024,fp16,');
  });

  it('takes keywords, other modules and mixed types', () => {
    const named = [t([64, 1024], 'float32', 'input'), t([4096, 1024], 'float16', 'weight')];
    // x and y of 4 bytes, W of 2: 4·64·1024 + 2·4096·1024 + 4·64·4096
    const found = work(call('torch.linear', ...named));
    expect(found.bytes).to.equal(262144 + 8388608 + 1048576);
    expect(renderParams(found.params)).to.equal('M=4096,N=64,K=1024,fp32,fp16,');
  });

  it('has FLOPs but no bytes for an element type of unknown size, and says why', () => {
    const found = work(call('torch.linear', t([2, 3], 'posit16'), t([4, 3], 'posit16')));
    expect(found).to.include({ flops: 48, bytes: null, unknown: 'the element size of posit16 is unknown' });
  });

  it('gives no answer where the arguments do not fit', () => {
    const misfits: readonly (readonly Arg[])[] = [
      [],
      [X],
      [v(1), v('x')],
      [t([64, 5]), t([4096, 1024])],
      [t([]), W],
      [X, t([1024])],
      [X, t([2, 4096, 1024])],
      [X, W, t([7])],
      [{ name: '', type: 'tensor', shape: [1] }, W],
    ];
    for (const args of misfits) expect(blas.work(call('torch.linear', ...args), GEMM)).to.equal(null);
  });
});

describe('matrix products', () => {
  const mm = (name: string, ...shapes: readonly (readonly number[])[]): OpCall =>
    call(name, ...shapes.map((s) => t(s)));
  const rows: readonly (readonly [OpCall, flops: number, elements: number, params: string, addend?: number])[] = [
    // 2·m·n·k; mk + kn + mn; the elements of C
    [mm('torch.mm', [256, 512], [512, 128]), 33554432, 229376, 'M=128,N=256,K=512,fp32,'],
    [mm('aten.aten::mm', [256, 512], [512, 128]), 33554432, 229376, 'M=128,N=256,K=512,fp32,'],
    // b = 4 of them
    [mm('Tensor.bmm', [4, 256, 512], [4, 512, 128]), 134217728, 917504, 'B=4,M=128,N=256,K=512,fp32,'],
    [
      mm('torch.baddbmm', [4, 256, 128], [4, 256, 512], [4, 512, 128]),
      134217728,
      917504,
      'B=4,M=128,N=256,K=512,fp32,',
      131072,
    ],
    // four products summed into one result: 4·(mk + kn) + mn
    [
      mm('torch.addbmm', [256, 128], [4, 256, 512], [4, 512, 128]),
      134217728,
      819200,
      'B=4,M=128,N=256,K=512,fp32,',
      32768,
    ],
    [mm('torch.addmm', [128], [256, 512], [512, 128]), 33554432, 229376, 'M=128,N=256,K=512,fp32,', 128],
    [mm('Tensor.addmm_', [256, 128], [256, 512], [512, 128]), 33554432, 229376, 'M=128,N=256,K=512,fp32,', 32768],
    // matrix by vector: 2·256·512; 256·512 + 512 + 256
    [mm('torch.mv', [256, 512], [512]), 262144, 131840, 'M=1,N=256,K=512,fp32,'],
    [mm('torch.addmv', [256], [256, 512], [512]), 262144, 131840, 'M=1,N=256,K=512,fp32,', 256],
    // 2·128; 128 + 128 + 1
    [mm('torch.dot', [128], [128]), 256, 257, 'M=1,N=1,K=128,fp32,'],
    [mm('torch.matmul', [128], [128]), 256, 257, 'A=(128,),B=(128,),fp32,'],
    // row vector by matrix: 2·64·32; 64 + 64·32 + 32
    [mm('torch.matmul', [64], [64, 32]), 4096, 2144, 'A=(64,),B=(64,32),fp32,'],
    // 8·12 products: 2·96·128·128·64; 96·(128·64 + 64·128 + 128·128)
    [
      mm('torch.matmul', [8, 12, 128, 64], [8, 12, 64, 128]),
      201326592,
      3145728,
      'A=(8,12,128,64),B=(8,12,64,128),fp32,',
    ],
    // the second operand is read once: 96·128·64 + 64·128 + 96·128·128
    [mm('Tensor.__matmul__', [8, 12, 128, 64], [64, 128]), 201326592, 2367488, 'A=(8,12,128,64),B=(64,128),fp32,'],
    // batches [8,1] and [12] make 96 products: 8·2·3 + 12·3·4 + 96·2·4
    [mm('torch.matmul', [8, 1, 2, 3], [12, 3, 4]), 96 * 48, 960, 'A=(8,1,2,3),B=(12,3,4),fp32,'],
    [mm('torch.mm', [0, 512], [512, 128]), 0, 65536, 'M=128,N=0,K=512,fp32,'],
  ];
  for (const [of, flops, elements, params, addend = 0] of rows) {
    it(`${of.mod}.${of.op} ${params}`, () => {
      const found = work(of);
      expect(found).to.include({ role: 'main', flops, bytes: 4 * (elements + addend) });
      expect(work(of, byPyprof(GEMM))).to.include({ flops, bytes: 4 * elements });
      expect(renderParams(found.params)).to.equal(params);
    });
  }

  it('a dot product is no work for a matrix unit, a matrix by a vector is', () => {
    expect(work(mm('torch.dot', [128], [128])).matmul).to.equal(false);
    expect(work(mm('torch.matmul', [128], [128])).matmul).to.equal(false);
    expect(work(mm('torch.mv', [4, 128], [128])).matmul).to.equal(true);
  });

  it('addmm takes its old form and keywords', () => {
    const factors = [t([256, 512]), t([512, 128])];
    const old = call('torch.addmm', v(1), t([256, 128]), v(1), ...factors);
    const named = call(
      'torch.addmm',
      t([128], 'float32', 'input'),
      t([512, 128], 'float32', 'mat2'),
      t([256, 512], 'float32', 'mat1'),
    );
    expect(work(old).flops).to.equal(33554432);
    expect(work(named).flops).to.equal(33554432);
  });

  it('gives the backward products the cost of the forward one, and C its gradient where it was broadcast', () => {
    const addmm = mm('torch.addmm', [128], [256, 512], [512, 128]);
    expect(work(addmm, kernel('volta_sgemm', 'bprop', 0))).to.include({ role: 'dgrad', flops: 33554432 });
    expect(work(addmm, kernel('volta_sgemm_tn', 'bprop', 1))).to.include({ role: 'wgrad', flops: 33554432 });
    // 256·128 adds; 4·(256·128 + 128)
    expect(work(addmm, kernel('reduce_kernel', 'bprop', 2))).to.include({ role: 'bias', flops: 32768, bytes: 131584 });
    const full = mm('torch.addmm', [256, 128], [256, 512], [512, 128]);
    expect(work(full, kernel('reduce_kernel', 'bprop', 2))).to.include({ role: 'helper', flops: 0, bytes: 0 });
    expect(work(addmm, kernel('elementwise_kernel'))).to.include({ role: 'helper', flops: 0, bytes: 0 });
  });

  it('gives no answer where the arguments do not fit', () => {
    const misfits = [
      mm('torch.mm', [2, 3], [4, 5]),
      mm('torch.mm', [2, 3, 4], [2, 4, 5]),
      mm('torch.bmm', [2, 3, 4], [3, 4, 5]),
      mm('torch.mm', [2, 3]),
      mm('torch.matmul', [2, 2, 3], [3, 3, 4]),
      mm('torch.matmul', [], [3]),
      mm('torch.addmm', [7], [2, 3], [3, 4]),
      mm('torch.dot', [3], [4]),
      call('torch.mm', v([1, 2]), v(null)),
    ];
    for (const misfit of misfits) expect(blas.work(misfit, GEMM), misfit.op).to.equal(null);
  });

  interface Counted {
    readonly case: string;
    readonly op: string;
    readonly args: readonly (Arg & { readonly value?: unknown })[];
    readonly flops: number;
  }
  itShared('counts what torch counts', ['reference/flop-counter/flop_counter.jsonl'], ([path = '']) => {
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    const counted = lines
      .map((line) => JSON.parse(line) as Counted)
      .filter(({ op }) => /^aten\.(mm|addmm|bmm|baddbmm)\./.test(op));
    expect(counted.length).to.be.greaterThan(150);
    for (const { op, args, flops, case: title } of counted) {
      const found = blas.work({ mod: 'aten', op: op.split('.')[1] ?? '', args }, GEMM);
      expect(found?.flops, title).to.equal(flops);
    }
  });
});
