import { expect } from 'chai';
import { amount, backward, float, int, list, paramsOf } from '../../support/amounts.js';
import { call, t, v } from '../../support/calls.js';

const x = t([35, 20, 200]);
// 140000 elements, 560000 bytes

describe('random numbers', () => {
  it('drop out: five operations per element, a mask of one byte', () => {
    const dropout = call('torch.nn.functional.dropout', x, float(0.2), v(true));
    expect(amount(dropout)).to.equal('main 700000 1260000'); // 2·560000 + 140000
    expect(amount(dropout, backward)).to.equal('main 280000 1260000');
    expect(amount(call('torch.nn.functional.dropout'))).to.equal(null);
  });
  it('permute: three operations and eight bytes each', () => {
    expect(amount(call('torch.randperm', int(1000), v('cuda', 'device')))).to.equal('main 3000 8000');
    expect(paramsOf(call('torch.randperm', int(1000)))).to.equal('N=1000,');
    expect(amount(call('torch.randperm', int(-1)))).to.equal(null);
  });
  it('draw: one operation and one write each', () => {
    expect(amount(call('Tensor.uniform_', x, float(-1), float(1)))).to.equal('main 140000 560000');
    expect(amount(call('torch.randn', int(1), int(7), int(64)))).to.equal('main 448 1792');
    expect(amount(call('torch.rand', list([8, 8]), v('float16', 'dtype')))).to.equal('main 64 128');
    expect(amount(call('torch.rand', v('x')))).to.equal(null);
    expect(amount(call('Tensor.uniform_'))).to.equal(null);
    expect(amount(call('torch.rand', int(2 ** 40), int(2 ** 40)))).to.equal(null);
  });
});
