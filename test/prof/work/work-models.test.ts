import { expect } from 'chai';
import { ASCEND, NEURON, GPU, workModelOf } from '../../../src/prof/work/work-models.js';
import type { Device } from '../../../src/record/record.js';
import { kernel } from '../../support/kernels.js';
import { annotate } from '../../support/rows.js';

const device = (vendor: string): Device => ({
  ...{ id: 0, vendor, name: null, arch: null, units: null, clockHz: null, memBytesPerS: null, memBytes: null },
});

describe('the work model of a kernel', () => {
  it('is that of its engine, of its core class, of its device', () => {
    expect(workModelOf(kernel({ engine: 'Tensor' }), device('aws'))).to.equal(NEURON);
    expect(workModelOf(kernel({ engine: 'Tensor' }), null)).to.equal(NEURON);
    expect(workModelOf(kernel({ engine: 'AI_CORE' }), null)).to.equal(ASCEND);
    expect(workModelOf(kernel(), device('huawei'))).to.equal(ASCEND);
  });

  it('is that of GPUs for any other', () => {
    for (const vendor of ['nvidia', 'amd', 'unknown']) expect(workModelOf(kernel(), device(vendor))).to.equal(GPU);
    expect(workModelOf(kernel(), null)).to.equal(GPU);
  });

  it('says that a MATMUL multiplied where the profile does: a device trace of Neuron does not', () => {
    const matmul = { engine: 'Tensor', name: 'MATMUL' };
    const rows = annotate([
      kernel(matmul),
      kernel({ ...matmul, counters: { elements: 2097152 }, labels: { type: 'REGULAR' } }),
      kernel({ ...matmul, counters: { elements: 2097152 }, labels: { type: 'TRANSPOSE' } }),
      kernel({ engine: 'Vector', name: 'COPY' }),
    ]);
    expect(rows.map(({ tc }) => tc)).to.deep.equal(['?', 1, '-', '-']);
    expect(rows.map(({ unitUse }) => unitUse?.eligible)).to.deep.equal([null, true, false, false]);
  });
});
