import { expect } from 'chai';
import type { Arg } from '../../../../src/record/record.js';
import { amount, int, workOf } from '../../../support/amounts.js';
import { aten, call, none, t, v } from '../../../support/calls.js';

const unspecified: Arg = { name: '', type: 'unknown' };
const table = t([1000, 96]); // a row has 384 bytes
const indices = t([50], 'int64'); // 400 bytes; 50 rows: 4800 elements, 19200 bytes
const offsets = t([10], 'int64'); // 80 bytes
const [no, yes] = [v(false), v(true)];

describe('embedding as the dispatcher runs it', () => {
  it('reads and writes a row for each index', () => {
    expect(amount(aten('embedding', table, indices, int(-1), no, no))).to.equal('main 0 38800');
    // of a smaller table no row is read twice: 400 + 20·384 + 19200
    expect(amount(aten('embedding', t([20, 96]), indices, int(-1), no, no))).to.equal('main 0 27280');
  });
  it('backward: the whole gradient of the table is written', () => {
    const gradient = t([50, 96]);
    // 50·96; 19200 + 400 + 384000
    expect(amount(aten('embedding_dense_backward', gradient, indices, int(1000), int(-1), no))).to.equal(
      'main 4800 403600',
    );
    const old = aten('embedding_dense_backward', gradient, indices, unspecified, unspecified, unspecified);
    expect(amount(old)).to.equal('main 4800 na');
    expect(workOf(old)?.unknown).to.equal('the number of rows of the table is unspecified');
    expect(amount(aten('embedding_renorm_', table, indices, v(1), v(2)))).to.equal('main 14400 38800');
  });
  it('bags: an addition for each element of a row, a product where there are weights', () => {
    const bag = (mode: number, weights: Arg, last: Arg): string | null =>
      amount(aten('_embedding_bag', table, indices, offsets, no, int(mode), no, weights, last, int(-1)));
    // 400 + 80 + 19200 read; 10·384 + 400 + 80 written
    expect(bag(0, none, no)).to.equal('main 4800 24000');
    expect(bag(0, t([50]), yes)).to.equal('main 9600 23816'); // 9 bags; weights of 200 bytes
    expect(bag(2, none, no)).to.equal('main 4800 31680'); // positions of the maxima: 10·96·8
    const gradient = t([10, 96]); // 3840 bytes
    const back = aten(
      '_embedding_bag_dense_backward',
      ...[gradient, indices, indices, offsets, none, int(1000), no, int(0), none, int(-1)],
    );
    expect(amount(back)).to.equal('main 4800 388720'); // 3840 + 2·400 + 80 + 384000
    const weights = aten(
      '_embedding_bag_per_sample_weights_backward',
      gradient,
      table,
      indices,
      offsets,
      indices,
      int(0),
    );
    expect(amount(weights)).to.equal('main 9600 24040'); // 3840 + 2·400 + 19200 + 200
  });
  it('tables looked up at once: the width of a row by all widths, or by the rows that have a state', () => {
    const empty = t([0]);
    const long = (n: number): Arg => t([n], 'int64');
    const lookup = (total: Arg, weights: Arg): string | null =>
      amount({
        ...call(
          'fbgemm.split_embedding_codegen_lookup_rowwise_adagrad_function',
          ...[
            empty,
            t([96000]),
            empty,
            t([0, 0]),
            t([1], 'int32'),
            long(1),
            t([2], 'int32'),
            total,
            unspecified,
            long(2),
          ],
          ...[
            unspecified,
            long(61072),
            long(8193),
            unspecified,
            weights,
            none,
            t([0], 'int32'),
            unspecified,
            unspecified,
            unspecified,
          ],
          ...[t([1000]), empty, t([1], 'int32'), long(1), unspecified, unspecified],
        ),
        from: 'dispatcher',
      });
    // 61072·96 values; 8·(61072 + 8193) + 4·96·(1000 + 8192): there are 1000 rows
    expect(lookup(unspecified, none)).to.equal('main 5862912 4083848');
    expect(lookup(int(96), none)).to.equal('main 5862912 4083848');
    expect(lookup(unspecified, t([61072]))).to.equal('main 11725824 4328136'); // weights of 244288 bytes
  });
  it('features and pooled rows in another order, sums of lengths', () => {
    const of = (op: string, ...args: readonly Arg[]): string | null =>
      amount({ ...call(`fbgemm.${op}`, ...args), from: 'dispatcher' });
    const long = (n: number): Arg => t([n], 'int64');
    const pooled = t([1024, 70904]); // 290422784 bytes
    const order = [long(981), long(980), long(981), long(980)]; // 31376 bytes
    expect(of('permute_pooled_embs_auto_grad', pooled, ...order)).to.equal('main 0 580876944');
    expect(of('recat_embedding_grad_output_mixed_D_batch', pooled, long(8), long(8))).to.equal('main 0 580845696');
    expect(of('asynchronous_complete_cumsum', t([8192], 'int32'))).to.equal('main 8192 65540'); // 4·(8192 + 8193)
    const checked = [long(1), long(61072), long(8193), unspecified, long(1), t([61072])];
    expect(of('bounds_check_indices', ...checked)).to.equal('main 0 554128'); // 8·(1 + 61072 + 8193)
    const [lengths, features] = [t([4, 10], 'int32'), t([500], 'int32')]; // 160 and 2000 bytes
    expect(of('permute_sparse_features', t([4], 'int32'), lengths, features, none)).to.equal('main 0 4336');
    expect(of('permute_sparse_features', t([7], 'int32'), lengths, features, none)).to.equal('main 0 na');
  });
});
