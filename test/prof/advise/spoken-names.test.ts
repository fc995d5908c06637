import { expect } from 'chai';
import { spokenName } from '../../../src/prof/advise/wording.js';

const NAMES: readonly (readonly [name: string, said: string])[] = [
  ['CppNode<SplitLookupFunction_rowwise_adagrad_Op>', 'SplitLookupFunction_rowwise_adagrad_Op'],
  ['CppNode<fbgemm::Lookup>', 'Lookup'],
  ['aclnnMuls_MulAiCore_Mul', 'Mul'],
  ['ncclDevKernel_AllReduce_Sum_f32_RING_LL', 'AllReduce'],
  ['ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t', 'SendRecv'],
  ['ncclDevKernel_ReduceScatter', 'ReduceScatter'],
  ['ncclDevKernel_Generic', 'ncclDevKernel_Generic'],
  ['conv2d', 'conv2d'],
  [`a${'b'.repeat(100)}c`, `a${'b'.repeat(39)}…${'b'.repeat(39)}c`],
];

describe('names as people say them', () => {
  for (const [name, said] of NAMES) {
    it(`${name.slice(0, 50)} is ${said.slice(0, 50)}`, () => {
      expect(spokenName(name)).to.equal(said);
    });
  }
});
