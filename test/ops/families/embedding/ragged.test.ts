import { expect } from 'chai';
import { int, workOf } from '../../../support/amounts.js';
import { none, t, ts, v } from '../../../support/calls.js';
import type { Arg, OpCall } from '../../../../src/record/record.js';

const amount = (mod: string, op: string, ...args: readonly Arg[]): string | null => {
  const call: OpCall = { mod, op, args, from: 'dispatcher' };
  const work = workOf(call);
  return work === null ? null : `${work.flops ?? 'na'} ${work.bytes ?? 'na'}`;
};
const list = (...value: number[]): Arg => ({ name: '', type: 'list', value });
const unspecified: Arg = { name: '', type: 'unknown' };
/** 100 rows of 8, 3200 bytes, of 4 sequences with 40 bytes of offsets. */
const values = t([100, 8]);
const offsets = t([5], 'int64');

describe('sequences of different lengths', () => {
  it('are filled up, and cut again', () => {
    // [4, 30, 8]: 3840 bytes
    expect(amount('fbgemm', 'jagged_to_padded_dense', values, ts(offsets), list(30), v(0))).to.equal('0 7080');
    expect(amount('aten', '_jagged_to_padded_dense_forward', values, ts(offsets), list(30), v(0))).to.equal('0 7080');
    expect(amount('fbgemm', 'jagged_2d_to_dense', values, offsets, int(30))).to.equal('0 7080');
    expect(amount('fbgemm', 'jagged_to_padded_dense', values, ts(offsets), unspecified, unspecified)).to.equal('0 na');
    expect(amount('fbgemm', 'dense_to_jagged', t([4, 30, 8]), ts(offsets), int(100))).to.equal('0 6440');
    expect(amount('fbgemm', 'dense_to_jagged', t([4, 30, 8]), ts(offsets), none)).to.equal('0 na');
    expect(amount('fbgemm', 'pack_segments', values, t([4], 'int64'), int(30))).to.equal('0 7072');
  });
  it('meet dense operands', () => {
    const dense = t([4, 30, 8]);
    expect(amount('fbgemm', 'jagged_dense_elementwise_add', values, ts(offsets), dense)).to.equal('800 10920');
    expect(amount('fbgemm', 'jagged_dense_elementwise_mul', values, ts(offsets), dense)).to.equal('800 9640'); // 3·3200 + 40
  });
  it('are reduced one by one', () => {
    const reduce: Arg = { name: '', type: 'str', value: 'sum' };
    const after = [int(0), v(false), none];
    const lengths = t([4], 'int64');
    // 3200 + 32 + 4·8·4
    expect(amount('aten', 'segment_reduce', values, reduce, lengths, none, none, ...after)).to.equal('800 3360');
    expect(amount('aten', 'segment_reduce', values, reduce, none, none, offsets, ...after)).to.equal('800 3368');
    expect(amount('aten', 'segment_reduce', values, reduce, none, none, none, ...after)).to.equal(null);
    const sums = t([4, 8]);
    expect(
      amount('aten', '_segment_reduce_backward', sums, sums, values, reduce, lengths, none, int(0), none),
    ).to.equal(
      '800 6688', // 2·128 + 2·3200 + 32
    );
    expect(amount('fbgemm', 'segment_sum_csr', int(1), offsets, t([100]))).to.equal('100 456'); // 40 + 400 + 16
  });
  it('are picked, ranged and stored in fewer bits', () => {
    expect(amount('fbgemm', 'index_select_dim0', values, t([7], 'int64'), int(0), int(0), none)).to.equal('0 504');
    expect(amount('fb', 'offsets_range', offsets, int(50))).to.equal('0 440');
    expect(amount('fbgemm', 'offsets_range', offsets, unspecified)).to.equal('0 na');
    const order = t([3], 'int32');
    expect(amount('fbgemm', 'expand_into_jagged_permute', order, t([4], 'int32'), t([4], 'int32'), int(9))).to.equal(
      '0 80',
    );
    // 2 tasks, 6 indices, 3 bags: 12 weights; 48 + 8 + 32 + 48 read, 24 written
    const index = t([6], 'int64');
    expect(amount('fbgemm', 'batched_unary_embeddings', t([2, 50]), t([1], 'int64'), t([4], 'int64'), index)).to.equal(
      '12 160',
    );
  });
  it('change their order', () => {
    const lengths = t([4, 10], 'int32');
    const order = t([3], 'int32');
    // 12 + 160 + 400 read; [3, 10] of 120 and 70 indices of 280 written
    expect(amount('fbgemm', 'permute_2D_sparse_data', order, lengths, t([100], 'int32'), none, int(70))).to.equal(
      '0 972',
    );
    expect(amount('fbgemm', 'permute_2D_sparse_data', order, lengths, t([100], 'int32'), none, none)).to.equal('0 na');
  });
});
