import { expect } from 'chai';
import { adviserOf, findingsOf, silenceOf } from '../../support/advice.js';
import { aten, none, t, v } from '../../support/calls.js';
import { A100, device, profileOn } from '../../support/devices.js';
import { kernel, mm } from '../../support/kernels.js';
import type { KernelRecord, OpCall, ProfileRecord } from '../../../src/record/record.js';

const SIMT = 'cutlass::Kernel2<cutlass_80_simt_sgemm_128x128_8x4_nn_align1>';
const on = (profile: ProfileRecord, ...kernels: KernelRecord[]) => [profile, ...kernels];
const product = (name: string, call: OpCall, dur: number, change: Partial<KernelRecord> = {}): KernelRecord =>
  kernel({ name, short: name, dur, calls: [call], op: [call.op], mod: [call.mod], ...change });
const V100 = device('Tesla V100-SXM2-16GB', { arch: 'sm70' });

describe('the rule fp32-product', () => {
  it('computes the gain from the roofline of TF32', () => {
    // 2·1024³ = 2147483648 FLOP / 156 TFLOP/s = 13765.9 ns; 3·1024²·4 = 12582912 bytes / 1555 GB/s = 8091.9 ns.
    const [found, ...more] = findingsOf('fp32-product', on(profileOn(A100), product(SIMT, mm(1024, 1024, 1024, 'float32'), 200_000))); // prettier-ignore
    expect(more).to.deep.equal([]);
    expect(found).to.deep.include({ profile: 0, device: 0, stake: 200_000, kernels: ['0:1'], count: 1 });
    expect(found?.gain?.ns).to.be.closeTo(200_000 - 2147483648 / 156e3, 0.01);
    expect(found?.gain?.how).to.equal('sum of dur − max(FLOPs / 156 TFLOP/s (tf32), bytes / 1.555 TB/s)');
    expect(found?.action).to.include('set_float32_matmul_precision');
    expect(found?.evidence).to.include({ flops: 2147483648, type: 'tf32' });
  });

  it('is held to the memory where that takes longer, and to the unit that there is', () => {
    // 2·4096·64·4096 = 2147483648 FLOP / 125 TFLOP/s = 17179.9 ns; in FP16 (2·64·4096 + 4096²)·2 = 34603008 bytes / 900 GB/s = 38447.8 ns.
    const call = mm(4096, 64, 4096, 'float32');
    const [found] = findingsOf('fp32-product', on(profileOn(V100), product('volta_sgemm_128x64_nn', call, 150_000)));
    expect(found?.gain?.ns).to.be.closeTo(150_000 - 34603008 / 0.9e3, 0.01);
    expect(found?.gain?.how).to.equal('sum of dur − max(FLOPs / 125 TFLOP/s (fp16), half the bytes / 900 GB/s)');
    expect(found?.action).to.match(/^autocast to float16/);
  });

  it('goes by the name of the kernel where no op is known, and by the architecture in it where the device is not', () => {
    const name = 'sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8_stage3_warpsize1x4x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas';
    const unnamed = kernel({ name, short: name, dur: 5000 });
    const [found] = findingsOf('fp32-product', on(profileOn(device(null)), unnamed));
    expect(found).to.include({ stake: 5000, gain: null });
    expect(found?.evidence).to.include({ type: 'tf32', kernelsWithKnownWork: 0 });
    // A V100 has no TF32; the name of a Volta kernel does not say what a newer device would have.
    const volta = kernel({ name: 'volta_sgemm_128x64_nn', short: 'volta_sgemm_128x64_nn', dur: 5000 });
    expect(findingsOf('fp32-product', on(profileOn(V100), volta))[0]?.evidence).to.include({ type: 'fp16' });
    expect(findingsOf('fp32-product', on(profileOn(A100), volta))[0]?.evidence).to.include({ type: 'tf32' });
    // Kernels other than products, and products of other types.
    const others = ['void at::native::vectorized_elementwise_kernel<4, float>', 'ampere_bf16_s16816gemm_bf16_128x64_nn'];
    const rest = others.map((other, i) => kernel({ id: i, name: other, short: other, dur: 5000 }));
    expect(findingsOf('fp32-product', on(profileOn(A100), ...rest))).to.deep.equal([]);
    // It is no older architecture's fault that a product is FP32.
    expect(findingsOf('old-architecture', on(profileOn(device('NVIDIA H100', { arch: 'sm90' })), unnamed))).to.deep.equal([]);
  }); // prettier-ignore

  it('has no gain on a device without known rates', () => {
    const unknown = profileOn(device('NVIDIA Something', { arch: 'sm80' }));
    const [found] = findingsOf('fp32-product', on(unknown, product(SIMT, mm(64, 64, 64, 'float32'), 5000)));
    expect(found).to.include({ stake: 5000, gain: null });
  });

  it('does not ask for TF32 where other products have it', () => {
    const rounded = 'cutlass_80_tensorop_s1688gemm_128x128_nn_align4';
    const kernels = [
      product('ampere_sgemm_128x64_nn', mm(647, 30, 1024, 'float32'), 9000),
      product('ampere_sgemm_32x32_nn', mm(128, 64, 1024, 'float32'), 5000, { id: 2, start: 20_000 }),
    ];
    const off = findingsOf('fp32-product', on(profileOn(A100), ...kernels));
    expect(off).to.have.length(1);
    expect(off[0]?.stake).to.equal(14_000);
    expect(off[0]?.action).to.equal("torch.set_float32_matmul_precision('high'); or autocast to bfloat16");
    const conv = aten('conv2d', t([8, 64, 32, 32]), t([64, 64, 3, 3]), none, v([1, 1]), v([1, 1]), v([1, 1]), v(1));
    const implicit = product('cudnn::cnn::implicit_convolve_sgemm', conv, 5000);
    const actionOf = (...some: KernelRecord[]) => findingsOf('fp32-product', on(profileOn(A100), ...some))[0]?.action;
    expect(actionOf(implicit)).to.equal('torch.backends.cudnn.allow_tf32 = True; or autocast to bfloat16');
    expect(actionOf(implicit, ...kernels)).to.equal(
      "torch.set_float32_matmul_precision('high'), for convolutions torch.backends.cudnn.allow_tf32 = True; or autocast to bfloat16",
    );
    expect(silenceOf('alignment', on(profileOn(A100), ...kernels))).to.equal('nothing');
    // One product as TF32: the switch is on. What k = 30 keeps off the unit is a matter of alignment.
    const allowed = on(profileOn(A100), ...kernels, product(rounded, mm(512, 512, 512, 'float32'), 5000, { id: 3, start: 14_000 }));
    const [found, ...more] = findingsOf('fp32-product', allowed);
    expect(more).to.deep.equal([]);
    expect(found).to.include({ stake: 5000, count: 1 });
    expect(found?.action).to.match(/^autocast to bfloat16 \(TF32 is on already/);
    const [aligned] = findingsOf('alignment', allowed);
    expect(aligned?.evidence).to.include({ timeNs: 9000, padded: 'm=647 n=1024 k=30 -> m=647 n=1024 k=32' });
    expect(aligned?.what).to.include('1 kernel in FP32 although other products of this profile run in TF32');
    // 2·647·1024·30·(32/30) / 156 TFLOP/s = 271.8 ns; 4·(647·30 + 30·1024 + 647·1024)·(32/30) / 1555 GB/s = 1956.0 ns.
    const bytes = 4 * (647 * 30 + 30 * 1024 + 647 * 1024);
    expect(aligned?.gain?.ns).to.be.closeTo(9000 - (bytes * 32) / 30 / 1555, 0.01);
  }); // prettier-ignore

  it('leaves convolutions on Ascend alone, which are rounded unless the profile says no', () => {
    const profile = profileOn(device('Ascend910B1', { arch: 'ascend910b', vendor: 'huawei' }));
    const conv = aten('conv2d', t([8, 64, 32, 32]), t([64, 64, 3, 3]), none, v([1, 1]), v([1, 1]), v([1, 1]), v(1));
    const labels = { taskType: 'AI_CORE' };
    const convolution = product('Conv2D1', conv, 5000, { labels });
    expect(silenceOf('fp32-product', on(profile, convolution))).to.equal('nothing');
    expect(findingsOf('fp32-product', on(profile, { ...convolution, labels: { ...labels, hf32: 'NO' } }))).to.have.length(1);
    // Matrix products are not rounded by default.
    const matmul = product('aclnnMm_MatMulCommon_MatMulV2', mm(512, 512, 512, 'float32'), 5000, { labels });
    expect(findingsOf('fp32-product', on(profile, matmul))).to.have.length(1);
  }); // prettier-ignore

  it('leaves other types, products on the unit, products with a vector, and old devices alone', () => {
    const tensor = 'ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_nn';
    const silent = on(
      profileOn(A100),
      product(tensor, mm(1024, 1024, 1024, 'bfloat16'), 9000),
      product('cutlass_80_tensorop_s1688gemm_128x128_nn_align4', mm(1024, 1024, 1024, 'float32'), 9000),
      product('void gemv2T_kernel_val<float>(int)', mm(1, 1024, 1024, 'float32'), 9000),
    );
    expect(silenceOf('fp32-product', silent)).to.equal('nothing');
    const pascal = device('Tesla P100-SXM2-16GB', { arch: 'sm60' });
    const old = on(profileOn(pascal), product('maxwell_sgemm_128x64_nn', mm(512, 512, 512, 'float32'), 9000));
    expect(silenceOf('fp32-product', old)).to.equal('nothing');
    expect(silenceOf('fp32-product', [profileOn(A100), kernel()])).to.match(
      /^no kernel is known to be a matrix product/,
    );
  });
});

describe('products of a NeuronCore', () => {
  const core = device('Trainium2', { vendor: 'aws', arch: 'nc-v3' });
  /** 128 rows and columns, 512 columns that move: 8388608 multiply-accumulates. */
  const matmul = (type: string, mode: string): KernelRecord =>
    kernel({
      ...{ name: 'MATMUL', short: 'MATMUL', engine: 'Tensor', dur: 1000, op: [], mod: [] },
      operands: `${mode}src=${type}@0x36ff8[1,0,0][512,1,1] dst=0x2000800[1,0,0][512,1,1] 128*128`,
      counters: { elements: 8388608, sbufReadBytes: 2048 },
    });

  it('should multiply BF16 where they are FP32, and fill the array where they are BF16', () => {
    const slow = matmul('fp32', 'fp32_mode=LOW_HIGH ');
    const [found] = findingsOf('fp32-product', on(profileOn(core), slow));
    expect(found?.what).to.equal('1 matrix instruction runs in FP32, 1 us: MATMUL 1 us');
    expect(found?.action).to.match(/^use BF16 operands/);
    // One of the two instructions counts as 8388608 FLOP; BF16 takes 106.7 ns for them at 78.64 TFLOP/s.
    expect(found?.gain?.ns).to.be.closeTo(1000 - 8388608 / 78.64e3, 0.1);
    expect(findingsOf('below-roof', on(profileOn(core), slow))).to.deep.equal([]);
    // Two that overlap take 1.5 us of the device, and at least twice 106.7 ns in BF16: they cannot save 2 × 893.3 ns.
    const [both] = findingsOf('fp32-product', on(profileOn(core), slow, { ...slow, id: 2, start: slow.start + 500 }));
    expect(both?.what).to.equal(
      '2 matrix instructions run in FP32, 1.500 us of device time (2 us summed, because they overlap): MATMUL 2 us',
    );
    expect(both?.stake).to.equal(1500);
    expect(both?.gain?.ns).to.be.closeTo(1500 - (2 * 8388608) / 78.64e3, 0.1);

    const fast = matmul('bf16', '');
    expect(findingsOf('fp32-product', on(profileOn(core), fast))).to.deep.equal([]);
    const [below] = findingsOf('below-roof', on(profileOn(core), fast));
    expect(below?.what).to.match(/^MATMUL runs at 21\.3 % of the peak FLOP\/s/);
    expect(below).to.include({ see: "dprof --where 'kernel==MATMUL' --by kernel,dtype,bound -f table FILE" });
    expect(below?.action).to.match(/^fill the array: 128 rows and columns of weights/);
  });
});

describe('the rule alignment', () => {
  const ALIGN1 = 'cutlass_80_tensorop_bf16_s16816gemm_bf16_64x64_nn_align1';

  it('gives the padded extents, the added work and what is gained', () => {
    // n: 50257 → 50264, 1.000139… of the work. FLOPs 2·1024·768·50257, at 312 TFLOP/s longer than the bytes.
    const call = mm(1024, 768, 50257, 'bfloat16');
    const [found] = findingsOf('alignment', on(profileOn(A100), product(ALIGN1, call, 2_000_000)));
    const factor = 50264 / 50257;
    expect(found?.evidence['padded']).to.equal('m=1024 n=50257 k=768 -> m=1024 n=50264 k=768');
    expect(found?.evidence['workFactor']).to.be.closeTo(factor, 1e-12);
    expect(found?.gain?.ns).to.be.closeTo(2_000_000 - (2 * 1024 * 768 * 50257 * factor) / 312e3, 0.01);
    expect(found?.action).to.equal(
      'pad m=1024 n=50257 k=768 to m=1024 n=50264 k=768 (multiples of 8, 0.01 % more work)',
    );
  });

  it('knows linear layers and convolutions', () => {
    const linear = aten('linear', t([4, 25, 100], 'bfloat16'), t([30, 100], 'bfloat16'), none);
    // `nn`: rows lie along n and k; how many rows there are does not matter.
    const shape = { out: 32 / 30, in: 104 / 100 };
    const conv = aten('conv2d', t([8, 3, 32, 32], 'float16'), t([64, 3, 3, 3], 'float16'), none, v([1, 1]), v([1, 1]), v([1, 1]), v(1)); // prettier-ignore
    const found = findingsOf(
      'alignment',
      on(
        profileOn(A100),
        product(ALIGN1, linear, 5000, { start: 1000 }),
        product('cutlass_80_tensorop_f16_s16816fprop_align1', conv, 5000, { start: 7000, id: 2 }),
      ),
    );
    const [first, ...more] = found;
    expect(more).to.deep.equal([]);
    expect(first).to.include({ stake: 10_000, count: 2 });
    // 2·100·100·30 FLOP and 2·(100·100 + 30·100 + 100·30) bytes at 32/30 · 104/100; the convolution at 8/3.
    const linearBytes = 2 * (100 * 100 + 30 * 100 + 100 * 30) * shape.out * shape.in;
    const convFlops = 2 * 8 * 64 * 32 * 32 * 3 * 9 * (8 / 3);
    const convBytes = 2 * (8 * 3 * 32 * 32 + 64 * 27 + 8 * 64 * 32 * 32) * (8 / 3);
    const floors = [linearBytes / 1555, Math.max(convFlops / 312e3, convBytes / 1555)];
    expect(first?.gain?.ns).to.be.closeTo(10_000 - floors.reduce((a, b) => a + b), 0.01);
    expect(first?.action).to.equal(
      'pad m=100 n=30 k=100 to m=100 n=32 k=104 (multiples of 8, 10.9 % more work); out=64 in=3 to out=64 in=8 (multiples of 8, 166.7 % more work)',
    );
  });

  it('pads the extents along which operands lie, by the layout in the name', () => {
    // BLAS takes the right factor first. `tn`: both lie along k; `nt`: along n and m. The result lies along n.
    const padded = (layout: string) => {
      const name = `cutlass_80_tensorop_bf16_s16816gemm_bf16_64x64_${layout}_align1`;
      const [found] = findingsOf('alignment', on(profileOn(A100), product(name, mm(100, 100, 100, 'bfloat16'), 5000)));
      return String(found?.evidence['padded']).replace(/^.* -> /, '');
    };
    expect(['nn', 'tn', 'nt', 'tt'].map(padded)).to.deep.equal([
      'm=100 n=104 k=104', 'm=100 n=104 k=104', 'm=104 n=104 k=100', 'm=104 n=104 k=104',
    ]);
    expect(findingsOf('alignment', on(profileOn(A100), product('some_tensorop_bf16_kernel_align1', mm(100, 100, 100, 'bfloat16'), 5000)))[0]?.evidence['padded'])
      .to.equal('m=100 n=100 k=100 -> m=104 n=104 k=104');
  }); // prettier-ignore

  it('is silent where padding would more than treble the work', () => {
    // One channel to eight.
    const conv = aten('conv2d', t([8, 1, 32, 32], 'float16'), t([64, 1, 3, 3], 'float16'), none, v([1, 1]), v([1, 1]), v([1, 1]), v(1)); // prettier-ignore
    const kernels = [product('cutlass_80_tensorop_f16_s16816fprop_align1', conv, 5000)];
    expect(silenceOf('alignment', on(profileOn(A100), ...kernels))).to.equal('nothing');
  });

  it('is silent on aligned products, and on kernels that do not mind', () => {
    const fast = 'ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_nn';
    const silent = on(
      profileOn(A100),
      product(fast, mm(1024, 768, 50257, 'bfloat16'), 5000),
      product(ALIGN1, mm(1024, 768, 512, 'bfloat16'), 5000),
    );
    expect(silenceOf('alignment', silent)).to.equal('nothing');
  });
});

describe('the rule old-architecture', () => {
  const H100 = device('NVIDIA H100 80GB HBM3', { arch: 'sm90' });
  const OLD = 'ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_nn';

  it('names the kernels and claims no gain', () => {
    const [found] = findingsOf('old-architecture', on(profileOn(H100), product(OLD, mm(64, 64, 64, 'bfloat16'), 700)));
    expect(found).to.deep.include({ stake: 700, gain: null, kernels: ['0:1'] });
    expect(found?.evidence).to.include({ builtFor: 'sm80', device: 'sm90' });
  });

  it('is silent where extents, or FP32, are why', () => {
    const loads = 'cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_tn_align1';
    const plain = 'cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>';
    const silent = on(
      profileOn(H100),
      product(loads, mm(64, 64, 65, 'bfloat16'), 700),
      product(plain, mm(64, 64, 64, 'float32'), 700, { id: 2, start: 2000 }),
    );
    expect(silenceOf('old-architecture', silent)).to.equal('nothing');
  });

  it('is silent within one generation, and about kernels other than products', () => {
    const sm86 = device('NVIDIA A10', { arch: 'sm86' });
    expect(silenceOf('old-architecture', on(profileOn(sm86), product(OLD, mm(64, 64, 64, 'bfloat16'), 700)))).to.equal('nothing'); // prettier-ignore
    const copy = kernel({ name: 'ampere_copy', calls: [aten('add', t([8]), t([8]), v(1))] });
    expect(silenceOf('old-architecture', on(profileOn(H100), copy))).to.match(/^no matrix products/);
  });
});

describe('the rule below-roof', () => {
  const elementwise = (op: string, dur: number, change: Partial<KernelRecord> = {}): KernelRecord =>
    product('vectorized_elementwise_kernel', aten(op, t([4096, 4096])), dur, { mod: ['aten'], ...change });

  it('adds up by op what kernels take beyond their roof', () => {
    // Reads and writes 64 MiB: 2·4096²·4 = 134217728 bytes / 1555 GB/s = 86313.6 ns.
    const least = 134217728 / 1.555e3;
    const kernels = [
      elementwise('relu', 200_000),
      elementwise('relu', 100_000, { id: 2, start: 300_000 }),
      elementwise('sigmoid', 90_000, { id: 3, start: 500_000 }),
    ];
    const found = findingsOf('below-roof', on(profileOn(A100), ...kernels));
    expect(found.map(({ count }) => count)).to.deep.equal([2, 1]);
    const [relu, sigmoid] = found;
    expect(relu?.gain?.ns).to.be.closeTo(300_000 - 2 * least, 0.01);
    expect(relu?.what).to.equal(
      'relu runs at 57.5 % of the memory bandwidth: 300 us in 2 kernels, 172.6 us at the peak',
    );
    expect(sigmoid?.gain?.ns).to.be.closeTo(90_000 - least, 0.01);
    expect(relu).to.include({
      about: 'program',
      see: "dprof --where 'op==relu' --by kernel,params,bound -f table FILE",
    });
  });

  it('tells the batched products of an op from its others', () => {
    const matmul = (id: number, ...operands: readonly (readonly number[])[]): KernelRecord =>
      product(
        'fp16_s16816gemm_fp16',
        aten('matmul', ...operands.map((shape) => t([...shape], 'float16'))),
        2_000_000 * id,
        { ...{ id, start: 10_000_000 * id, op: ['matmul'] } },
      );
    const batched = matmul(2, [8, 1024, 1024], [8, 1024, 1024]);
    const both = findingsOf('below-roof', on(profileOn(A100), matmul(1, [4096, 1024], [1024, 1024]), batched));
    expect(both.map(({ what }) => what.replace(/ at .*/, ''))).to.deep.equal(['matmul, batched, runs', 'matmul runs']);
    const [alone] = findingsOf('below-roof', on(profileOn(A100), batched));
    expect(alone?.what).to.match(/^matmul runs at/);
  });

  it('leaves products with a faster type, or with extents to pad, to their rules; names that a shell misreads to --by', () => {
    const slow = product('ampere_sgemm_128x64_nn', mm(1024, 1024, 1024, 'float32'), 200_000);
    expect(findingsOf('below-roof', on(profileOn(A100), slow))).to.deep.equal([]);
    const odd = elementwise('relu', 200_000, {
      calls: [{ ...aten('relu', t([4096, 4096])) }],
      op: ["x'; rm -rf ~; '"],
    });
    for (const { see } of findingsOf('below-roof', on(profileOn(A100), odd))) expect(see).not.to.include('rm');
    expect(silenceOf('below-roof', on(profileOn(device(null)), elementwise('relu', 9)))).to.match(/known peaks$/);
  });

  it('asks for more rows only where rows share their operand', () => {
    // All are bound by the memory: rows of 4096, and 64 products or sequences with a row each.
    const weights = t([4096, 4096], 'float16');
    const conv = aten('conv2d', t([8, 64, 56, 56], 'float16'), t([64, 64, 1, 1], 'float16'), none, v([1, 1]), v([0, 0]), v([1, 1]), v(1));
    const [query, keys] = [t([64, 1, 1, 128], 'float16'), t([64, 1, 4096, 128], 'float16')];
    const actionOf = (call: OpCall, dur = 80_000): string | undefined =>
      findingsOf('below-roof', on(profileOn(A100), product('fp16_s16816gemm_fp16', call, dur)))[0]?.action;
    expect(actionOf(aten('linear', t([1, 4096], 'float16'), weights, none))).to.match(/^give each call more rows/);
    expect(actionOf(aten('matmul', t([2, 8, 4096], 'float16'), weights))).to.match(/^give each call more rows/);
    expect(actionOf(conv, 12_000)).to.match(/^give each call more rows/);
    const attention = aten('scaled_dot_product_attention', query, keys, keys, none, v(0), v(false));
    expect(actionOf(attention, 300_000)).to.match(/^try another attention kernel.*a larger batch does not help/);
    const batched = aten('bmm', t([64, 1, 128], 'float16'), t([64, 128, 4096], 'float16'));
    expect(actionOf(batched)).to.match(/^fuse it with its neighbours \(attention in one kernel\).*a larger batch does not help/);
  }); // prettier-ignore
});

describe('the order of findings', () => {
  it('has what to do in the program first, by what may be gained, then what concerns the profile', () => {
    const kernels = [
      kernel({ id: 1, start: 0, dur: 600_000, name: 'mystery', short: 'mystery' }),
      product('vectorized_elementwise_kernel', aten('relu', t([4096, 4096])), 200_000, { id: 2, start: 600_000, mod: ['aten'] }),
      product(SIMT, mm(1024, 1024, 1024, 'float32'), 200_000, { id: 3, start: 800_000 }),
    ];
    const rules = adviserOf(on(profileOn(A100), ...kernels)).findings.map(({ rule, about }) => `${about} ${rule}`);
    // 200 − 13.8 us, then 200 − 86.3 us; 600 us of a kernel without an op are no reason to come first.
    expect(rules).to.deep.equal(['program fp32-product', 'program below-roof', 'profile unattributed']);
  }); // prettier-ignore

  const orderWith = (relu: number): [rule: string, isUnknown: boolean][] => {
    const kernels = [
      kernel({ id: 1, start: 0, dur: 10_000 }),
      product('vectorized_elementwise_kernel', aten('relu', t([4096, 4096])), relu, { id: 2, start: 3_000_000, mod: ['aten'], launch: { api: 'cudaLaunchKernel', start: 2_995_000, dur: 5000 } }),
      product('ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_nn', mm(1024, 1024, 1024, 'bfloat16'), 2_000_000, { id: 3, start: 3_000_000 + relu }),
    ];
    const { findings } = adviserOf(on(profileOn(device('NVIDIA H100 80GB HBM3', { arch: 'sm90' })), ...kernels));
    return findings.filter(({ about }) => about === 'program').map(({ rule, gain }) => [rule, gain === null]);
  }; // prettier-ignore

  it('counts half of the time at stake where the gain is unknown, and has a cause before its effect', () => {
    // A gap of 3 ms counts 1.5 ms: less than the 2 ms of the product that could be saved, more than the 100 us of relu.
    expect(orderWith(100_000)).to.deep.equal([
      ['old-architecture', true],
      ['below-roof', false],
      ['launch-gaps', true],
      ['below-roof', false],
    ]);
    // 4 ms of relu, whose kernel is not made for an older architecture, come before it.
    expect(orderWith(4_000_000)).to.deep.equal([
      ['below-roof', false],
      ['old-architecture', true],
      ['below-roof', false],
      ['launch-gaps', true],
    ]);
  });
});
