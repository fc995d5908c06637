import { expect } from 'chai';
import { findingsOf, silenceOf } from '../../support/advice.js';
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
    expect(found?.gain?.how).to.equal('sum of dur − max(FLOPs / 156 TFLOP/s (tf32), bytes / 1555 GB/s)');
    expect(found?.action).to.include('set_float32_matmul_precision');
    expect(found?.evidence).to.include({ flops: 2147483648, type: 'tf32' });
  });

  it('is held to the memory where that takes longer, and to the unit that there is', () => {
    // 2·4096·64·4096 = 2147483648 FLOP / 125 TFLOP/s = 17179.9 ns; (2·64·4096 + 4096²)·4 = 69206016 bytes / 900 GB/s = 76895.6 ns.
    const call = mm(4096, 64, 4096, 'float32');
    const [found] = findingsOf('fp32-product', on(profileOn(V100), product('volta_sgemm_128x64_nn', call, 150_000)));
    expect(found?.gain?.ns).to.be.closeTo(150_000 - 69206016 / 0.9e3, 0.01);
    expect(found?.action).to.match(/^autocast to float16/);
  });

  it('has no gain on a device without known rates', () => {
    const unknown = profileOn(device('NVIDIA Something', { arch: 'sm80' }));
    const [found] = findingsOf('fp32-product', on(unknown, product(SIMT, mm(64, 64, 64, 'float32'), 5000)));
    expect(found).to.include({ stake: 5000, gain: null });
  });

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
    expect(silenceOf('fp32-product', [profileOn(A100), kernel()])).to.match(/^no kernel is known to be a product/);
  });
});

describe('the rule alignment', () => {
  const ALIGN1 = 'cutlass_80_tensorop_bf16_s16816gemm_bf16_64x64_nn_align1';

  it('gives the padded extents, the added work and what is gained', () => {
    // n: 50257 → 50264, 1.000139… of the work. FLOPs 2·1024·768·50257, at 312 TFLOP/s longer than the bytes.
    const call = mm(1024, 768, 50257, 'bfloat16');
    const [found] = findingsOf('alignment', on(profileOn(A100), product(ALIGN1, call, 2_000_000)));
    const factor = 50264 / 50257;
    expect(found?.evidence).to.include({ extents: 'm=1024 n=50257 k=768', padded: 'm=1024 n=50264 k=768' });
    expect(found?.evidence['workFactor']).to.be.closeTo(factor, 1e-12);
    expect(found?.gain?.ns).to.be.closeTo(2_000_000 - (2 * 1024 * 768 * 50257 * factor) / 312e3, 0.01);
    expect(found?.action).to.match(/^pad to m=1024 n=50264 k=768 \(multiples of 8\): 0\.0139 % more work$/);
  });

  it('knows linear layers and convolutions', () => {
    const linear = aten('linear', t([4, 25, 100], 'bfloat16'), t([30, 100], 'bfloat16'), none);
    const shape = { rows: 104 / 100, out: 32 / 30, in: 104 / 100 };
    const conv = aten('conv2d', t([8, 3, 32, 32], 'float16'), t([64, 3, 3, 3], 'float16'), none, v([1, 1]), v([1, 1]), v([1, 1]), v(1)); // prettier-ignore
    const found = findingsOf(
      'alignment',
      on(
        profileOn(A100),
        product(ALIGN1, linear, 5000, { start: 1000 }),
        product('cutlass_80_tensorop_f16_s16816fprop_align1', conv, 5000, { start: 7000, id: 2 }),
      ),
    );
    const of = (extents: string) => found.find(({ evidence }) => evidence['extents'] === extents)?.evidence;
    expect(of('m=100 n=30 k=100')?.['padded']).to.equal('m=104 n=32 k=104');
    expect(of('m=100 n=30 k=100')?.['workFactor']).to.be.closeTo(shape.rows * shape.out * shape.in, 1e-12);
    expect(of('out=64 in=3')).to.include({ padded: 'out=64 in=8', workFactor: 8 / 3 });
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

  it('is silent within one generation, and on what is no product', () => {
    const sm86 = device('NVIDIA A10', { arch: 'sm86' });
    expect(silenceOf('old-architecture', on(profileOn(sm86), product(OLD, mm(64, 64, 64, 'bfloat16'), 700)))).to.equal('nothing'); // prettier-ignore
    const copy = kernel({ name: 'ampere_copy', calls: [aten('add', t([8]), t([8]), v(1))] });
    expect(silenceOf('old-architecture', on(profileOn(H100), copy))).to.match(/^no products/);
  });
});
