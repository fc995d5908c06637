import { expect } from 'chai';
import { amount, float, int, paramsOf, workOf } from '../../../support/amounts.js';
import { aten, call, none, t, ts, v } from '../../../support/calls.js';

const untyped = (...shape: number[]): ReturnType<typeof t> => ({ name: '', type: 'tensor', shape });
/** 8·4 + 4 = 36 elements, 144 bytes. */
const list = ts(t([8, 4]), t([4]));
const untypedList = ts(untyped(8, 4), untyped(4));

describe('ops on tensor lists', () => {
  it('do the pointwise op on every tensor', () => {
    expect(amount(aten('_foreach_add_', list, list, int(1)))).to.equal('main 36 432'); // two read, one written
    expect(amount(aten('_foreach_add', list, list, float(-0.001)))).to.equal('main 72 432'); // a factor
    expect(amount(aten('_foreach_mul_', list, float(0.5)))).to.equal('main 36 288');
    expect(amount(aten('_foreach_mul_', list, t([])))).to.equal('main 36 292');
    expect(amount(aten('_foreach_addcdiv_', list, list, list, v([0.1, 0.2])))).to.equal('main 108 576'); // three read
    expect(amount(aten('_foreach_lerp_', list, list, float(0.1)))).to.equal('main 108 432');
    expect(amount(aten('_foreach_sqrt', list))).to.equal('main 36 288');
    expect(paramsOf(aten('_foreach_sqrt', list))).to.equal('tensors=2,E=36,');
  });
  it('only write what they overwrite', () => {
    expect(amount(aten('_foreach_zero_', list))).to.equal('main 0 144');
    expect(amount(aten('_foreach_copy_', list, list, v(false)))).to.equal('main 0 288');
  });
  it('reduce every tensor to one number', () => {
    // 2·36 + 2 roots; 144 read, two of 4 bytes written
    expect(amount(aten('_foreach_norm', list, int(2), none))).to.equal('main 74 152');
    expect(amount(aten('_foreach_norm', list, int(2), int(7)))).to.equal('main 74 160'); // ScalarType 7: float64
  });
  it('know the FLOPs without element types, and the bytes when one list has a type', () => {
    expect(amount(aten('_foreach_add_', untypedList, untypedList, int(1)))).to.equal('main 36 na');
    expect(amount(aten('_foreach_add_', untypedList, list, int(1)))).to.equal('main 36 432');
  });
  it('say that the tensors of a list are unspecified', () => {
    const unspecified = { name: '', type: 'list', items: [] };
    expect(workOf(aten('_foreach_add_', unspecified, unspecified, float(-0.001)))).to.include({
      ...{ flops: null, bytes: null, unknown: 'the tensors of the lists are unspecified' },
    });
    expect(workOf(aten('_foreach_add_', list, unspecified, int(1)))).to.include({ flops: 36, bytes: null });
  });
  it('are dispatcher ops on tensors of sensible extents', () => {
    expect(amount(call('torch._foreach_sqrt', list))).to.equal(null);
    expect(amount(aten('_foreach_sqrt', ts(t([-1]))))).to.equal(null);
    expect(amount(aten('_foreach_sqrt', int(3)))).to.equal(null);
    expect(amount(aten('_foreach_sqrt'))).to.equal(null);
  });
});

describe('fused optimiser steps', () => {
  const steps = ts(t([]), t([]));
  const empty = ts();
  const adam = (op: string, decay: number, ...scale: ReturnType<typeof t>[]): ReturnType<typeof aten> =>
    aten(
      ...([op, list, list, list, list, empty, steps] as const),
      ...[1e-3, 0.9, 0.999, decay, 1e-8].map((value) => v(value)),
      ...[v(false), v(false), ...scale],
    );

  it('count the update as it is written down', () => {
    // 36·13; parameters and two moments read and written, gradients read: 7·144; two step counts of 4 bytes
    expect(amount(adam('_fused_adam_', 0, none, none))).to.equal('main 468 1016');
    expect(amount(adam('_fused_adamw_', 0.01, none, none))).to.equal('main 540 1016'); // 36·15
    // unscaled: one operation more, gradients written back; scale and flag read
    expect(amount(adam('_fused_adam_', 0, t([]), t([])))).to.equal('main 504 1168');
    expect(paramsOf(adam('_fused_adam_', 0))).to.equal('tensors=2,E=36,');
  });
  it('count the largest moment of amsgrad', () => {
    const call = aten('_fused_adam_', list, list, list, list, list, steps);
    expect(amount(call)).to.equal('main 504 1304'); // 36·14; 9·144 + 8
  });
  it('count momentum where there is some', () => {
    const sgd = (momentum: typeof list, nesterov: boolean): ReturnType<typeof aten> =>
      aten(
        ...(['_fused_sgd_', list, list, momentum] as const),
        ...[v(1e-4), v(0.9), v(0.1), v(0), v(nesterov), v(false), v(false), none, none],
      );
    expect(amount(sgd(empty, false))).to.equal('main 144 432'); // 36·(2 + 2)
    expect(amount(sgd(list, false))).to.equal('main 252 720'); // 36·7; two read and written, one read
    expect(amount(sgd(list, true))).to.equal('main 324 720'); // 36·9
  });
  it('sum the squares of Adagrad', () => {
    const numbers = [0.01, 0, 0, 1e-10].map((value) => v(value));
    const call = aten('_fused_adagrad_', list, list, list, steps, ...numbers, v(false), none, none);
    expect(amount(call)).to.equal('main 252 736'); // 36·7; 5·144 + steps read and written
  });
  it('unscale gradients, and move the scale', () => {
    const scale = t([1]);
    expect(amount(aten('_amp_foreach_non_finite_check_and_unscale_', list, scale, scale))).to.equal('main 72 296');
    const update = aten('_amp_update_scale_', scale, t([1], 'int32'), scale, v(2), v(0.5), v(2000));
    expect(amount(update)).to.equal('main 1 20'); // 2·(4 + 4) + 4
  });
  it('say that lists are unspecified', () => {
    const unspecified = { name: '', type: 'list' };
    expect(
      workOf(aten('_fused_adam_', unspecified, unspecified, unspecified, unspecified, unspecified, unspecified))?.flops,
    ).to.equal(null);
    expect(amount(aten('_fused_adam_', list))).to.equal(null);
    expect(amount(call('torch._fused_adam_', list, list, list, list))).to.equal(null);
  });
});
