import { expect } from 'chai';
import { amount, backward, float, int, list, paramsOf } from '../support/amounts.js';
import { call, kernel, t, v } from '../support/calls.js';

const x = t([64, 32]);
// 2048 elements, 8192 bytes
const reduce = (sub: number): ReturnType<typeof kernel> =>
  kernel('void at::native::reduce_kernel<512, 1>(int)', 'fprop', sub);

describe('reductions', () => {
  it('read the input and write the result', () => {
    expect(amount(call('Tensor.sum', x))).to.equal('main 2048 8196');
    expect(amount(call('torch.sum', x, int(1)))).to.equal('main 2048 8448'); // 64 results
    expect(amount(call('Tensor.sum', x, v(-2, 'dim')))).to.equal('main 2048 8320'); // 32 results
    expect(amount(call('Tensor.mean', x, list([0, 1]), v(true)))).to.equal('main 2049 8196');
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
    expect(amount(call('Tensor.mean', float(1)))).to.equal('main 2 8');
    expect(amount(call('torch.norm', float(2)))).to.equal('main 3 8');
  });
  it('spread the gradient', () => {
    expect(amount(call('Tensor.sum', x), backward)).to.equal('main 0 8196');
    expect(amount(call('Tensor.mean', x), backward)).to.equal('main 2048 8196');
    expect(amount(call('Tensor.norm', x), backward)).to.equal('main 2049 16392'); // input and result read again
    expect(amount(call('torch.max', x, int(1)), backward)).to.equal('main 0 8960');
    expect(amount(call('torch.any', t([8], 'bool')), backward)).to.equal('main 8 9'); // again, no gradient
  });
  it('tell the next call from a second pass', () => {
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

describe('equality of two tensors', () => {
  // 700 elements of 4 bytes
  const equal = call('torch.equal', t([35, 20]), t([35, 20]));
  it('compares, then reduces the truth values', () => {
    expect(amount(equal, kernel('kernelPointwiseApply3'))).to.equal('main 700 6300'); // 2·2800 + 700
    expect(amount(equal, kernel('kernelReduceAllPass1', 'fprop', 1))).to.equal('main 700 701');
    expect(amount(equal, kernel('kernelReduceAllPass2', 'fprop', 2))).to.equal('helper 0 0');
    expect(amount(call('torch.equal', t([3])))).to.equal(null);
  });
});
