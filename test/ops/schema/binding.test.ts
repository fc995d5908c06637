import { expect } from 'chai';
import type { Arg, OpCall } from '../../../src/record/record.js';
import { bind } from '../../../src/ops/schema/binding.js';
import { aten, none, t, ts, v } from '../../support/calls.js';
import { float, int } from '../../support/amounts.js';

const shapes = (tensors: readonly { readonly shape: readonly number[] }[] | undefined): string | undefined =>
  tensors?.map(({ shape }) => `[${shape.join(',')}]`).join('');

const x = (...args: readonly Arg[]): OpCall => aten('x', ...args);
const fits = (signature: string, ...args: readonly Arg[]): boolean => bind(x(...args), signature) !== null;

const unspecified: Arg = { name: '', type: 'unknown' };
const unspecifiedList: Arg = { name: '', type: 'list' };

describe('binding arguments to a signature', () => {
  it('separates the tensors read from those written', () => {
    const bound = bind(x(t([1]), t([2]), t([3]), v(0.5)), '@self !out @!state alpha');
    expect(shapes(bound?.reads)).to.equal('[1][3]');
    expect(shapes(bound?.writes)).to.equal('[2][3]');
    expect(bound?.arg('alpha')?.value).to.equal(0.5);
    expect(bound?.arg('beta')).to.equal(undefined);
  });
  it('takes lists apart', () => {
    const bound = bind(x(ts(t([1]), t([2])), ts()), '@self @grads?');
    expect(shapes(bound?.tensors('self'))).to.equal('[1][2]');
    expect(shapes(bound?.tensors('grads'))).to.equal('');
    expect(shapes(bind(x(ts(none, t([2]))), '@self')?.tensors('self'))).to.equal('[2]');
    expect(shapes(bound?.tensorsOf('grads self'))).to.equal('[1][2]');
  });
  it('reads values, and null for unspecified ones', () => {
    const all = [v(true), int(3), int(-1), float(0.5), { name: '', type: 'list', value: [2, 2] }, unspecified];
    const bound = bind(x(...all), 'flag count negative number list unspecified');
    expect(bound?.flag('flag')).to.equal(true);
    expect(bound?.flag('count')).to.equal(null);
    expect([bound?.count('count'), bound?.count('negative'), bound?.count('number')]).to.deep.equal([3, null, null]);
    expect([bound?.number('negative'), bound?.number('number')]).to.deep.equal([-1, 0.5]);
    expect([bound?.integers('list'), bound?.integers('count')]).to.deep.equal([[2, 2], [3]]);
    expect([bound?.value('unspecified'), bound?.number('unspecified'), bound?.integers('unspecified')]).to.deep.equal([
      undefined,
      null,
      null,
    ]);
    expect(bound?.tensor('list')).to.equal(null);
  });
  it('has none where a tensor has no sensible extents', () => {
    expect(bind(x(t([-1])), '@self')).to.equal(null);
    expect(bind(x(t([1]), ts(t([1]), t([0.5]))), '@self @others[]')).to.equal(null);
  });
});

describe('binding arguments of a Python function', () => {
  const python = (...args: readonly Arg[]): OpCall => ({ mod: 'torch', op: 'x', args });
  it('takes them by name, the first one also as input', () => {
    const bound = bind(
      python(v(3, 'dim'), t([2], 'float32', 'out'), t([5], 'float32', 'input')),
      '@self @bias? dim keepdim',
    );
    expect(shapes(bound?.tensors('self'))).to.equal('[5]');
    expect([bound?.number('dim'), bound?.arg('keepdim')]).to.deep.equal([3, undefined]);
    expect(shapes(bound?.outs)).to.equal('[2]');
  });
  it('gathers a list that is given item by item', () => {
    const bound = bind(python(t([1]), t([2]), int(4), int(5), v('x')), '@parts[] size:list mode');
    expect(shapes(bound?.tensors('parts'))).to.equal('[1][2]');
    expect([bound?.integers('size'), bound?.value('mode')]).to.deep.equal([[4, 5], 'x']);
  });
  it('takes an element type from wherever it stands, and no number for one', () => {
    const bound = bind(python(t([1]), v('cuda'), v('torch.float16')), '@self dtype device');
    expect([bound?.value('dtype'), bound?.value('device')]).to.deep.equal(['torch.float16', 'cuda']);
    expect(bind(python(t([1]), int(1)), '@self dtype')?.arg('dtype')).to.equal(undefined);
  });
  it('takes a number for the first tensor, which has no dimensions then', () => {
    expect(shapes(bind(python(float(2)), '@self')?.reads)).to.equal('[1]');
    expect(bind(python(t([1]), float(2)), '@self @other')).to.equal(null);
  });
});

describe('a signature', () => {
  it('has tensors where tensors stand', () => {
    expect(fits('@self', v(1))).to.equal(false);
    expect(fits('@self', none)).to.equal(false);
    expect(fits('@self alpha', t([1]), t([1]))).to.equal(false);
  });
  it('accepts a tensor, None or an unspecified value for an optional tensor', () => {
    for (const arg of [t([1]), ts(t([1])), none, unspecified, unspecifiedList, ts(), { ...unspecifiedList, value: [] }])
      expect(fits('@bias?', arg), JSON.stringify(arg)).to.equal(true);
    for (const arg of [int(1), float(0), v(false), { ...unspecifiedList, value: [1] }])
      expect(fits('@bias?', arg), JSON.stringify(arg)).to.equal(false);
  });
  it('has a tensor list where a single one does not do', () => {
    expect(fits('@weights[]', ts(t([1])))).to.equal(true);
    expect(fits('@weights[]', t([1]))).to.equal(false);
    expect(fits('@weights[]', unspecifiedList)).to.equal(false);
    expect(fits('@weights[]?', unspecifiedList)).to.equal(true);
    expect(fits('@weights[]?', t([1]))).to.equal(false);
  });
  it('may ask for the kind of a value', () => {
    const kinds = ['bool', 'int', 'number', 'list'];
    const fitting = (arg: Arg): string[] => kinds.filter((kind) => fits(`value:${kind}`, arg));
    expect(fitting(v(true))).to.deep.equal(['bool']);
    expect(fitting(int(1))).to.deep.equal(['int', 'number']);
    expect(fitting(float(1))).to.deep.equal(['number']);
    expect(fitting({ ...unspecifiedList, value: [1] })).to.deep.equal(['list']);
    expect(fitting(none)).to.deep.equal(kinds);
    expect(fitting(unspecified)).to.deep.equal(kinds);
    expect(fitting(t([1]))).to.deep.equal([]);
  });
  it('may leave open what follows, and whether its end is there', () => {
    const open = '@self dim ...';
    for (const rest of [[], [int(1)], [int(1), v(true), t([1]), none]])
      expect(fits(open, t([1]), ...rest), String(rest.length)).to.equal(true);
    expect(fits('@self dim', t([1]), int(1), v(true), t([1]))).to.equal(false);
    // what follows is no result
    expect(shapes(bind(x(t([1]), int(1), t([2])), open)?.outs)).to.equal('');
    expect(shapes(bind(x(t([1]), int(1), t([2])), '@self dim')?.outs)).to.equal('[2]');
  });
});

describe('one of several signatures', () => {
  it('is chosen by length, then by results behind, then by version', () => {
    const signatures = ['@self dtype', '@self dim keepdim dtype'] as const;
    const which = (...args: readonly Arg[]): unknown => {
      const bound = bind(x(...args), ...signatures);
      return [bound?.arg('dim')?.value ?? null, shapes(bound?.outs)];
    };
    expect(which(t([8]), none)).to.deep.equal([null, '']);
    expect(which(t([8]), v([0]), v(true), none)).to.deep.equal([[0], '']);
    expect(which(t([8]), v([0]), v(true), none, t([1]))).to.deep.equal([[0], '[1]']);
    expect(which(t([8]), none, t([]))).to.deep.equal([null, '[]']);
    expect(which(t([8]))).to.deep.equal([null, '']);
  });
  it('is chosen by the kinds of its arguments', () => {
    const signatures = ['@q @k causal:bool ...', '@q @k @bias? want:bool dropout:number causal:bool ...'] as const;
    const causal = (...args: readonly Arg[]): boolean | null | undefined =>
      bind(x(t([1]), t([1]), ...args), ...signatures)?.flag('causal');
    expect(causal(v(true), float(0.5))).to.equal(true);
    expect(causal(t([1]), v(false), float(0), v(true), none)).to.equal(true);
    expect(causal(t([1]), v(true), float(0), v(false), none)).to.equal(false);
  });
});
