import { expect } from 'chai';
import { amount, float, int, workOf } from '../../../support/amounts.js';
import { aten, none, t, ts, v } from '../../../support/calls.js';
import type { Arg } from '../../../../src/record/record.js';

const table = t([30522, 512], 'bfloat16');
const index = (...shape: number[]): Arg => t(shape, 'int64');
const unspecified: Arg = { name: '', type: 'unknown' };
const x = t([64, 64]);

describe('indexing by the dispatcher', () => {
  it('picks', () => {
    // 141 rows of 1024 bytes, read and written, and 141 indices of 8
    expect(amount(aten('index_select', table, int(0), index(141)))).to.equal('main 0 289896');
    expect(amount(aten('index_select', table, unspecified, index(141)))).to.equal('main 0 na');
    // there is but one dimension: 1024·(4 + 4 + 4)
    expect(amount(aten('index_select', t([755000]), unspecified, t([1024], 'int32')))).to.equal('main 0 12288');
    const out = t([888, 2880], 'bfloat16');
    // 2557440·(2 + 2 + 8)
    expect(amount(aten('gather', t([25136, 2880], 'bfloat16'), int(0), index(888, 2880), v(false), out))).to.equal(
      'main 0 30689280',
    );
    expect(amount(aten('take', x, index(5)))).to.equal('main 0 80');
  });
  it('places without the copy, which is a call of its own', () => {
    expect(amount(aten('scatter', x, int(1), index(64, 8), float(1)))).to.equal('main 0 6144'); // 512·(8 + 4)
    expect(amount(aten('scatter_add_', t([50]), int(0), index(61072), t([61072])))).to.equal('main 61072 1221440'); // ·(8+4+4+4)
    const reduced = aten('scatter', x, int(1), index(64, 8), t([64, 8]), { name: '', type: 'str', value: 'add' });
    expect(amount(reduced)).to.equal('main 512 10240');
    expect(amount(aten('index_copy_', t([755000]), int(0), index(1024), t([1024])))).to.equal('main 0 16384'); // ·(8+4+4)
    expect(amount(aten('index_add_', t([755000]), int(0), t([1024], 'int32'), t([1024]), int(1)))).to.equal(
      'main 1024 16384', // ·(4+4+4+4)
    );
    expect(amount(aten('index_fill_', x, int(1), index(3), float(0)))).to.equal('main 0 792'); // 64·3·4 + 24
    expect(amount(aten('put_', x, index(7), t([7]), v(true)))).to.equal('main 7 140'); // 7·(8 + 4 + 4 + 4)
  });
  it('does not guess how many elements a mask or a value chooses', () => {
    expect(amount(aten('masked_select', x, t([64, 64], 'bool')))).to.equal('main 0 na');
    expect(amount(aten('nonzero', x))).to.equal('main 0 na');
    expect(workOf(aten('nonzero', x))?.unknown).to.equal('the number of non-zero elements is unspecified');
  });
});

describe('indexing by tensors', () => {
  it('picks the common extents of the indices and the dimensions without one', () => {
    // x[:, i] with 3 × 2 indices: 64·6 elements read and written, 48 bytes of indices
    expect(amount(aten('index', x, ts(none, index(3, 2))))).to.equal('main 0 3120');
    // x[i, j]: 5 elements, 2·5 indices
    expect(amount(aten('index', x, ts(index(5), index(5))))).to.equal('main 0 120');
    // x[i]: 5 rows of 64
    expect(amount(aten('index', x, ts(index(5))))).to.equal('main 0 2600');
  });
  it('places values, or adds them', () => {
    expect(amount(aten('index_put_', x, ts(index(5)), t([5, 64]), v(false)))).to.equal('main 0 2600');
    // 320 values of 4 bytes, the place read and written: 3·1280 + 40
    expect(amount(aten('_index_put_impl_', x, ts(index(5)), t([5, 64]), v(true), v(false)))).to.equal('main 320 3880');
    expect(amount(aten('index_put_', x, ts(index(5)), t([]), v(false)))).to.equal('main 0 1324'); // 4 + 40 + 1280
  });
  it('is unknown with masks or without the indices', () => {
    expect(amount(aten('index', x, ts(t([64, 64], 'bool'))))).to.equal('main 0 na');
    expect(amount(aten('index', x, unspecified))).to.equal('main 0 na');
    expect(amount(aten('index_put_', x, unspecified, t([3]), v(true)))).to.equal('main na na');
    expect(amount(aten('index_put_', x, unspecified, t([3]), v(false)))).to.equal('main 0 na');
    expect(amount(aten('index_put_', x, ts(index(5))))).to.equal(null);
  });
});

describe('ordering', () => {
  it('writes values and places', () => {
    expect(amount(aten('sort', x, int(-1), v(false)))).to.equal('main 0 65536'); // 4096·(4 + 4 + 8)
    expect(amount(aten('argsort', x, int(-1), v(false)))).to.equal('main 0 49152');
    expect(amount(aten('topk', x, int(5), int(-1), v(true), v(true)))).to.equal('main 0 20224'); // 16384 + 320·12
    expect(amount(aten('topk', x, unspecified, unspecified))).to.equal('main 0 na');
    expect(amount(aten('topk', x, int(5), int(2), v(true), v(true)))).to.equal('main 0 na');
  });
  it('finds places', () => {
    expect(amount(aten('bucketize', t([1024]), t([4999]), v(false), v(false)))).to.equal('main 0 32284'); // 4096 + 19996 + 8192
    expect(amount(aten('searchsorted', t([4999]), t([1024]), v(true), v(false)))).to.equal('main 0 28188'); // 4 per place
    expect(amount(aten('histc', t([1000]), int(10), int(0), int(0)))).to.equal('main 1000 4040');
    expect(amount(aten('bincount', index(1000), none, int(0)))).to.equal('main 1000 na');
    expect(amount(aten('_unique2', index(1000), v(true), v(false), v(false)))).to.equal('main 0 na');
  });
});

describe('random numbers of the dispatcher', () => {
  it('take their parameters from tensors too', () => {
    expect(amount(aten('normal_', t([8, 16]), float(0), float(1), none))).to.equal('main 128 512');
    expect(amount(aten('bernoulli', t([100]), none))).to.equal('main 100 800');
    expect(amount(aten('bernoulli', t([100]), float(0.5), none))).to.equal('main 100 400');
    expect(amount(aten('bernoulli_', t([100]), t([100]), none))).to.equal('main 100 800');
    expect(amount(aten('poisson', t([100]), none))).to.equal('main 100 800');
    expect(amount(aten('normal', t([4, 1]), t([3]), none))).to.equal('main 12 76'); // 16 + 12 + 48
  });
  it('draw as many as the call says', () => {
    expect(amount(aten('randperm', int(1000), none, index(0)))).to.equal('main 3000 8000');
    expect(amount(aten('randperm', unspecified, none, index(0)))).to.equal('main na na');
    expect(amount(aten('randn', { name: '', type: 'list', value: [3] }, int(15), none, none, v(false)))).to.equal(
      'main 3 6',
    );
    expect(amount(aten('multinomial', t([4, 100]), int(2), v(true), none))).to.equal('main 408 1664'); // 1600 + 8·8
  });
});
