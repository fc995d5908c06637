import { expect } from 'chai';
import { collectiveOfCalls } from '../../src/ops/families/collective.js';
import type { Collective } from '../../src/record/fields/collective.js';
import type { Arg, OpCall } from '../../src/record/record.js';
import { fileOf, rowsOf } from '../support/kineto.js';
import { itShared } from '../support/shared.js';

const tensor = (dtype: string, ...shape: number[]): Arg => ({ name: '', type: 'tensor', shape, dtype });
const call = (op: string, ...args: Arg[]): OpCall => ({
  mod: op.startsWith('nccl') ? 'nccl' : 'c10d',
  op,
  args,
  from: 'dispatcher',
});

const NCCL = 'ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t';
const of = (calls: OpCall[], name = NCCL, callKernels?: number[]): Collective | null =>
  collectiveOfCalls({ name, short: name, calls, ...(callKernels === undefined ? undefined : { callKernels }) });

const LIST: Arg = { name: '', type: 'list', items: [] };
const ALL_TO_ALL = call('nccl:all_to_all', tensor('int32', 8, 16));

describe('the collective operation of calls', () => {
  const NO_GROUP = { group: null, groupSize: null, ranks: null };
  // Sizes: elements times bytes of their type, by hand.
  const cases: [what: string, calls: OpCall[], expected: Partial<Collective>][] = [
    [
      'both sizes from one call',
      [call('nccl:all_reduce', tensor('float32', 100))],
      { op: 'all_reduce', bytesIn: 400, bytesOut: 400, dtype: 'float32' },
    ],
    ['the size that is known', [ALL_TO_ALL], { op: 'all_to_all', bytesIn: 512, bytesOut: null, dtype: 'int32' }],
    [
      'the result from the call around it',
      [call('alltoall_base_', tensor('int32', 99), tensor('int32', 128)), ALL_TO_ALL],
      { op: 'all_to_all', bytesIn: 512, bytesOut: 396, dtype: 'int32' },
    ],
    [
      'not from a call with another message',
      [call('alltoall_base_', tensor('int32', 99), tensor('int32', 127)), ALL_TO_ALL],
      { op: 'all_to_all', bytesIn: 512, bytesOut: null, dtype: 'int32' },
    ],
    [
      'a call that states nothing is passed over',
      [call('allreduce_', LIST), call('record_param_comms'), call('nccl:all_reduce', tensor('float64', 2, 2))],
      { op: 'all_reduce', bytesIn: 32, bytesOut: 32, dtype: 'float64' },
    ],
    [
      'one way',
      [call('nccl:broadcast', tensor('float16', 10))],
      { op: 'broadcast', bytesIn: 20, bytesOut: 20, dtype: 'float16' },
    ],
  ];
  for (const [what, calls, expected] of cases)
    it(what, () => {
      expect(
        of(
          calls,
          NCCL,
          calls.map(() => 1),
        ),
      ).to.deep.equal({ ...expected, ...NO_GROUP });
      expect(of(calls)).to.deep.equal({ ...expected, ...NO_GROUP });
    });

  it('none where the call does not determine it', () => {
    expect(of([])).to.equal(null);
    expect(of([call('allreduce_', LIST), call('record_param_comms')])).to.equal(null);
    expect(of([call('nccl:all_reduce', tensor('posit16', 5))])).to.equal(null);
    expect(of([ALL_TO_ALL], NCCL, [2]), 'one of several kernels').to.equal(null);
    expect(of([ALL_TO_ALL], 'vectorized_elementwise_kernel'), 'no kernel of a collective').to.equal(null);
    expect(of([call('add', tensor('float32', 5))])).to.equal(null);
  });

  // Counted in the JSON: kernels whose name has `nccl`, and the sums of Input Dims of the annotations around them.
  itShared('real traces from before kernels recorded it', [fileOf('a100_rank3of8_training')], async () => {
    const rows = await rowsOf('a100_rank3of8_training');
    const found = rows.flatMap(({ collective }) => (collective === null ? [] : [collective]));
    expect(found.length).to.equal(60);
    const reductions = found.filter(({ op }) => op === 'all_reduce');
    expect(reductions.length).to.equal(18);
    // 6 times each of three buckets.
    const sum = 6 * 4 * (267040 + 4432073 + 45310188);
    expect(reductions.reduce((bytes, { bytesIn }) => bytes + (bytesIn ?? NaN), 0)).to.equal(sum);
  });
});
