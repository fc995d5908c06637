import { expect } from 'chai';
import fc from 'fast-check';
import { blas } from '../../src/ops/families/products/blas.js';
import { convolution } from '../../src/ops/families/convolution/convolution.js';
import { recurrent } from '../../src/ops/families/recurrent/recurrent.js';
import type { Arg, OpCall } from '../../src/record/record.js';
import { kernel } from '../support/calls.js';
import { propertyRuns } from '../support/property-runs.js';

const extent = fc.oneof(fc.nat(5), fc.constantFrom(-1, 1.5, NaN, 2 ** 53));
const shape = fc.array(extent, { maxLength: 5 });
const name = fc.constantFrom(
  '',
  '',
  '',
  'input',
  'weight',
  'bias',
  'stride',
  'padding',
  'groups',
  'mat2',
  'out',
  'self',
);
const scalar = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.string(),
  fc.array(fc.integer()),
);
const arg: fc.Arbitrary<Arg> = fc.oneof(
  fc.record({ name, type: fc.constant('tensor'), shape, dtype: fc.constantFrom('float16', 'float32', 'odd') }),
  fc.record({ name, type: fc.constant('tensor'), shape }),
  fc.record({ name, type: fc.constant('int'), value: scalar }),
);
const kernels = [
  'volta_sgemm_128x64_nn',
  'elementwise_kernel',
  'reduce_kernel',
  'nchwToNhwcKernel',
  'calc_bias_diff',
  '',
];
const facts = fc
  .tuple(fc.constantFrom(...kernels), fc.constantFrom('fprop' as const, 'bprop' as const), fc.nat(5), fc.boolean())
  .map(([by, dir, sub, grid]) => kernel(by, dir, sub, grid ? [1, 2, 1] : null));

describe('matrix families on odd arguments', () => {
  for (const family of [blas, convolution, recurrent]) {
    const call: fc.Arbitrary<OpCall> = fc
      .tuple(fc.constantFrom(...family.ops), fc.array(arg, { maxLength: 8 }))
      .map(([op, args]) => ({
        mod: op.includes('.') ? op.replace(/\..*/, '') : 'torch',
        op: op.replace(/^.*\./, ''),
        args,
      }));

    it(`${family.id} never throws, and gives whole numbers or null`, () => {
      fc.assert(
        fc.property(call, facts, (of, by) => {
          const work = family.work(of, by);
          if (work === null) return;
          for (const number of [work.flops, work.bytes])
            if (number !== null) expect(Number.isInteger(number) && number >= 0).to.equal(true);
          if (work.flops === null || work.bytes === null) expect(work.unknown).to.be.a('string');
        }),
        { seed: 1, numRuns: propertyRuns(500) },
      );
    });
  }
});
