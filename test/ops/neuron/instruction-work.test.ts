import { expect } from 'chai';
import { instructionWork, operandType, type Instruction } from '../../../src/ops/neuron/instruction-work.js';

const VECTOR: Pick<Instruction, 'operands' | 'counters'> = {
  operands: 'S[6] (Vector)>=10 op=ADD dim=X src=fp32@0x6820[1,1,1,1][1,4,1,1] dst=fp32@0x6830[1,1,1,1][4,1,1,1] channels=128',
  counters: { sbufReadBytes: 16 },
}; // prettier-ignore

/** FLOPs, bytes, role, whether on the multipliers. */
const cells = (instruction: Instruction): unknown[] => {
  const work = instructionWork(instruction);
  return [work?.flops, work?.bytes, work?.role, work?.matmul];
};

describe('instructions', () => {
  it('multiply: two operations for each multiply-accumulate the tool counted', () => {
    const counters = { elements: 2_097_152, sbufReadBytes: 512 };
    // 128 x 128 x 128 multiply-accumulates.
    expect(cells({ name: 'MATMUL', counters })).to.deep.equal([2 * 128 ** 3, 0, 'main', true]);
  });

  it('multiply FP32 in two instructions, each for half of the FLOPs', () => {
    const operands = 'acc_flags=1 fp32_mode=LOW_HIGH src=fp32@0x36ff8[1,0,0][512,1,1] dst=0x2001000[1,0,0][512,1,1] 128*128';
    const half = { name: 'MATMUL', operands, counters: { elements: 128 * 128 * 512, sbufReadBytes: 2048 } };
    // The product has 2 x 128 x 128 x 512 FLOPs; the tool counts all multiply-accumulates in both instructions.
    expect(cells(half)).to.deep.equal([128 * 128 * 512, 0, 'main', true]);
    expect(instructionWork(half)?.formula).to.match(/two instructions of an FP32 product/);
  }); // prettier-ignore

  it('transpose on the multipliers: nothing is computed', () => {
    const counters = { elements: 2_097_152, sbufReadBytes: 512 };
    const cell = cells({ name: 'MATMUL', counters, labels: { type: 'TRANSPOSE' } });
    expect(cell).to.deep.equal([0, 0, 'helper', false]);
  });

  it('reduce: one operation for each element read, in every partition', () => {
    // 1 x 4 elements in each of 128 partitions.
    expect(cells({ name: 'TENSOR_REDUCE', ...VECTOR })).to.deep.equal([4 * 128, 0, 'main', false]);
  });

  it('map: one operation for each element written and each op other than bypass', () => {
    const operands = (ops: string): string => `ops=${ops} imm=0x684c,0 src=fp32@0x1[1,1,1][128,1,1] dst=fp32@0x2[1,1,1][128,2,1] channels=64`;
    const flops = (ops: string): unknown => instructionWork({ name: 'TENSOR_SCALAR', operands: operands(ops) })?.flops;
    expect(flops('MULTIPLY,BYPASS')).to.equal(128 * 2 * 64);
    expect(flops('MULTIPLY,ADD')).to.equal(2 * 128 * 2 * 64);
    expect(instructionWork({ name: 'RECIPROCAL', ...VECTOR })?.flops).to.equal(4 * 128);
  }); // prettier-ignore

  it('move: the bytes of the memory outside the core', () => {
    const counters = { hbmReadBytes: 65536, sbufWriteBytes: 65536 };
    expect(cells({ name: 'DMA_DIRECT2D', counters })).to.deep.equal([0, 65536, 'helper', false]);
  });

  it('move: bytes read and written of that memory together', () => {
    const counters = { hbmReadBytes: 1000, hbmWriteBytes: 24, sbufWriteBytes: 65536 };
    expect(cells({ name: 'DMA_DIRECT2D', counters })[1]).to.equal(1024);
  });

  it('control: nothing', () => {
    expect(cells({ name: 'EVENT_SEMAPHORE' })).to.deep.equal([0, 0, 'helper', false]);
  });

  it('without recorded operands or counts are unknown, with a reason', () => {
    for (const name of ['MATMUL', 'ACTIVATE', 'TENSOR_REDUCE']) {
      const work = instructionWork({ name, counters: { pc: 3 } });
      expect([work?.flops, work?.bytes], name).to.deep.equal([null, null]);
      expect(work?.unknown, name).to.match(/JSON/);
    }
    expect(instructionWork({ name: '0x77' })).to.equal(null);
  });

  it('have the element type of their source', () => {
    expect(operandType({ name: 'MATMUL', operands: 'src=bfloat16@0x4600[1,0,0][128,1,1] dst=fp32@0x2' })).to.equal('bf16');
    expect(operandType({ name: 'MATMUL', operands: 'src=fp32@0x4600[1][128]' })).to.equal('fp32');
    expect(operandType({ name: 'MATMUL' })).to.equal(null);
  }); // prettier-ignore
});
