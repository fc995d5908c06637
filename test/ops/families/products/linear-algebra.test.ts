import { expect } from 'chai';
import { amount, int, workOf } from '../../../support/amounts.js';
import { aten, call, none, t, v } from '../../../support/calls.js';
import type { Arg } from '../../../../src/record/record.js';

const text = (value: string): Arg => ({ name: '', type: 'str', value });
/** 10 matrices of 6 × 6: 360 elements, 1440 bytes. */
const a = t([10, 6, 6]);

describe('linear algebra', () => {
  it('factorises', () => {
    // 10·6³/3; factors and 10 int32
    expect(amount(aten('linalg_cholesky_ex', a, v(false), v(false)))).to.equal('main 720 2920');
    // 10·(6·36 − 216/3); factors, 60 pivots, 10 int32
    expect(amount(aten('linalg_lu_factor_ex', a, v(true), v(false)))).to.equal('main 1440 3160');
    // 9 × 6: 9·36 − 72
    expect(amount(aten('linalg_lu_factor_ex', t([9, 6]), v(true), v(false)))).to.equal('main 252 460');
    expect(amount(aten('linalg_inv_ex', a, v(false)))).to.equal('main 4320 2920'); // 10·2·6³
    expect(amount(aten('linalg_cholesky_ex', t([5, 6]), v(false), v(false)))).to.equal(null);
  });
  it('solves', () => {
    // 10·(144 + 2·36·4); A 1440, B 960, X 960, factors 1440, pivots 240, 10 int32
    expect(amount(aten('_linalg_solve_ex', a, t([10, 6, 4]), v(true), v(false)))).to.equal('main 4320 5080');
    expect(amount(aten('_linalg_solve_ex', a, t([10, 6]), v(true), v(false)))).to.equal('main 2160 3640'); // one column
    // n²·k: 36·4·10; the same triangle for all
    const [one, b] = [t([6, 6]), t([10, 6, 4])];
    expect(amount(aten('linalg_solve_triangular', one, b, v(true), v(true), v(false)))).to.equal('main 1440 2064');
    expect(amount(aten('triangular_solve', b, one, v(true), v(false), v(false)))).to.equal('main 1440 2064');
    expect(amount(aten('cholesky_solve', b, one, v(false)))).to.equal('main 2880 2064'); // two triangles
  });
  it('makes Q and R', () => {
    // 9 × 6: R 2·(9·36 − 72) = 504, Q 4·9·6·6 − 2·15·36 + 288 = 504; 216 + Q 216 + R 144 bytes
    expect(amount(aten('linalg_qr', t([9, 6]), text('reduced')))).to.equal('main 1008 576');
    expect(amount(aten('linalg_qr', t([9, 6]), text('r')))).to.equal('main 504 360');
    // complete: Q 4·9·9·6 − 2·18·36 + 288 = 936; Q 324, R 216 bytes
    expect(amount(aten('linalg_qr', t([9, 6]), text('complete')))).to.equal('main 1440 756');
  });
  it('does not guess iterations', () => {
    expect(amount(aten('_linalg_eigh', a, none, v(true)))).to.equal('main na 3120'); // 1440 + 240 + 1440
    expect(amount(aten('_linalg_svd', t([9, 6]), v(false), v(true), none))).to.equal('main na 600'); // 216 + 24 + 216 + 144
    expect(workOf(aten('_linalg_svd', a, v(false), v(false), none))?.unknown).to.contain('iteration');
  });
  it('is known of the dispatcher alone, with sensible operands', () => {
    expect(amount(call('torch.linalg_qr', a))).to.equal(null);
    expect(amount(aten('linalg_inv_ex', int(3)))).to.equal(null);
    expect(amount(aten('linalg_inv_ex', t([3])))).to.equal(null);
  });
});
