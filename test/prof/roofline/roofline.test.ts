import { expect } from 'chai';
import { NO_PEAKS, peaksOf } from '../../../src/prof/roofline/peaks.js';
import { classifyRoofline, roofOf, type Arithmetic, type Roof } from '../../../src/prof/roofline/roofline.js';
import type { Annotated } from '../../../src/prof/annotate.js';
import type { KernelRecord, OpCall } from '../../../src/record/record.js';
import { aten, t } from '../../support/calls.js';
import { A100, device, profileOn } from '../../support/devices.js';
import { kernel } from '../../support/kernels.js';
import { annotate, cellsOf } from '../../support/rows.js';

const BF16 = 'ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_nn';
const SGEMM = 'ampere_sgemm_128x64_nn';
const ADD = 'void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)';

const square = (n: number, dtype: string): OpCall => aten('mm', t([n, n], dtype), t([n, n], dtype));

/** The row of one kernel of a call. */
function rowOf(call: OpCall, name: string, dur: number, on = A100, fields: Partial<KernelRecord> = {}): Annotated {
  const short = name.replace(/^void /, '').replace(/[<(].*$/, '');
  const record = kernel({ name, short, dur, calls: [call], mod: [call.mod], op: [call.op], ...fields });
  const [row] = annotate([profileOn(on), record]);
  if (row === undefined) throw new Error('a row expected');
  return row;
}

describe('roofline of a kernel', () => {
  it('4096³ of bf16 in 1 ms on an A100: 137.4 TFLOP/s, 44 % of 312', () => {
    const row = rowOf(square(4096, 'bfloat16'), BF16, 1e6);
    // 2·4096³ FLOP; 3·4096²·2 bytes
    const flops = 137438953472;
    const bytes = 100663296;
    const { placement } = row;
    expect(placement.tflops).to.be.closeTo(137.438953472, 1e-9);
    expect(placement.computeShare).to.be.closeTo((100 * flops) / 1e-3 / 312e12, 1e-9);
    expect(placement.gbps).to.be.closeTo(100.663296, 1e-9);
    expect(placement.memoryShare).to.be.closeTo((100 * bytes) / 1e-3 / 1555e9, 1e-9);
    expect(placement.intensity).to.be.closeTo(flops / bytes, 1e-9);
    expect(placement.floor).to.be.closeTo((flops / 312e12) * 1e9, 1e-3);
    expect(cellsOf(row, 'dtype,tc,ai,tflops,gbps,peak,bw,bound,floor,gap,mmflops,tceligible,tcwhy')).to.deep.equal({
      dtype: 'bf16',
      tc: '1',
      ai: '1365.33',
      tflops: '137.439',
      gbps: '100.7',
      peak: '44.05',
      bw: '6.47',
      bound: 'compute',
      floor: '440509',
      gap: '2.27',
      mmflops: '137438953472',
      tceligible: '1',
      tcwhy: 'mma-shape',
    });
  });

  it('the same in fp32 without TF32 is held to the vector units, also by its floor', () => {
    // 2·4096³ FLOP at 19.5 TFLOP/s take 7.048 ms; in 10 ms they are 13.74 TFLOP/s.
    const row = rowOf(square(4096, 'float32'), SGEMM, 10e6);
    expect(cellsOf(row, 'dtype,tc,tflops,peak,floor,bound,tceligible,tcwhy')).to.deep.equal({
      dtype: 'fp32',
      tc: '0',
      tflops: '13.744',
      peak: '70.48',
      floor: '7048151',
      bound: 'compute',
      tceligible: '1',
      tcwhy: 'fp32-without-tf32',
    });
  });

  it('fp32 operands on the matrix unit are TF32', () => {
    const row = rowOf(square(4096, 'float32'), 'cutlass_80_tensorop_s1688gemm_128x128_16x5_nt_align4', 2e6);
    // 68.72 TFLOP/s of 156
    expect(cellsOf(row, 'dtype,tc,peak')).to.deep.equal({ dtype: 'tf32', tc: '1', peak: '44.05' });
  });

  it('a kernel whose unit is undetermined has no share, but a floor by the matrix unit', () => {
    const row = rowOf(square(4096, 'bfloat16'), 'my_product', 1e6);
    expect(cellsOf(row, 'tc,tcwhy,peak,tflops,bound,floor,gap')).to.deep.equal({
      tc: '?',
      tcwhy: 'name',
      peak: 'na',
      tflops: '137.439',
      bound: 'na',
      floor: '440509',
      gap: '2.27',
    });
  });

  it('an elementwise kernel is bound by memory', () => {
    // 2^26 elements: 3·2^28 bytes at 1555 GB/s take 517882 ns; in 600 µs they are 1342 GB/s, 86.3 %.
    const shape = [8192, 8192];
    const row = rowOf(aten('add', t(shape), t(shape)), ADD, 600_000);
    expect(cellsOf(row, 'dtype,tc,tcwhy,gbps,bw,bound,floor,gap,mmflops,tceligible')).to.deep.equal({
      dtype: 'fp32',
      tc: '-',
      tcwhy: '-',
      gbps: '1342.2',
      bw: '86.31',
      bound: 'memory',
      floor: '517882',
      gap: '1.16',
      mmflops: '0',
      tceligible: '0',
    });
  });

  it('a small kernel is bound by latency', () => {
    const row = rowOf(aten('add', t([64]), t([64])), ADD, 2000);
    expect(cellsOf(row, 'bound')).to.deep.equal({ bound: 'latency' });
  });

  it('elementwise arithmetic on 16 bits is held to the FP32 rate, in which it is done', () => {
    const row = rowOf(aten('add', t([64], 'float16'), t([64], 'float16')), ADD, 1000);
    // 64 FLOP in 1 µs of 19.5 TFLOP/s
    expect(row.placement.computeShare).to.be.closeTo((100 * 64e6) / 19.5e12, 1e-15);
  });

  it('traffic that the cache may hold is no defect; beyond twice the cache it is', () => {
    // 3·4·2^20 bytes = 12 MiB in 4 µs are 3146 GB/s, 202 % of 1555: within the 40 MiB of cache.
    const cached = rowOf(aten('add', t([1024, 1024]), t([1024, 1024])), ADD, 4000);
    expect(cellsOf(cached, 'gbps,bw,bound')).to.deep.equal({ gbps: '3145.7', bw: '202.30', bound: 'memory' });
    expect(cached.placement.above).to.deep.equal({ compute: false, memory: false });
    // 768 MiB less 80 MiB are 721 MB; in 400 µs 1804 GB/s.
    const beyond = rowOf(aten('add', t([8192, 8192]), t([8192, 8192])), ADD, 400_000);
    expect(beyond.placement.above).to.deep.equal({ compute: false, memory: true });
    // 721 MB in 470 µs are 1535 GB/s: possible.
    const within = rowOf(aten('add', t([8192, 8192]), t([8192, 8192])), ADD, 470_000);
    expect(within.placement.above.memory).to.equal(false);
  });

  it('is unknown where the device is', () => {
    const row = rowOf(square(4096, 'bfloat16'), BF16, 1e6, device('Part'));
    expect(cellsOf(row, 'ai,tflops,gbps,peak,bw,bound,floor,gap')).to.deep.equal({
      ai: '1365.33',
      tflops: '137.439',
      gbps: '100.7',
      ...{ peak: 'na', bw: 'na', bound: 'na', floor: 'na', gap: 'na' },
    });
  });

  it('a kernel without duration has a floor and no rates', () => {
    const row = rowOf(square(4096, 'bfloat16'), BF16, 1, A100, { dur: null });
    expect(cellsOf(row, 'tflops,gbps,peak,bw,bound,floor,gap')).to.deep.equal({
      ...{ tflops: 'na', gbps: 'na', peak: 'na', bw: 'na', bound: 'na' },
      floor: '440509',
      gap: 'na',
    });
  });
});

describe('roof', () => {
  const a100 = peaksOf(A100);
  const product = (fields: Partial<Arithmetic>): Arithmetic => ({
    ...{ dtype: 'fp16', tc: 1, eligible: true, halfSums: false, shortcut: false },
    ...fields,
  });
  const rates = (arithmetic: Arithmetic, peaks = a100): readonly [unit: number | null, fastest: number | null] => {
    const { unit, fastest } = roofOf(arithmetic, peaks);
    return [unit, fastest];
  };

  it('is the matrix unit for what ran there, the vector units for what did not', () => {
    expect(rates(product({}))).to.deep.equal([312e12, 312e12]);
    expect(rates(product({ tc: 0 }))).to.deep.equal([78e12, 312e12]);
    expect(rates(product({ tc: 0, eligible: false }))).to.deep.equal([78e12, 78e12]);
    expect(rates(product({ tc: '?' }))).to.deep.equal([null, 312e12]);
    expect(rates(product({ tc: '?', dtype: 'fp32' }))).to.deep.equal([null, 156e12]);
    expect(rates(product({ dtype: 'fp8e4m3' }))).to.deep.equal([null, null]);
    expect(rates(product({ dtype: null }))).to.deep.equal([null, null]);
    expect(rates(product({ tc: '-', dtype: 'bf16' }))).to.deep.equal([19.5e12, 19.5e12]);
  });

  it('is higher for sums in FP16 where the part has them faster', () => {
    const rtx3090 = peaksOf(device('NVIDIA GeForce RTX 3090'));
    expect(rates(product({ halfSums: true }), rtx3090)).to.deep.equal([142e12, 142e12]);
    expect(rates(product({}), rtx3090)).to.deep.equal([71e12, 71e12]);
    expect(rates(product({ halfSums: true }))).to.deep.equal([312e12, 312e12]);
  });

  it('is unknown on an unknown device', () => {
    expect(rates(product({}), NO_PEAKS)).to.deep.equal([null, null]);
  });
});

describe('place under a roof', () => {
  const roof: Roof = { unit: 100e9, fastest: 100e9, memory: 10e9, cache: 0, product: false, shortcut: false };

  it('has rates and shares of 0 for a helper, which was given no work', () => {
    const helper = classifyRoofline({ flops: 0, bytes: 0, dur: 100 }, roof);
    expect(helper).to.deep.include({ tflops: 0, gbps: 0, computeShare: 0, memoryShare: 0, floor: 0 });
    expect(helper).to.deep.include({ intensity: null, bound: null, gap: null });
  });

  it('is unknown where FLOPs or bytes are', () => {
    expect(classifyRoofline({ flops: null, bytes: null, dur: 100 }, roof)).to.deep.equal({
      ...{ intensity: null, tflops: null, gbps: null, computeShare: null, memoryShare: null },
      ...{ bound: null, floor: null, gap: null, above: { compute: false, memory: false } },
    });
  });

  it('is judged by traffic alone where only that is known and no product is done', () => {
    // 500 bytes in 100 ns are 5 of 10 GB/s.
    const load = { flops: null, bytes: 500, dur: 100 };
    expect(classifyRoofline(load, roof)).to.deep.include({ memoryShare: 50, bound: 'memory', floor: 50, gap: 2 });
    expect(classifyRoofline(load, { ...roof, product: true })).to.deep.include({ bound: null, floor: null, gap: null });
    expect(classifyRoofline({ ...load, bytes: 50 }, roof).bound).to.equal('latency');
  });

  it('moves data without arithmetic: no FLOPs, all bandwidth', () => {
    const copy = classifyRoofline({ flops: 0, bytes: 900, dur: 100 }, { ...roof, unit: null });
    expect(copy).to.deep.include({ computeShare: 0, memoryShare: 90, bound: 'memory', intensity: 0 });
  });

  it('is above the peak when more was done than the unit can do', () => {
    // 10001 FLOP in 100 ns are 100.01 GFLOP/s of 100.
    const { above, computeShare } = classifyRoofline({ flops: 10001, bytes: 1, dur: 100 }, roof);
    expect(computeShare).to.be.closeTo(100.01, 1e-9);
    expect(above).to.deep.equal({ compute: true, memory: false });
    expect(classifyRoofline({ flops: 10000, bytes: 1, dur: 100 }, roof).above.compute).to.equal(false);
    // Winograd's algorithm needs fewer multiplications than are counted.
    expect(classifyRoofline({ flops: 10001, bytes: 1, dur: 100 }, { ...roof, shortcut: true }).above.compute).to.equal(
      false,
    );
  });

  it('takes the largest cache there is where the size of the device`s is not known', () => {
    const unknown: Roof = { ...roof, memory: 1e12, cache: null };
    // 512 MiB may never pass through memory.
    const bytes = 512 * 1024 ** 2;
    expect(classifyRoofline({ flops: 0, bytes: bytes + 1000, dur: 1 }, unknown).above.memory).to.equal(false);
    expect(classifyRoofline({ flops: 0, bytes: bytes + 1001, dur: 1 }, unknown).above.memory).to.equal(true);
  });
});
