import { expect } from 'chai';
import { algorithmBytes, busBytes, messageBytes } from '../../src/ops/collective-bytes.js';
import type { Arg, OpCall } from '../../src/record/record.js';
import type { Collective } from '../../src/record/fields/collective.js';
import { amount, int } from '../support/amounts.js';
import { t, ts, v } from '../support/calls.js';

const of = (op: string, bytesIn: number | null, bytesOut: number | null, groupSize: number | null = 8): Collective => ({
  ...{ op, bytesIn, bytesOut, dtype: 'bfloat16', group: '0', groupSize, ranks: null },
});
const all = (collective: Collective): (number | null)[] => [
  algorithmBytes(collective),
  busBytes(collective),
  messageBytes(collective),
];

describe('sizes of a collective', () => {
  it("are NCCL's: S, S times the operation's factor", () => {
    expect(all(of('allreduce', 800, 800))).to.deep.equal([800, 1400, 1600]); // 2·7/8
    expect(all(of('_allgather_base', 100, 800))).to.deep.equal([800, 700, 900]); // 7/8
    expect(all(of('_reduce_scatter_base', 800, 100))).to.deep.equal([800, 700, 900]);
    expect(all(of('all_to_all', 800, 800))).to.deep.equal([800, 700, 1600]);
    expect(all(of('broadcast', 800, 800))).to.deep.equal([800, 800, 800]);
    expect(all(of('reduce', 800, 800))).to.deep.equal([800, 800, 800]);
    expect(all(of('send', 800, 800))).to.deep.equal([800, 800, 800]);
  });
  it('take the number of ranks from their list, and are unknown without', () => {
    expect(busBytes({ ...of('allreduce', 800, 800, null), ranks: [0, 4] })).to.equal(800); // 2·1/2
    expect(all(of('allreduce', 800, 800, null))).to.deep.equal([800, null, 1600]);
    expect(busBytes(of('allreduce', 800, 800, 1))).to.equal(0);
    expect(all(of('allgather', 100, null))).to.deep.equal([null, null, null]);
    expect(all(of('all_to_allv', 800, 640))).to.deep.equal([800, null, 1440]);
    expect(all(of('barrier', 0, 0))).to.deep.equal([null, null, 0]);
  });
});

describe('calls of collectives', () => {
  const run = (mod: string, op: string, ...args: Arg[]): string | null =>
    amount({ mod, op, args, from: 'dispatcher' } satisfies OpCall);
  const message = t([888, 2880], 'bfloat16');
  const str: Arg = { name: '', type: 'str' };

  it('read the message and write the result', () => {
    expect(run('symm_mem', 'multimem_all_reduce_', t([2557440], 'bfloat16'), str, str)).to.equal('main 0 10229760');
    expect(run('vllm', 'all_reduce', message, str)).to.equal('main 0 10229760');
    expect(run('_C_custom_ar', 'all_reduce', int(1), message, message, int(2), int(3))).to.equal('main 0 10229760');
    expect(run('c10d', 'allreduce_', ts(t([4]), t([6])), str)).to.equal('main 0 80');
    expect(run('', 'nccl:all_reduce', t([45310188]))).to.equal('main 0 362481504');
    // 8·25136 written, 25136 read, 2 bytes each
    const gather = [t([8, 25136], 'bfloat16'), t([1, 25136], 'bfloat16'), str, v(false), int(-1)];
    expect(run('c10d', '_allgather_base_', ...gather)).to.equal('main 0 452448');
    expect(run('c10d', 'broadcast_', ts(t([9600], 'float16')), str)).to.equal('main 0 19200');
  });
  it('need the number of ranks where the result has another size', () => {
    const part = t([1, 25136], 'bfloat16');
    expect(run('vllm', 'all_gather', part, int(-1), int(8), str)).to.equal('main 0 452448');
    expect(run('_c10d_functional', 'all_gather_into_tensor', part, int(8), str)).to.equal('main 0 452448');
    expect(run('_c10d_functional', 'reduce_scatter_tensor', t([49]), str, int(49), str)).to.equal('main 0 200');
    expect(run('vllm', 'all_gather', part, int(-1), { name: '', type: 'int' }, str)).to.equal('main 0 na');
  });
  it('have lists of results, or of parts, that may be unspecified', () => {
    const lists: Arg = { name: '', type: 'list' };
    expect(run('c10d', 'allgather_', lists, ts(t([4])), str, v(false), int(-1))).to.equal('main 0 na');
    expect(run('c10d', 'reduce_scatter_', ts(t([4])), lists, str, str, v(false), int(-1))).to.equal('main 0 na');
    expect(run('c10d', 'reduce_scatter_', lists, lists, str, str, v(false), int(-1))).to.equal(null);
    // a barrier reduces one element
    expect(run('c10d', 'barrier', t([1]), str, v([0]), v(false), int(-1))).to.equal('main 0 8');
  });
  it('of the functional form write so many times more, or the rows of all splits', () => {
    const part = t([6, 4], 'bfloat16'); // 48 bytes
    const pair = ts(part, t([2], 'bfloat16')); // 52 bytes
    const functional = '_c10d_functional';
    expect(run(functional, 'all_gather_into_tensor_coalesced', pair, int(8), str)).to.equal('main 0 468');
    expect(run(functional, 'all_gather_into_tensor_out', part, int(8), str, t([48, 4], 'bfloat16'))).to.equal(
      'main 0 432',
    );
    expect(run(functional, 'reduce_scatter_tensor_coalesced', pair, str, int(2), str)).to.equal('main 0 78');
    const parts = [v([1, 2, 4]), v([2, 2, 2])]; // 7 rows of 8 bytes come in
    expect(run(functional, 'all_to_all_single', part, ...parts, str)).to.equal('main 0 104');
    expect(run(`${functional}_autograd`, 'all_to_all_single', part, ...parts, str)).to.equal('main 0 104');
    const unspecified: Arg = { name: '', type: 'list' };
    expect(run(functional, 'all_to_all_single', part, unspecified, unspecified, str)).to.equal('main 0 na');
  });
  it('of symmetric memory', () => {
    const [buffer, one] = [t([100], 'bfloat16'), t([25], 'bfloat16')];
    expect(run('symm_mem', 'one_shot_all_reduce', buffer, str, str)).to.equal('main 0 400');
    expect(run('symm_mem', 'two_shot_all_reduce_', buffer, str, str)).to.equal('main 0 400');
    expect(run('symm_mem', 'two_shot_all_reduce_out', buffer, str, str, buffer)).to.equal('main 0 400');
    expect(run('symm_mem', 'one_shot_all_reduce_copy', t([900], 'bfloat16'), buffer, str, str)).to.equal('main 0 400');
    expect(run('symm_mem', 'one_shot_all_reduce_copy_out', buffer, buffer, str, str, buffer)).to.equal('main 0 400');
    expect(run('symm_mem', 'multimem_one_shot_reduce_out', buffer, str, int(0), str, buffer)).to.equal('main 0 200');
    expect(run('symm_mem', 'multimem_all_gather_out', one, str, buffer)).to.equal('main 0 250');
    expect(run('symm_mem', 'reduce_scatter_out', buffer, str, v(false), one)).to.equal('main 0 250');
    expect(run('symm_mem', 'nvshmem_all_to_all', buffer, buffer, str)).to.equal('main 0 400');
    expect(run('symm_mem', 'nvshmem_put', buffer, int(1))).to.equal('main 0 200');
    const splits = t([4], 'int64');
    expect(run('symm_mem', 'all_to_all_vdev', buffer, buffer, splits, t([2, 4], 'int64'), str)).to.equal('main 0 na');
  });
  it('are unknown where the call leaves them unspecified', () => {
    expect(run('', 'nccl:all_to_all', t([72605696]))).to.equal('main 0 na');
    expect(run('c10d', 'allreduce_', ts({ name: '', type: 'tensor', shape: [4] }))).to.equal('main 0 na');
    expect(run('c10d', 'allreduce_', { name: '', type: 'list' })).to.equal(null);
    expect(run('c10d', 'allreduce_', ts())).to.equal(null);
    expect(amount({ mod: 'torch.distributed', op: 'all_reduce', args: [message] })).to.equal(null);
  });
});
