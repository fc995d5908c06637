import { expect } from 'chai';
import type { KernelRecord } from '../../../src/record/record.js';
import { requireColumn } from '../../../src/prof/columns/columns.js';
import { kernel } from '../../support/kernels.js';
import { annotate } from '../../support/rows.js';

const collectiveOf = (short: string, fields: Partial<KernelRecord> = {}): unknown[] =>
  annotate([kernel({ name: short, short, ...fields })]).map((row) => requireColumn('collective').value(row));

describe('column collective', () => {
  it('names the operation by the name of the kernel where nothing else says, as all answers do', () => {
    expect(collectiveOf('ncclDevKernel_AllReduce_Sum_f32_RING_LL')).to.deep.equal(['all-reduce']);
    expect(collectiveOf('deep_ep::intranode::dispatch')).to.deep.equal(['dispatch']);
    // It communicates, and nothing says how.
    expect(collectiveOf('ncclDevKernel_Generic_1')).to.deep.equal([null]);
    expect(collectiveOf('reduce_kernel')).to.deep.equal([null]);
  });

  it('names it by what the profiler recorded before that', () => {
    const collective = { op: 'alltoall_base_', bytesIn: 1, bytesOut: 1, dtype: null, group: null, groupSize: null, ranks: null }; // prettier-ignore
    expect(collectiveOf('ncclDevKernel_SendRecv', { collective })).to.deep.equal(['all-to-all']);
  });
});
