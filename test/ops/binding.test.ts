import { expect } from 'chai';
import { bind } from '../../src/ops/binding.js';
import { aten, none, t, ts, v } from '../support/calls.js';

const shapes = (tensors: readonly { readonly shape: readonly number[] }[] | undefined): string | undefined =>
  tensors?.map(({ shape }) => `[${shape.join(',')}]`).join('');

describe('binding arguments to a signature', () => {
  it('tells what is read and what is written', () => {
    const bound = bind(aten('x', t([1]), t([2]), t([3]), v(0.5)), '@self !out @!state alpha');
    expect(shapes(bound?.reads)).to.equal('[1][3]');
    expect(shapes(bound?.writes)).to.equal('[2][3]');
    expect(bound?.arg('alpha')?.value).to.equal(0.5);
    expect(bound?.arg('beta')).to.equal(undefined);
  });
  it('takes lists apart', () => {
    const bound = bind(aten('x', ts(t([1]), t([2])), ts()), '@self @grads?');
    expect(shapes(bound?.tensors('self'))).to.equal('[1][2]');
    expect(shapes(bound?.tensors('grads'))).to.equal('');
    expect(shapes(bind(aten('x', ts(none, t([2]))), '@self')?.tensors('self'))).to.equal('[2]');
  });
  it('chooses by length, then by results behind, then by version', () => {
    const signatures = ['@self dtype', '@self dim keepdim dtype'] as const;
    const which = (...args: Parameters<typeof aten>[1][]): unknown => {
      const bound = bind(aten('x', ...args), ...signatures);
      return [bound?.arg('dim')?.value ?? null, shapes(bound?.outs)];
    };
    expect(which(t([8]), none)).to.deep.equal([null, '']);
    expect(which(t([8]), v([0]), v(true), none)).to.deep.equal([[0], '']);
    expect(which(t([8]), v([0]), v(true), none, t([1]))).to.deep.equal([[0], '[1]']);
    expect(which(t([8]), none, t([]))).to.deep.equal([null, '[]']);
    expect(which(t([8]))).to.deep.equal([null, '']);
  });
  it('fits only tensors where tensors stand', () => {
    expect(bind(aten('x', v(1)), '@self')).to.equal(null);
    expect(bind(aten('x', none), '@self')).to.equal(null);
    expect(bind(aten('x', none), '@self?')).not.to.equal(null);
    expect(bind(aten('x', t([1]), t([1])), '@self alpha')).to.equal(null);
    expect(bind(aten('x', t([-1])), '@self')).to.equal(null);
  });
});
