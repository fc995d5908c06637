import { expect } from 'chai';
import fc from 'fast-check';
import type { Arg } from '../../src/record/record.js';
import { renderParams } from '../../src/ops/family.js';
import { FAMILIES } from '../../src/ops/table.js';
import { tensorOf } from '../../src/ops/operands.js';
import { call } from '../support/calls.js';
import { propertyRuns } from '../support/property-runs.js';

const extent = fc.oneof(fc.nat(70), fc.constantFrom(0, 1, -1, 2 ** 53, 1e300, NaN, Infinity, 1.5));
const scalar = fc.oneof(fc.integer(), fc.double(), fc.boolean(), fc.string(), fc.constant(null));
const name = fc.constantFrom(
  '',
  '',
  '',
  'dim',
  'input',
  'self',
  'index',
  'size',
  'reduction',
  'dtype',
  'kernel_size',
  'alpha',
);
const dtype = fc.constantFrom('float32', 'float16', 'int64', 'bool', 'complex64', 'mystery', '__proto__', 'toString');

const arbitraryArg: fc.Arbitrary<Arg> = fc.oneof(
  fc.record({ name, type: fc.constant('tensor'), shape: fc.array(extent, { maxLength: 5 }), dtype }),
  fc.record({ name, type: fc.constant('tensor'), shape: fc.array(fc.nat(9), { maxLength: 5 }), dtype }),
  fc.record({ name, type: fc.constantFrom('int', 'float', 'bool', 'str', 'NoneType'), value: scalar }),
  fc.record({ name, type: fc.constantFrom('list', 'tuple'), value: fc.array(scalar, { maxLength: 4 }) }),
);
const kernelFacts = fc.record({
  name: fc.constantFrom(
    'elementwise_kernel',
    'reduce_kernel',
    'softmax',
    'sgemm',
    'embedding_backward',
    'GammaBeta',
    '',
  ),
  dir: fc.constantFrom('fprop' as const, 'bprop' as const, null),
  sub: fc.nat(4),
});

const isAmount = (amount: number | null): boolean => amount === null || (Number.isFinite(amount) && amount >= 0);

describe('every family', () => {
  const families = FAMILIES.flatMap((family) => family.ops.map((op) => ({ family, op })));

  it('answers any arguments with null or with amounts that are not negative', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...families),
        fc.constantFrom('Tensor', 'torch', 'torch.nn.functional'),
        fc.array(arbitraryArg, { maxLength: 6 }),
        kernelFacts,
        (entry, mod, args, facts) => {
          const opCall = entry.op.includes('.') ? call(entry.op, ...args) : { mod, op: entry.op, args };
          const work = entry.family.work(opCall, { ...facts, short: facts.name, grid: null, block: null });
          if (work === null) return;
          expect(isAmount(work.flops), `flops ${String(work.flops)}`).to.equal(true);
          expect(isAmount(work.bytes), `bytes ${String(work.bytes)}`).to.equal(true);
          if (work.flops === null || work.bytes === null) expect(work.unknown ?? '').not.to.equal('');
          expect(renderParams(work.params)).not.to.match(/\s/);
        },
      ),
      { numRuns: propertyRuns(750), seed: 7 },
    );
  });
});

describe('operands', () => {
  it('are tensors only with whole extents and an exact count', () => {
    const of = (shape: unknown): unknown => tensorOf({ name: '', type: 'tensor', shape, dtype: 'float32' } as Arg);
    expect([[-1], [1.5], [2 ** 30, 2 ** 30], 'x', undefined].map(of)).to.deep.equal([null, null, null, null, null]);
    expect(of([2, 0])).to.deep.equal({ shape: [2, 0], dtype: 'float32' });
  });
});
