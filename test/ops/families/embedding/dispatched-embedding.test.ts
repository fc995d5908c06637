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
    // its gradient, whose order is that of the forward op and no argument
    expect(amount({ ...call('autograd.PermutePooledEmbsFunctionBackward', pooled), from: 'dispatcher' })).to.equal(
      'main 0 580845568',
    );
    expect(of('recat_embedding_grad_output_mixed_D_batch', pooled, long(8), long(8))).to.equal('main 0 580845696');
    expect(of('asynchronous_complete_cumsum', t([8192], 'int32'))).to.equal('main 8192 65540'); // 4·(8192 + 8193)
    const checked = [long(1), long(61072), long(8193), unspecified, long(1), t([61072])];
    expect(of('bounds_check_indices', ...checked)).to.equal('main 0 554128'); // 8·(1 + 61072 + 8193)
    const [lengths, features] = [t([4, 10], 'int32'), t([500], 'int32')]; // 160 and 2000 bytes
    expect(of('permute_sparse_features', t([4], 'int32'), lengths, features, none)).to.equal('main 0 4336');
    expect(of('permute_sparse_features', t([7], 'int32'), lengths, features, none)).to.equal('main 0 na');
  });
  it('indices by the device that holds their row', () => {
    const of = (op: string, ...args: readonly Arg[]): string | null =>
      amount({ ...call(`fbgemm.${op}`, ...args), from: 'dispatcher' });
    const [lengths, features, blocks] = [t([40], 'int32'), t([500], 'int64'), t([4], 'int64')]; // 160, 4000, 32 bytes
    const block = (...rest: readonly Arg[]): string | null => of('block_bucketize_sparse_features', ...rest);
    // lengths for 8 devices: 1280; indices, and their order: 160 + 4000 + 32 + 1280 + 2·4000
    expect(block(lengths, features, no, yes, blocks, int(8), none)).to.equal('main 0 13472');
    // with positions too, and weights of 2000 bytes read and written
    expect(block(lengths, features, yes, yes, blocks, int(8), t([500]))).to.equal('main 0 21472');
    const later = [none, int(-1), none, no, none, none];
    expect(block(lengths, features, no, no, blocks, int(8), none, ...later)).to.equal('main 0 9472');
    expect(block(lengths, features, unspecified, yes, blocks, int(8), none)).to.equal('main 0 na');
    expect(of('bucketize_sparse_features', lengths, features, no, int(2), none)).to.equal('main 0 8480'); // 2·4160 + 160
  });
  it('quantised tables of one width and type', () => {
    const [bytes, long] = [(n: number): Arg => t([n], 'uint8'), (n: number): Arg => t([n], 'int64')];
    const tables = [bytes(1_000_000), bytes(0), t([2], 'int32'), long(2), bytes(2), t([3], 'int32')];
    const widths = (int4: number, int8: number): Arg[] => [int(0), int(int4), int(int8), int(0), int(0)];
    const lookup = (total: number, formats: readonly Arg[], mode: number, weights: Arg, ...rest: readonly Arg[]) =>
      amount({
        ...call(
          'fbgemm.int_nbit_split_embedding_codegen_lookup_function',
          ...[...tables, int(total), ...formats, long(100), long(21), int(mode), weights, int(1), none, none, ...rest],
        ),
        from: 'dispatcher',
      });
    const end = [none, none, none, none];
    // two tables of 64 columns: rows of 68 bytes, at multiples of 16 of 80. 3·100·64; 800 + 168 + 8000 + 20·64·2
    expect(lookup(128, widths(0, 64), 0, none, ...end)).to.equal('main 19200 11528');
    expect(lookup(128, widths(0, 64), 0, none)).to.equal('main 19200 11528');
    // without alignment, 100·68; with weights 4·100·64 and 400 bytes more
    expect(lookup(128, widths(0, 64), 0, t([100]), int(1), none, none, none)).to.equal('main 25600 10728');
    // 4 bits: 32 + 4 bytes in 48; copied one by one 2·100·64; 968 + 4800 + 100·64·2
    expect(lookup(128, widths(64, 0), 2, none, ...end)).to.equal('main 12800 18568');
    // half precision: 128 bytes; 100·64; 968 + 12800 + 2560
    expect(lookup(128, [int(0), int(0), int(0), int(64), int(0)], 0, none, ...end)).to.equal('main 6400 16328');
    // tables of 32 and 96 columns, or of two types: which rows are read is not known
    expect(lookup(128, widths(0, 96), 0, none, ...end)).to.equal('main na na');
    expect(lookup(128, widths(64, 64), 0, none, ...end)).to.equal('main na na');
    expect(lookup(128, widths(0, 64), 0, none, none, unspecified, none, none)).to.equal('main na na');
  });
});
