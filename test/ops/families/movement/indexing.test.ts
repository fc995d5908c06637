import { expect } from 'chai';
import { amount, backward, forward, int, paramsOf } from '../../../support/amounts.js';
import { aten, byPyprof, call, kernel, t, v } from '../../../support/calls.js';

const F = 'torch.nn.functional';
const x = t([64, 64]);
const bool = t([64, 64], 'bool');
const index = (...shape: number[]): ReturnType<typeof t> => t(shape, 'int64');

describe('indexing', () => {
  it('reads and writes what is picked, and reads the indices', () => {
    expect(amount(call('torch.gather', x, int(1), index(64, 8)))).to.equal('main 0 8192'); // 2·512·4 + 512·8
    expect(amount(call('Tensor.index_select', x, int(-2), index(9)))).to.equal('main 0 4680'); // 2·576·4 + 72
    expect(paramsOf(call('Tensor.index_select', x, int(-2), index(9)))).to.equal('T=(64,64),D=-2,I=9,fp32,');
    expect(amount(call('torch.take', x, index(5)))).to.equal('main 0 80'); // 2·20 + 40
    expect(amount(call('torch.take_along_dim', x, index(5, 64), int(0)))).to.equal('main 0 5120'); // 320·(8 + 8)
    expect(amount(call('Tensor.__getitem__', x, index(3)))).to.equal('main 0 1560'); // 3·64·8 + 24
  });
  it('adds gradients at their places', () => {
    expect(amount(call('torch.gather', x, int(1), index(64, 8)), backward)).to.equal('main 512 10240'); // 3·2048 + 4096
    expect(amount(call('Tensor.index_select', x, int(0), index(9)), backward)).to.equal('main 576 6984'); // 3·2304 + 72
  });
  it('places a source', () => {
    // 512 indices of 8, source and place of 2048 bytes each
    expect(amount(call('Tensor.scatter_', x, int(1), index(64, 8), t([64, 8])))).to.equal('main 0 8192');
    // the place is read too
    expect(amount(call('Tensor.scatter_add_', x, int(1), index(64, 8), t([64, 8])))).to.equal('main 512 10240');
    // out of place: a kernel of its own copies, 2·16384
    expect(amount(call('Tensor.scatter', x, int(1), index(64, 8), v(1)))).to.equal('main 0 6144');
    const copy = kernel('elementwise_kernel<direct_copy_kernel_cuda>');
    expect(amount(call('Tensor.scatter', x, int(1), index(64, 8), v(1)), copy)).to.equal('main 0 32768');
    expect(amount(call('Tensor.scatter', x, int(1), index(64, 8), t([64, 8]), v('add', 'reduce')))).to.equal(
      'main 512 10240',
    );
    // 9 slices of 64: 72 + 2304 (source) + 2·2304
    expect(amount(call('Tensor.index_add_', x, int(0), index(9), t([9, 64])))).to.equal('main 576 6984');
  });
  it('does not guess how many elements a mask or a value chooses; PyProf takes the worst case', () => {
    const pyprof = byPyprof(forward);
    expect(amount(call('torch.masked_select', x, bool))).to.equal('main 0 na');
    expect(amount(call('torch.masked_select', x, bool), pyprof)).to.equal('main 0 36864'); // 2·16384 + 4096
    expect(amount(call('Tensor.masked_scatter_', x, bool, x), pyprof)).to.equal('main 0 36864');
    expect(amount(call('torch.nonzero', x))).to.equal('main 0 na');
    expect(amount(call('torch.nonzero', x), pyprof)).to.equal('main 0 81920'); // 16384 + 4096·2·8
    expect(amount(aten('masked_select', x, bool), pyprof)).to.equal('main 0 na');
    expect(amount(call('torch.nonzero', x), kernel('DeviceSelectSweepKernel', 'fprop', 1))).to.equal('helper 0 0');
  });
  it('moves elements', () => {
    expect(amount(call('torch.flip', x, int(0)))).to.equal('main 0 32768');
    expect(amount(call(`${F}.one_hot`, index(4), int(10)))).to.equal('main 0 352'); // 32 + 4·10·8
  });
  it('does not fit other forms', () => {
    expect(amount(call('torch.gather', x, int(1)))).to.equal(null);
    expect(amount(call('Tensor.index_select', x, int(2), index(9)))).to.equal(null);
    expect(amount(call('torch.masked_select', x, t([63], 'bool')))).to.equal(null);
    expect(amount(call('Tensor.__getitem__', x, bool))).to.equal(null);
    expect(amount(call(`${F}.one_hot`, index(4)))).to.equal(null);
    expect(amount(call('torch.take', x))).to.equal(null);
    expect(amount(call('Tensor.scatter_', x))).to.equal(null);
    expect(amount(call('torch.nonzero'))).to.equal(null);
    expect(amount(call('torch.flip'))).to.equal(null);
  });
});

describe('embedding', () => {
  // 700 indices of 8 bytes, rows of 200 · 4 bytes
  const table = t([33278, 200]);
  const lookup = call(`${F}.embedding`, index(35, 20), table, v(null), v(null), v(2));
  const inner = call('torch.embedding', table, index(35, 20), int(-1), v(false), v(false));

  it('reads indices and rows and writes rows, in either order of arguments', () => {
    expect(amount(lookup)).to.equal('main 0 1125600'); // 5600 + 2·560000
    expect(amount(inner)).to.equal('main 0 1125600');
    const named = call(`${F}.embedding`, t([33278, 200], 'float32', 'weight'), t([35, 20], 'int64', 'input'));
    expect(amount(named)).to.equal('main 0 1125600');
    // no row is read twice: 5600 + 100·800 + 560000
    expect(amount(call(`${F}.embedding`, index(35, 20), t([100, 200])))).to.equal('main 0 645600');
    expect(paramsOf(inner)).to.equal('I=(35,20),int64,E=(33278,200),fp32,');
  });
  it('zeroes the gradient of the table, then adds to the rows', () => {
    expect(amount(inner, backward)).to.equal('helper 0 26622400'); // 33278·200·4
    const adds = kernel('void embedding_backward_feature_kernel<float>(int)', 'bprop', 1);
    expect(amount(inner, adds)).to.equal('main 140000 1685600'); // 3·560000 + 5600
    expect(amount(inner, kernel('void thrust::sort(int)', 'bprop', 1))).to.equal('helper 0 0');
  });
  it('needs a table of two dimensions', () => {
    expect(amount(call(`${F}.embedding`, index(3), t([4])))).to.equal(null);
    expect(amount(call(`${F}.embedding`, index(3)))).to.equal(null);
  });
});

describe('joining', () => {
  it('reads the parts and writes the promoted whole', () => {
    expect(amount(call('torch.cat', x, t([64, 32]), int(1)))).to.equal('main 0 49152'); // 2·(16384 + 8192)
    // 16384 + 4096 read, 6144·4 written
    expect(amount(call('torch.cat', x, t([64, 32], 'float16'), int(1)))).to.equal('main 0 45056');
    expect(amount(call('torch.stack', x, x, v(1, 'dim')))).to.equal('main 0 65536');
    expect(amount(call('torch.cat', t([64, 64], 'float32', 'tensors'), t([64, 64], 'float32', 'tensors')))).to.equal(
      'main 0 65536',
    );
    expect(amount(call('torch.cat', x, x), kernel('CatArrayBatchedCopy', 'fprop', 1))).to.equal('helper 0 0');
    expect(amount(call('torch.cat'))).to.equal(null);
  });
});
