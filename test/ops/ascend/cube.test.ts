import { expect } from 'chai';
import { cubeFlops, cubeVerdict, kernelType } from '../../../src/ops/ascend/cube.js';

const typed = (inputTypes: string, more = {}) => ({
  name: 'k',
  labels: { opType: 'MatMulV3', inputShapes: '2,2;2,2', inputTypes, ...more },
});

describe('the cube of an Ascend core', () => {
  it('worked where its counter says so, in databases and tables', () => {
    const yes = { verdict: 'yes', rule: 'aic_mac_time' };
    expect(cubeVerdict({ counters: { aic_mac_time: 5 }, engine: 'MIX_AIV' }, undefined)).to.deep.equal(yes);
    expect(cubeVerdict({ counters: { 'aic_mac_time(us)': 0.5 } }, 'ascend910b')).to.deep.equal(yes);
    expect(cubeVerdict({ counters: { 'mac_time(us)': 0.5 } }, 'ascend910a')).to.deep.equal(yes);
    const no = { verdict: 'no', rule: 'aic_mac_time' };
    expect(cubeVerdict({ counters: { 'aic_mac_time(us)': 0 }, engine: 'AI_CORE' }, undefined)).to.deep.equal(no);
  });

  it('without counters, by the class of cores, then by the type of the task', () => {
    const of = (engine: string | undefined, taskType?: string, arch = 'ascend910b'): string => {
      const labels = taskType === undefined ? {} : { labels: { taskType } };
      const { verdict, rule } = cubeVerdict({ ...labels, ...(engine === undefined ? {} : { engine }) }, arch);
      return `${verdict} ${rule}`;
    };
    expect(of('AI_CORE')).to.equal('yes core-class');
    expect(of('AI_CORE', undefined, 'ascend310p')).to.equal('likely core-class');
    expect(of('MIX_AIC', 'KERNEL_AIVEC')).to.equal('yes core-class');
    expect(of('AI_VECTOR_CORE', 'KERNEL_AICORE')).to.equal('no core-class');
    expect(of(undefined, 'KERNEL_AICORE')).to.equal('likely task-type');
    expect(of(undefined, 'KERNEL_AIVEC')).to.equal('no task-type');
    expect(of(undefined)).to.equal('unknown none');
  });

  it('did as many operations as were counted', () => {
    const counters = { aic_cube_fops: 123456, aic_mac_ratio: 1, aic_total_cycles: 1 };
    expect(cubeFlops({ ...typed('FLOAT16;FLOAT16'), counters })).to.equal(123456);
  });

  it('else as many as its cycles hold at the rate of the type', () => {
    const counters = { aic_mac_ratio: 0.5, aic_total_cycles: 1000 };
    const of = (types: string, more = {}): number | null => cubeFlops({ ...typed(types, more), counters });
    expect(of('DT_BF16;DT_BF16')).to.equal(500 * 8192);
    expect(of('FLOAT16;FLOAT16')).to.equal(500 * 8192);
    expect(of('INT8;INT8')).to.equal(500 * 16384);
    expect(of('FLOAT;FLOAT')).to.equal((500 * 8192) / 4);
    expect(of('FLOAT;FLOAT', { hf32: 'YES' })).to.equal((500 * 8192) / 2);
    expect(of('DOUBLE;DOUBLE')).to.equal(null);
    expect(cubeFlops({ ...typed('FLOAT;FLOAT'), counters: { aic_mac_ratio: 0, aic_total_cycles: 0 } })).to.equal(0);
    expect(cubeFlops(typed('FLOAT;FLOAT'))).to.equal(null);
  });

  it('computes in the type of the first operand of floating point', () => {
    expect(kernelType(typed('INT64;DT_BF16'))).to.equal('bf16');
    expect(kernelType(typed('INT8;INT8'))).to.equal('int8');
    expect(kernelType({ name: 'k' })).to.equal(null);
  });

  it('rounds FP32 of convolutions by default, that of products where recorded', () => {
    const shapes = { inputShapes: '1,1', inputTypes: 'FLOAT' };
    expect(kernelType({ name: 'k', labels: { opType: 'Conv2D', ...shapes } })).to.equal('hf32');
    expect(kernelType({ name: 'k', labels: { opType: 'Conv2D', hf32: 'NO', ...shapes } })).to.equal('fp32');
    expect(kernelType({ name: 'k', labels: { opType: 'MatMulV2', ...shapes } })).to.equal('fp32');
    expect(kernelType({ name: 'k', labels: { opType: 'TransData', ...shapes } })).to.equal('fp32');
  });
});
