/** Element types: one table for ops, traces, messages and kernels. */
import { expect } from 'chai';
import {
  dtypeBytes,
  dtypeShort,
  ELEMENT_TYPES,
  elementType,
  elementTypeNumbered,
} from '../../src/record/element-types.js';
import { resolveWork } from '../../src/ops/resolve-work.js';
import { aten, kernel, t } from '../support/calls.js';

describe('element types', () => {
  it('have a size each, and their first name is found', () => {
    for (const type of ELEMENT_TYPES) {
      expect(type.bytes, type.dtype).to.be.greaterThan(0);
      expect(elementType(type.dtype)).to.equal(type);
    }
    expect(dtypeBytes('float3')).to.equal(null);
    expect(dtypeShort('float3')).to.equal('float3');
  });

  it('are the same by the names of each source', () => {
    // PyTorch, its C++ types and collectives; NCCL without its prefix; messages and operands of Ascend; PyProf, Neuron.
    for (const name of ['bfloat16', 'c10::BFloat16', 'BFloat16', 'BFP16', 'BF16', 'bf16'])
      expect(elementType(name)?.dtype, name).to.equal('bfloat16');
    for (const name of ['float32', 'float', 'Float', 'FLOAT', 'FP32', 'fp32'])
      expect(elementType(name)?.dtype, name).to.equal('float32');
    for (const name of ['Float8_e4m3fn', 'float8e4m3', 'FP8E4M3'])
      expect(elementType(name)?.dtype, name).to.equal('float8_e4m3fn');
    for (const name of ['HIF8', 'HIFLOAT8']) expect(elementType(name)?.dtype, name).to.equal('hif8');
  });

  it('have the codes of ScalarType; types of less than a byte have none', () => {
    // c10/core/ScalarType.h: Byte is 0, BFloat16 15, Float8_e5m2 23, UInt16 27, Float4_e2m1fn_x2 45; 16 is a bit type.
    expect([0, 15, 23, 27, 45, 16].map((code) => elementTypeNumbered(code)?.dtype ?? null)).to.deep.equal([
      ...['uint8', 'bfloat16', 'float8_e5m2', 'uint16', 'float4_e2m1fn_x2', null],
    ]);
  });

  it('of packed values count bytes: a clone of 1,024 pairs of float4 reads and writes 2,048 bytes', () => {
    const call = aten('clone', t([1024], 'float4_e2m1fn_x2'));
    expect(resolveWork([call], kernel('copy'))?.whole.bytes).to.equal(2048);
  });
});
