import { expect } from 'chai';
import fc from 'fast-check';
import { activationGradients, activation } from '../../../../src/ops/families/pointwise/activation.js';
import { foreach } from '../../../../src/ops/families/pointwise/foreach.js';
import { fusedOptimizer } from '../../../../src/ops/families/optimizer.js';
import { fusedPointwise } from '../../../../src/ops/families/pointwise/fused-pointwise.js';
import { pointwise } from '../../../../src/ops/families/pointwise/pointwise.js';
import { reduction, scan } from '../../../../src/ops/families/reduction/reduction.js';
import type { Arg, OpCall } from '../../../../src/record/record.js';
import { amount, int, workOf } from '../../../support/amounts.js';
import { aten, kernel, none, t, v } from '../../../support/calls.js';
import { propertyRuns } from '../../../support/property-runs.js';

const custom = (mod: string, op: string, ...args: readonly Arg[]): OpCall => ({ ...aten(op, ...args), mod });
const half = (...shape: number[]): Arg => t(shape, 'bfloat16');

describe('pointwise kernels of serving libraries', () => {
  it('activate and multiply the halves of a row', () => {
    // 888·2880 results, 2·2557440 operations; 3·2557440 elements of 2 bytes
    const gated = 'main 5114880 15344640';
    expect(amount(custom('_C', 'silu_and_mul', half(888, 2880), half(888, 5760)))).to.equal(gated);
    expect(amount(custom('sgl_kernel', 'gelu_and_mul', half(888, 2880), half(888, 5760)))).to.equal(gated);
    expect(amount(custom('aiter', 'silu_and_mul', half(888, 2880), half(888, 5760), v(0)))).to.equal(gated);
  });
  it('quantise with a scale, given or found', () => {
    const result = t([888, 512], 'float8_e4m3fn');
    // 454656 elements: 1 + 2 bytes each, the scale 4
    const fixed = custom('_C', 'static_scaled_fp8_quant', result, half(888, 512), t([]));
    expect(amount(fixed)).to.equal('main 909312 1363972');
    const found = custom('_C', 'dynamic_per_token_scaled_fp8_quant', result, half(888, 512), t([888, 1]), none);
    expect(amount(found)).to.equal('main 1818624 1367520'); // 1363968 + 888·4
    const grouped = custom('sgl_kernel', 'sgl_per_token_quant_fp8', half(888, 512), result, t([888, 1]));
    expect(amount(grouped)).to.equal('main 1818624 1367520');
  });
  it('quantise for SageAttention', () => {
    const [q, result, scales] = [half(2, 8, 100, 64), t([2, 8, 100, 64], 'int8'), t([2, 8, 1])];
    const of = (op: string, ...args: readonly Arg[]): string | null => amount(custom('sgl_kernel', op, ...args));
    // 102400 elements of 2 bytes and of 1, 64 bytes of scales
    expect(of('quant_per_warp_int8_cuda', q, result, scales, int(128), int(32), int(1))).to.equal('main 409600 307264');
    expect(of('quant_per_block_int8_cuda', q, result, scales, int(128), int(1))).to.equal('main 409600 307264');
    expect(of('quant_per_block_int8_cuda', q, result, scales, v(0.125), int(128), int(1))).to.equal(
      'main 512000 307264',
    );
    const mean = half(2, 8, 64); // 2048 bytes
    expect(of('quant_per_block_int8_fuse_sub_mean_cuda', q, mean, result, scales, int(64), int(1))).to.equal(
      'main 512000 309312',
    );
    expect(of('sub_mean_cuda', q, mean, t([2, 8, 100, 64], 'float16'), int(1))).to.equal('main 102400 411648');
    expect(of('transpose_pad_permute_cuda', q, half(2, 8, 64, 128), int(1))).to.equal('main 0 466944'); // + 131072·2
  });
  it('turn the pairs of queries and keys', () => {
    const rope = (head: Arg, width: number): OpCall =>
      custom(
        ...(['_C', 'rotary_embedding', t([888], 'int64'), half(888, 512), half(888, 64)] as const),
        ...[head, half(131072, width), v(true)],
      );
    // 888·576 = 511488 elements: 3 operations each, read and written; positions 888·8, a row of 64 cosines and sines each
    expect(amount(rope(int(64), 64))).to.equal(`main 1534464 ${511488 * 4 + 7104 + 888 * 64 * 2}`);
    // half of every head
    expect(amount(rope(int(64), 32))).to.equal(`main 767232 ${255744 * 4 + 7104 + 888 * 32 * 2}`);
    expect(workOf(rope({ name: '', type: 'int' }, 64))).to.include({
      ...{ flops: null, bytes: null, unknown: 'the head dimension is unspecified' },
    });
    expect(amount(custom('_C', 'rotary_embedding', half(8)))).to.equal(null);
  });
});

const extent = fc.oneof(fc.nat(6), fc.constantFrom(-1, 1.5, 2 ** 53, NaN));
const tensor: fc.Arbitrary<Arg> = fc.record({
  ...{
    name: fc.constant(''),
    type: fc.constant('tensor'),
    shape: fc.array(fc.oneof(fc.nat(6), extent), { maxLength: 4 }),
  },
  dtype: fc.constantFrom('float32', 'bfloat16', 'int64', 'bool', 'odd'),
});
const argument: fc.Arbitrary<Arg> = fc.oneof(
  { arbitrary: tensor, weight: 3 },
  fc.constantFrom<Arg>(none, { name: '', type: 'unknown' }, { name: '', type: 'list' }, { name: '', type: 'int' }),
  fc.oneof(fc.integer(), fc.double(), fc.boolean(), fc.array(fc.integer({ min: -3, max: 3 }))).map((value) => v(value)),
  fc.array(tensor, { maxLength: 3 }).map((items) => ({ name: '', type: 'list', items })),
);

describe('elementwise dispatcher ops on odd arguments', () => {
  const families = [
    pointwise,
    activation,
    activationGradients,
    fusedPointwise,
    reduction,
    scan,
    foreach,
    fusedOptimizer,
  ];
  for (const family of families) {
    it(`${family.id} never throws, and gives whole numbers or null with a reason`, () => {
      fc.assert(
        fc.property(fc.constantFrom(...family.ops), fc.array(argument, { maxLength: 9 }), (op, args) => {
          const work = family.work(aten(op, ...args), kernel('elementwise_kernel'));
          if (work === null) return;
          for (const number of [work.flops, work.bytes])
            if (number !== null) expect(Number.isInteger(number) && number >= 0, `${op} ${number}`).to.equal(true);
          if (work.flops === null || work.bytes === null) expect(work.unknown).to.be.a('string');
        }),
        { seed: 3, numRuns: propertyRuns(375) },
      );
    });
  }
});
