import { expect } from 'chai';
import { amount, backward, list } from '../../../support/amounts.js';
import { call, none, t, v } from '../../../support/calls.js';

const interpolate = (...args: Parameters<typeof call> extends [string, ...infer A] ? A : never) =>
  call('torch.nn.functional.interpolate', ...args);

describe('torch.nn.functional.interpolate', () => {
  const X = t([2, 3, 8, 8]);
  const [IN, OUT] = [2 * 3 * 8 * 8, 2 * 3 * 16 * 16];

  it('bilinear: three interpolations of two values, each two products and a sum', () => {
    const twice = interpolate(X, none, v(2), v('bilinear'), v(false));
    expect(amount(twice)).to.equal(`main ${9 * OUT} ${4 * (IN + OUT)}`);
  });

  it('backward: each gradient is added to four elements with a weight', () => {
    const twice = interpolate(X, none, v(2), v('bilinear'), v(false));
    expect(amount(twice, backward)).to.equal(`main ${8 * OUT} ${4 * (IN + OUT)}`);
  });

  it('nearest moves data; size by keyword', () => {
    expect(amount(interpolate(X, list([16, 16], 'size')))).to.equal(`main 0 ${4 * (IN + OUT)}`);
    expect(amount(interpolate(X, v(16, 'size')))).to.equal(`main 0 ${4 * (IN + OUT)}`);
  });

  it('fits nothing where the result is unspecified, or the mode has no such rank', () => {
    expect(amount(interpolate(X))).to.equal(null);
    expect(amount(interpolate(X, none, v(2), v('trilinear')))).to.equal(null);
    expect(amount(interpolate(X, none, v('2'), v('bilinear')))).to.equal(null);
    expect(amount(interpolate(X, list([4, 4, 4]), none, v('bilinear')))).to.equal(null);
  });
});
