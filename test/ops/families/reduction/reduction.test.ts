import { expect } from 'chai';
import { amount, backward, float, int, list, paramsOf, workOf } from '../../../support/amounts.js';
import { aten, byPyprof, call, kernel, none, t, v } from '../../../support/calls.js';

const x = t([64, 32]);
// 2048 elements, 8192 bytes
const reduce = (sub: number): ReturnType<typeof kernel> =>
  kernel('void at::native::reduce_kernel<512, 1>(int)', 'fprop', sub);

describe('reductions', () => {
  it('read the input and write the result', () => {
    expect(amount(call('Tensor.sum', x))).to.equal('main 2048 8196');
    expect(amount(call('torch.sum', x, int(1)))).to.equal('main 2048 8448'); // 64 results
    expect(amount(call('Tensor.sum', x, v(-2, 'dim')))).to.equal('main 2048 8320'); // 32 results
    expect(amount(call('Tensor.mean', x, list([0, 1]), v(true)))).to.equal('main 2048 8196'); // 2047 + 1
    expect(amount(call('Tensor.mean', x, list([0, 1]), v(true)), byPyprof(reduce(0)))).to.equal('main 2049 8196');
    expect(amount(call('Tensor.sum', x, v(-2, 'dim'), t([32], 'float32', 'out')))).to.equal('main 2048 8320');
    expect(amount(call('Tensor.norm', x, float(2)))).to.equal('main 4097 8196');
    expect(amount(call('Tensor.var', x, int(1)))).to.equal('main 6208 8448'); // 3·2048 + 64
    expect(paramsOf(call('Tensor.sum', x))).to.equal('T=(64,32),fp32,');
  });
  it('know the type of the result', () => {
    expect(amount(call('Tensor.sum', t([64], 'bool')))).to.equal('main 64 72'); // int64
    expect(amount(call('Tensor.any', t([3, 4], 'bool')))).to.equal('main 12 13');
    expect(amount(call('Tensor.argmax', x, int(1)))).to.equal('main 2048 8704'); // 64 positions of 8 bytes
    expect(amount(call('Tensor.sum', t([64], 'float16'), v('float32', 'dtype')))).to.equal('main 64 132');
  });
  it('return positions with the extrema of a dimension', () => {
    expect(amount(call('torch.max', x))).to.equal('main 2048 8196');
    expect(amount(call('torch.max', x, int(1)))).to.equal('main 2048 8960'); // 64·(4 + 8)
    expect(amount(call('torch.max', x, x))).to.equal('main 2048 24576'); // the larger of two: pointwise
  });
  it('take a number for a tensor without dimensions', () => {
    expect(amount(call('Tensor.mean', float(1)))).to.equal('main 1 8');
    expect(amount(call('torch.norm', float(2)))).to.equal('main 3 8');
  });
  it('spread the gradient', () => {
    expect(amount(call('Tensor.sum', x), backward)).to.equal('main 0 8196');
    expect(amount(call('Tensor.mean', x), backward)).to.equal('main 2048 8196');
    expect(amount(call('Tensor.norm', x), backward)).to.equal('main 2049 16392'); // input and result read again
    expect(amount(call('torch.max', x, int(1)), backward)).to.equal('main 0 8960');
    expect(amount(call('torch.any', t([8], 'bool')), backward)).to.equal('main 8 9'); // again, no gradient
  });
  it('distinguish the next call from a second pass', () => {
    // without gradients the sequence id stands still, and each call's kernel continues the count
    expect(amount(call('Tensor.norm', x), reduce(7))).to.equal('main 4097 8196');
    expect(amount(call('Tensor.mean', x), kernel('elementwise_kernel', 'fprop', 1))).to.equal('helper 0 0');
    expect(amount(call('Tensor.sum', x), kernel('kernelReduceAllPass2', 'fprop', 1))).to.equal('helper 0 0');
  });
  it('do not fit dimensions that are not there', () => {
    expect(amount(call('Tensor.sum', x, int(2)))).to.equal(null);
    expect(amount(call('Tensor.sum'))).to.equal(null);
  });
});

describe('reductions of the dispatcher', () => {
  const no = v(false);
  it('read the input and write the result', () => {
    expect(amount(aten('sum', x, none))).to.equal('main 2048 8196');
    expect(amount(aten('sum', x, list([0]), v(true), none))).to.equal('main 2048 8320'); // 32 results
    expect(amount(aten('sum', x, list([]), no, none))).to.equal('main 2048 8196');
    // 2048·2 + 4, the type of the out tensor
    expect(amount(aten('sum', t([64, 32], 'float16'), list([0, 1]), no, none, t([])))).to.equal('main 2048 4100');
    expect(amount(aten('linalg_vector_norm', x, int(2), list([-1]), v(true), none))).to.equal('main 4160 8448'); // 2·2048 + 64
    expect(amount(aten('norm', x, int(2)))).to.equal('main 4097 8196');
    expect(amount(aten('amax', x, list([1]), no), backward)).to.equal('main 2048 8448');
  });
  it('count a mean as additions and one division per result', () => {
    // 8944 results of 1024 elements each: 1023 + 1 operations
    expect(amount(aten('mean', t([16, 559, 1024]), list([-1]), v(true), none))).to.equal('main 9158656 36670400');
    expect(amount(aten('mean', t([10, 1000], 'bfloat16'), list([]), no, none, t([], 'bfloat16')))).to.equal(
      'main 10000 20002',
    );
  });
  it('know the type of the result', () => {
    expect(amount(aten('sum', t([64], 'bool'), none))).to.equal('main 64 72'); // int64
    expect(amount(aten('sum', t([64], 'float16'), int(6)))).to.equal('main 64 132'); // ScalarType 6: float32
    expect(amount(aten('all', t([16, 559], 'bool')))).to.equal('main 8944 8945');
    expect(amount(aten('argmax', t([32, 151936]), int(-1), no))).to.equal('main 4861952 19448064'); // 4·4861952 + 32·8
  });
  it('return positions, or two results', () => {
    expect(amount(aten('max', x))).to.equal('main 2048 8196');
    expect(amount(aten('max', x, int(1), no))).to.equal('main 2048 8960'); // 64·(4 + 8)
    expect(amount(aten('max', x, int(1), no, t([64]), t([64], 'int64')))).to.equal('main 2048 8960');
    expect(amount(aten('max', x, t([])))).to.equal('main 2048 8196'); // out
    expect(amount(aten('max', x, x))).to.equal('main 2048 24576'); // the larger of two
    expect(amount(aten('var_mean', x, list([1]), int(1), no))).to.equal('main 6272 8704'); // 3·2048 + 2·64
    expect(amount(aten('median', x, int(0), no))).to.equal('main 2048 8576'); // 32·(4 + 8)
    expect(amount(aten('kthvalue', x, int(3), int(0), no))).to.equal('main 2048 8576');
    expect(amount(aten('aminmax', x, none, no))).to.equal('main 4096 8200');
  });
  it('do not know the size of a result whose dimensions are unspecified', () => {
    const unspecified = { name: '', type: 'unknown' };
    expect(workOf(aten('sum', x, unspecified, no, none))).to.include({ flops: 2048, bytes: null });
    expect(workOf(aten('var', x, unspecified, int(1), no))).to.include({
      ...{ flops: null, bytes: null, unknown: 'the reduced dimensions are unspecified' },
    });
    expect(amount(aten('sum', t([64]), unspecified, no, none))).to.equal('main 64 260'); // one dimension only
  });
  it('do not fit dimensions that are not there', () => {
    expect(amount(aten('sum', x, int(2), no, none))).to.equal(null);
    expect(amount(aten('sum'))).to.equal(null);
  });
});

describe('scans', () => {
  it('read and write every element', () => {
    expect(amount(aten('cumsum', x, int(0), none))).to.equal('main 2048 16384');
    expect(amount(aten('cumsum', t([32], 'int32'), int(0), none))).to.equal('main 32 384'); // 32·(4 + 8)
    expect(amount(aten('cumsum', t([32], 'int32'), int(0), int(3)))).to.equal('main 32 256'); // ScalarType 3: int32
    expect(amount(aten('cumsum_', t([32], 'int32'), int(0), none))).to.equal('main 32 256');
    expect(amount(aten('cumprod', x, int(0), none, x))).to.equal('main 2048 16384');
    expect(amount(aten('_logcumsumexp', x, int(0)))).to.equal('main 10240 16384');
  });
  it('write positions of extrema', () => {
    expect(amount(aten('cummax', x, int(0)))).to.equal('main 2048 32768'); // 2048·(4 + 4 + 8)
    expect(amount(aten('_cummax_helper', x, x, t([64, 32], 'int64'), int(0)))).to.equal('main 2048 32768');
  });
  it('need a tensor', () => {
    expect(amount(aten('cumsum', int(1)))).to.equal(null);
  });
});

describe('equality of two tensors', () => {
  // 700 elements of 4 bytes
  const equal = call('torch.equal', t([35, 20]), t([35, 20]));
  it('compares, then reduces the truth values', () => {
    expect(amount(equal, kernel('kernelPointwiseApply3'))).to.equal('main 700 6300'); // 2·2800 + 700
    expect(amount(equal, kernel('kernelReduceAllPass1', 'fprop', 1))).to.equal('main 700 701');
    expect(amount(equal, kernel('kernelReduceAllPass2', 'fprop', 2))).to.equal('helper 0 0');
    expect(amount(call('torch.equal', t([3])))).to.equal(null);
  });
  it('does both in a kernel whose name says neither', () => {
    const both = kernel('CompareEq');
    expect(amount(equal, both)).to.equal('main 1400 5601');
    expect(amount(aten('equal', t([35, 20]), t([35, 20])), both)).to.equal('main 1400 5601');
  });
});
