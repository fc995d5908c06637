import { expect } from 'chai';
import { amount, backward, float, int, list, paramsOf } from '../../support/amounts.js';
import { aten, call, t, v } from '../../support/calls.js';

const x = t([3, 4]);
const half = t([3, 4], 'float16');
// 12 elements, 48 bytes of fp32, 24 of fp16

describe('copies', () => {
  it('read the source and write the target', () => {
    expect(amount(call('Tensor.copy_', x, half))).to.equal('main 0 72');
    expect(amount(call('Tensor.copy_', x, t([4]), v(true)))).to.equal('main 0 64'); // 16 + 48
    expect(paramsOf(call('Tensor.copy_', x, half))).to.equal('T=(3,4),fp16,fp32,');
    expect(amount(call('Tensor.clone', x))).to.equal('main 0 96');
    expect(amount(call('Tensor.reshape', x, list([-1])))).to.equal('main 0 96');
  });
  it('pad the last dimensions first', () => {
    // (3, 4) with one column on each side and a row below: (4, 6), 96 bytes
    const padded = call('torch.nn.functional.pad', x, list([1, 1, 0, 1]));
    expect(amount(padded)).to.equal('main 0 144');
    expect(amount(padded, backward)).to.equal('main 0 144');
    expect(amount(call('torch.nn.functional.pad', x, list([1])))).to.equal(null);
    expect(amount(call('torch.nn.functional.pad', x, list([-5, 0])))).to.equal(null);
  });
  it('repeat, and add the repeats up backward', () => {
    expect(amount(call('Tensor.repeat', x, int(2), int(1), int(1)))).to.equal('main 0 144'); // (2, 3, 4): 96
    expect(amount(call('Tensor.repeat', x, list([2])), backward)).to.equal('main 24 144');
    expect(amount(call('Tensor.repeat', x, list([-1])))).to.equal(null);
  });
  it('need their operands', () => {
    expect(amount(call('Tensor.copy_', x))).to.equal(null);
    expect(amount(call('Tensor.clone'))).to.equal(null);
  });
});

describe('conversion', () => {
  it('reads one type and writes the other', () => {
    expect(amount(call('Tensor.half', x))).to.equal('main 0 72');
    expect(amount(call('Tensor.long', t([3, 4], 'bfloat16')))).to.equal('main 0 120'); // 12·(2 + 8)
    expect(amount(call('Tensor.half', x), backward)).to.equal('main 0 72');
    expect(paramsOf(call('Tensor.half', x))).to.equal('T=(3,4),fp32,fp16,');
    expect(amount(call('Tensor.byte', int(3)))).to.equal('main 0 5');
  });
  it('takes the type from an argument, another tensor, or stays', () => {
    expect(amount(call('Tensor.to', x, v('torch.float16')))).to.equal('main 0 72');
    expect(amount(call('aten.aten::_to_copy', x, v('float16', 'dtype')))).to.equal('main 0 72');
    expect(amount(call('Tensor.type_as', x, half))).to.equal('main 0 72');
    expect(amount(call('Tensor.to', x, v('cuda')))).to.equal('main 0 96');
    expect(amount(call('Tensor.to'))).to.equal(null);
  });
});

describe('filling', () => {
  it('writes every element', () => {
    expect(amount(call('torch.ones', int(3), int(4)))).to.equal('main 0 48');
    expect(amount(call('torch.zeros', list([3, 4]), v('cuda', 'device')))).to.equal('main 0 48');
    expect(amount(call('torch.zeros', list([3, 4], 'size'), v('float16', 'dtype')))).to.equal('main 0 24');
    expect(amount(call('Tensor.zero_', half))).to.equal('main 0 24');
    expect(amount(call('Tensor.new_zeros', half, list([5])))).to.equal('main 0 10');
    expect(paramsOf(call('torch.ones', int(3), int(4)))).to.equal('T=(3,4),fp32,');
    expect(amount(call('torch.ones_like', float(9.7)))).to.equal('main 0 4');
  });
  it('has the type of its value', () => {
    expect(amount(call('torch.full', list([3, 4]), float(1)))).to.equal('main 0 48');
    expect(amount(call('torch.full', list([3, 4]), int(1)))).to.equal('main 0 96');
    expect(amount(call('torch.full', list([3, 4]), v(true)))).to.equal('main 0 12');
    expect(amount(call('torch.arange', int(10)))).to.equal('main 0 80');
    expect(amount(call('torch.arange', float(0), float(1), float(0.25)))).to.equal('main 0 16');
    expect(amount(call('torch.arange', int(2), int(10), int(3)))).to.equal('main 0 24'); // 2, 5, 8
  });
  it('does not know a size that is not given', () => {
    expect(amount(call('torch.ones'))).to.equal('main 0 na');
    expect(amount(aten('ones'))).to.equal('main 0 na');
  });
  it('does not fit invalid sizes', () => {
    expect(amount(call('torch.ones', list([-1])))).to.equal(null);
    expect(amount(call('torch.full', v('x')))).to.equal(null);
    expect(amount(call('torch.arange'))).to.equal(null);
    expect(amount(call('torch.arange', int(5), int(1)))).to.equal(null);
  });
});
