/** Sizes of element types: one table for ops, traces and messages. */
import { expect } from 'chai';
import { DTYPES } from '../../../src/ops/call.js';
import { elementBytes } from '../../../src/record/fields/element-types.js';
import { resolveWork } from '../../../src/ops/resolve-work.js';
import { scalarType } from '../../../src/parse/torch/scalar-types.js';
import { aten, kernel, t } from '../../support/calls.js';

describe('element types', () => {
  it('have a size each', () => {
    for (const [name, { bytes }] of DTYPES) expect(bytes, name).to.be.greaterThan(0);
    expect(elementBytes('float3')).to.equal(null);
  });

  it('have one size in ops and in traces', () => {
    for (const name of [
      'Float',
      'c10::BFloat16',
      'Float8_e4m3fn',
      'Float4_e2m1fn_x2',
      'long int',
      'c10::complex<float>',
    ]) {
      const type = scalarType(name);
      expect(type?.bytes, name).to.equal(DTYPES.get(type?.dtype ?? '')?.bytes);
    }
  });

  it('of packed values count bytes: a clone of 1,024 pairs of float4 reads and writes 2,048 bytes', () => {
    const call = aten('clone', t([1024], 'float4_e2m1fn_x2'));
    expect(resolveWork([call], kernel('copy'))?.whole.bytes).to.equal(2048);
  });
});
